// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0x092e66cfbc6d55bcull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x9fe2fe54ccfc53f8ull},
{"curls", "curls", 0x31f4022198d13a1dull, 0x356baac9d1be4c00ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0xd0dcf14a0f57e817ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0x7d46dffd2f05dea7ull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0x79d0c5754764532cull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0xaa848dbc0df42e47ull},
{"octopus", "octopus", 0x16befca66806df74ull, 0xe54dfe80a91f7e70ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x1871704701bf5ec4ull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x6237945637319f81ull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0x8001564688e8fd22ull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0x1d24d945101839d9ull},
