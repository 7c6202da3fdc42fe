// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0x085d045096632046ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x32112198d05be76bull},
{"curls", "curls", 0x31f4022198d13a1dull, 0xb09dc7fa682b6da0ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0xb7065accbf70baa3ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0x0e8eaf7658d169b4ull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0x29c6b015e9973e38ull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0x7ae19b204980829aull},
{"octopus", "octopus", 0x16befca66806df74ull, 0x87eeec1d04eb7ea9ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x8533745962570e98ull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0xc3da0325e078f356ull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0x53a39f5d1e3d54b6ull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0x4edb8cab6dbe4072ull},
