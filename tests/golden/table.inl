// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0xd2f426833417a2b2ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0xc59ac347ca39dfd7ull},
{"curls", "curls", 0x31f4022198d13a1dull, 0x1723e309b6e98476ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0x27366fbb5d6a4b04ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0x205f1bafd81b6559ull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0x9cf144c8a2dda291ull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0x44ac817136bab1d2ull},
{"octopus", "octopus", 0x16befca66806df74ull, 0x62a5b19b98c01a45ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x4f1c531e2afe2ffaull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x619dc09d479aa45full},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0x787dec3bc7414c43ull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0x420cbbbe1c724fc9ull},
