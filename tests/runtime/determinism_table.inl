// SPDX-License-Identifier: MIT
// State hashes: { asset, steps, drive, hash }. A change of the solver or of the assets changes them, and says so in the
// change log. HEM_DETERMINISM=print test_runtime -s determinism_suite prints the table.
// clang-format off
{"sheet", 1000, still, 0x6ea46b7837415f83ull},
{"sheet_self", 300, busy, 0x33ac6c9991ea1d93ull},
{"cape", 1000, busy, 0x7952dd21b7d26feaull},
{"block", 1000, busy, 0xfc046c8fd3fd0d89ull},
{"crossing", 300, still, 0x5541af6454073e33ull},
