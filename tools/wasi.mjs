// SPDX-License-Identifier: MIT
//
// Runs a WASI program under node, with this process's environment, the current folder, and TMPDIR:
//   node --no-warnings tools/wasi.mjs PROGRAM.wasm [ARGUMENTS...]

import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
if (!program) {
  console.error("usage: node --no-warnings tools/wasi.mjs PROGRAM.wasm [ARGUMENTS...]");
  process.exit(2);
}

const wasi = new WASI({
  version: "preview1",
  args: [program, ...rest],
  env: process.env,
  preopens: { ".": process.cwd(), [tmpdir()]: tmpdir() },
  returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
