// SPDX-License-Identifier: MIT
// State hashes: { asset, steps, drive, hash }. A change of the solver or of the assets changes them, and says so in the
// change log. HEM_DETERMINISM=print test_runtime -s determinism_suite prints the table.
// clang-format off
{"sheet", 1000, still, 0x225291b219da2036ull},
{"sheet_self", 300, busy, 0xb63fbd50f4b1ad18ull},
{"cape", 1000, busy, 0x256f478b52e15bf8ull},
{"block", 1000, busy, 0xf233cbf52ac8dec2ull},
{"crossing", 300, still, 0x16128dc50921bcc7ull},
