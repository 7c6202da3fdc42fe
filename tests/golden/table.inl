// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0xa0201ec1de4bfbd2ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x4e90a7e4e44dcc9aull},
{"curls", "curls", 0x31f4022198d13a1dull, 0x97c572fb57bf8dd7ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0xd961f736fb4b6637ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0x613732152a1868f9ull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0x4478376533f303d0ull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0x932c124a23c9f157ull},
{"octopus", "octopus", 0x16befca66806df74ull, 0xc157746b9747d0f2ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x20eb57e3e6bc2c48ull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x448bfaa8efe681adull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0x0ecfae933467f594ull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0x05eb573caa10ffabull},
