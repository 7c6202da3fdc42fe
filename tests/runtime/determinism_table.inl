// SPDX-License-Identifier: MIT
// State hashes: { asset, steps, drive, hash }. A change of the solver or of the assets changes them, and says so in the
// change log. HEM_DETERMINISM=print test_runtime -s determinism_suite prints the table.
// clang-format off
{"sheet", 1000, still, 0xbe8720240f60476eull},
{"sheet_self", 300, busy, 0x0e92915ab9bc19c0ull},
{"cape", 1000, busy, 0x647baa9ec1416cbcull},
{"block", 1000, busy, 0xf233cbf52ac8dec2ull},
{"crossing", 300, still, 0xc15eaaf75425cca1ull},
