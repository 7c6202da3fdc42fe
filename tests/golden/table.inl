// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0x2c07a06fcf6b4786ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x6921d0563e60cbc0ull},
{"curls", "curls", 0x31f4022198d13a1dull, 0x7e3f4e5b07da8355ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0xd7ff567acecb2b88ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0xf96ce0788405a51full},
{"monster", "monster", 0x80a5e823a387edd6ull, 0x199e8a0747bcf538ull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0xfb8c01769e814770ull},
{"octopus", "octopus", 0x16befca66806df74ull, 0x66bdd9f9d792864dull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x0088b2352e91be35ull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0xc026ecaeee4116cfull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0x34f975bf218150dbull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0xfffac74a7f8fb9f3ull},
