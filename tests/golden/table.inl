// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0x569e59e3653e4520ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0xf26633cc896d7a93ull},
{"curls", "curls", 0x31f4022198d13a1dull, 0xf29df5b5ecd5cb90ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0xddcec28e01ddeedcull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0xf760e4d09e4bd148ull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0x020b5b9307e0afe7ull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0x89dda80e32cb1c60ull},
{"octopus", "octopus", 0x16befca66806df74ull, 0xf4652bbbec995f66ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x341e23858d4f77f1ull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x4dd013de183dd4d6ull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0xaff490dc46f7f776ull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0x84f10927a8fe8713ull},
