// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0x01d383aebc746f71ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x674c7b1a05f036abull},
{"curls", "curls", 0x31f4022198d13a1dull, 0x0c3b4e71d51b8a87ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0x74eff9323383cb2dull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0x00bb0475de4c04b0ull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0x114150b4e4354547ull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0xcc9f16d79ae0b8f0ull},
{"octopus", "octopus", 0x16befca66806df74ull, 0xafc4700b591ed8c1ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x6d3a9893369162d5ull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x62b33de2d51c4c47ull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0xdf1d11da30847c8full},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0xd95b955d33edb29bull},
