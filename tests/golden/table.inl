// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0x39b9d7c9ab895601ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x2062ae5831bce576ull},
{"curls", "curls", 0x31f4022198d13a1dull, 0x3a6da8009ef5559bull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0x69386720f1b01803ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0xcf0297eaa29d7bd5ull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0x9a434e55b5e29b6full},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0x50c9ccbe4d346feeull},
{"octopus", "octopus", 0x16befca66806df74ull, 0x06d29650f87eb661ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0xf24c8f4e0d88459bull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0xfcdd2a7a666b5b02ull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0xc98b4e4f3e9c4050ull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0x89836959dba00127ull},
