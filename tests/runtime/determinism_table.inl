// SPDX-License-Identifier: MIT
// State hashes: { asset, steps, drive, hash }. A change of the solver or of the assets changes them, and says so in the
// change log. HEM_DETERMINISM=print test_runtime -s determinism_suite prints the table.
// clang-format off
{"sheet", 1000, still, 0xabfde76ed5ef8860ull},
{"sheet_self", 300, busy, 0x0f6e160ce017d687ull},
{"cape", 1000, busy, 0x5f33de76e842e3ffull},
{"block", 1000, busy, 0xb7f29e10d1017078ull},
{"crossing", 300, still, 0x5b8cbbffa9340344ull},
