// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0x6fbc1926fa9f7cacull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x9002dc0682ec6c51ull},
{"curls", "curls", 0x31f4022198d13a1dull, 0xa7d7573898c0d9ccull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0xf11d63ca72c5bd23ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0x045d9208f887f31dull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0xccd3d2ec6ebbf3d3ull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0x1392621f9af2af64ull},
{"octopus", "octopus", 0x16befca66806df74ull, 0x119dc78f702c0f46ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x05a05848b408a494ull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x9452d4f397ca556cull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0x562f5e0df5f60f31ull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0x1db0fff943d953b3ull},
