// SPDX-License-Identifier: MIT
// { recipe, sample, hash of the .glb, hash of the .hem }. A change of the compiler, of the samples or of their recipes
// changes them, and says so in the change log. HEM_GOLDEN=print test_golden prints the table.
// clang-format off
{"cape_girl", "cape_girl", 0xe02285bf8ee14a6full, 0x82ae5a1422125136ull},
{"crossing_sheets", "crossing_sheets", 0x961562dfdcc577d1ull, 0xb016ab7392203348ull},
{"curls", "curls", 0x31f4022198d13a1dull, 0xef9b01117ed05319ull},
{"flag", "flag", 0xd048f8c5e65cf963ull, 0xdb707ee46dc197e6ull},
{"hair", "hair", 0x5d82a6a50ef3d55bull, 0x67866ce0d19c804eull},
{"monster", "monster", 0x80a5e823a387edd6ull, 0xc097661ee2a2f7baull},
{"monster_direct", "monster", 0x80a5e823a387edd6ull, 0xf4924d1aa1803928ull},
{"octopus", "octopus", 0x16befca66806df74ull, 0xc522a22bcafa6693ull},
{"robe", "robe", 0x21c8ab0a8a90e19cull, 0x1e853bed4df51008ull},
{"sheet_over_ball", "sheet_over_ball", 0xbf740604ebb100dbull, 0x8cad4e47a20550b1ull},
{"sheet_over_table", "sheet_over_table", 0xdb313ceed19dc592ull, 0x8510dc54adbd66b8ull},
{"somersault", "somersault", 0x774d66f65034e0a1ull, 0x3b9686948224b504ull},
