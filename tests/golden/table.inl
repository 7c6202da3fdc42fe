// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0x525ca6812e57efdcull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0xd5c41855ac7e2396ull},
{"curls", "curls", 0x31f4022198d13a1dull, 0x40e9d6a68da92ff2ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0x35c8873ad7a375b0ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0x7fe797b7e4ab9b1cull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0x75e81983c53c002full},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0xe0ef5c28413a4c2dull},
{"octopus", "octopus", 0x16befca66806df74ull, 0x258ae409392d58f3ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x53de657bf7017c6full},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x8fcd18f63ef35b50ull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0x94a1b6759a19359aull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0xc06297100f5e598eull},
