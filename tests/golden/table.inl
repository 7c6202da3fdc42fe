// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0xf24de6291cf3690aull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x688296bb46afc7fcull},
{"curls", "curls", 0x31f4022198d13a1dull, 0xe47f34dc8da12011ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0xb92755e6c9ca17e9ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0x516e21ed830bf8aeull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0xbd29cb496067bae0ull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0x138c7351f6eade8bull},
{"octopus", "octopus", 0x16befca66806df74ull, 0x7da04fef37fcdfecull},
{"robe", "robe", 0xd392b1368867a3a6ull, 0x61e6b79919557b4dull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x69e883fa1f947850ull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0xc5aa894482251f58ull},
{"somersault", "somersault", 0xda4831f92b1c87d4ull, 0x68764ee6f9d6de1eull},
