// SPDX-License-Identifier: MIT
// State hashes: { asset, steps, drive, hash }. A change of the solver or of the assets changes them, and says so in the
// change log. HEM_DETERMINISM=print test_runtime -s determinism_suite prints the table.
// clang-format off
{"sheet", 1000, still, 0x0934dc3ba0528263ull},
{"sheet_self", 300, busy, 0x2ea3543ba4819c78ull},
{"cape", 1000, busy, 0xeb699f2e861e3dffull},
{"block", 1000, busy, 0x97118933f91a38f9ull},
{"crossing", 300, still, 0xbf4cf4fe2ee600ecull},
