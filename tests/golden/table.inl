// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0xea8f71182f3615d8ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x12c8e75f70a5c3eeull},
{"curls", "curls", 0x31f4022198d13a1dull, 0xf2ab4f8bdef11358ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0xae77f65fc00156f4ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0xcbfe33107521039eull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0x5b50e4b22f7d4ec1ull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0x0988ea6bcbc2bafeull},
{"octopus", "octopus", 0x16befca66806df74ull, 0xa8e95322748b965aull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x9a01da3be0c384a2ull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x82dbc6ff25702e02ull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0x82c2bb7053fd96fdull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0x3f30c2101f5b13cdull},
