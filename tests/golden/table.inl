// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0x4b6aa09befe2abb0ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x9845252efe0205c8ull},
{"curls", "curls", 0x31f4022198d13a1dull, 0xcbf3b1f8b04aac34ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0x9c8c04e7770f2123ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0x4a70a3dd90560283ull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0xbd58e5172ef00de4ull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0xa977742a6558e8d3ull},
{"octopus", "octopus", 0x16befca66806df74ull, 0xd5e94aff6e6eb040ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x6855a776acf058fbull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x31e382f15013267bull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0xc99e3b6bdb06486bull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0xb706896c9a45ad04ull},
