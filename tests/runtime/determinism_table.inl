// SPDX-License-Identifier: MIT
// State hashes: { asset, steps, drive, hash }. A change of the solver or of the assets changes them, and says so in the
// change log. HEM_DETERMINISM=print test_runtime -s determinism_suite prints the table.
// clang-format off
{"sheet", 1000, still, 0xc48f6f011fa08b1eull},
{"sheet_self", 300, busy, 0x22b5739eb7fa8024ull},
{"cape", 1000, busy, 0x03b99f32c8ddda6eull},
{"block", 1000, busy, 0xf233cbf52ac8dec2ull},
{"crossing", 300, still, 0x16128dc50921bcc7ull},
