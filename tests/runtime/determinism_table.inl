// SPDX-License-Identifier: MIT
// State hashes: { asset, steps, drive, hash }. A change of the solver or of the assets changes them, and says so in the
// change log. HEM_DETERMINISM=print test_runtime -s determinism_suite prints the table.
// clang-format off
{"sheet", 1000, still, 0xb886bb877d908aecull},
{"sheet_self", 300, busy, 0x0abda2bcacd01a46ull},
{"cape", 1000, busy, 0x9e606f49d18ff161ull},
{"block", 1000, busy, 0xf233cbf52ac8dec2ull},
{"crossing", 300, still, 0xe31fcaff5dc761c4ull},
