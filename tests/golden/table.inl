// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0xab6302a0e10b1440ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0x3a720a2c780944c7ull},
{"curls", "curls", 0x31f4022198d13a1dull, 0xb6e94755215232cfull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0xbdd719321ab70f6eull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0xecb4701ee8601eaaull},
{"monster", "monster", 0x82115f8b66fdda24ull, 0x86cca69d7bc5ecbaull},
{"monster_direct", "monster", 0x82115f8b66fdda24ull, 0xf785133a7a6849e3ull},
{"octopus", "octopus", 0x16befca66806df74ull, 0xa0d1aff0beb554c6ull},
{"robe", "robe", 0xd392b1368867a3a6ull, 0x47632ae2f350a1b4ull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x412f8af921aaf215ull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0xeb96733e27b3e9b5ull},
{"somersault", "somersault", 0xda4831f92b1c87d4ull, 0x4e55ff63ef064cccull},
