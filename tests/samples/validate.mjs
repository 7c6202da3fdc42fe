// SPDX-License-Identifier: MIT
//
// Holds sample characters against Khronos' glTF validator: no errors, no warnings.
//
//   node tests/samples/validate.mjs [DIRECTORY]
//
// Without a directory it takes build/samples; when HEM_BIN names the folder of the built programs, hem_samples first
// writes fresh files into a temporary folder and those are taken. Prints a line for each file that fails, and last
// `N passed, N failed`. Exit codes: 0 all passed, 1 some failed, 2 nothing to check.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
let directory = process.argv[2] ?? join(root, "build", "samples");
const require = createRequire(join(root, "build", "deps", "node", "package.json"));

let validator;
let files;
try {
    validator = require("gltf-validator");
    if (process.argv[2] === undefined && process.env.HEM_BIN !== undefined) {
        directory = mkdtempSync(join(tmpdir(), "hem-samples-"));
        process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
        execFileSync(join(process.env.HEM_BIN, "hem_samples"), [directory], { stdio: ["ignore", "ignore", "inherit"] });
    }
    files = readdirSync(directory).filter((name) => name.endsWith(".glb")).sort();
} catch (error) {
    console.error(`validate: ${error.message.split("\n")[0]}`);
    process.exit(2);
}
if (files.length === 0) {
    console.error(`validate: no .glb files in '${directory}'; run hem_samples first`);
    process.exit(2);
}

let failed = 0;
for (const name of files) {
    const bytes = new Uint8Array(readFileSync(join(directory, name)));
    let report;
    try {
        report = await validator.validateBytes(bytes, { maxIssues: 1000, writeTimestamp: false });
    } catch (error) {
        console.log(`FAIL ${name}: ${error}`);
        ++failed;
        continue;
    }
    const { numErrors, numWarnings } = report.issues;
    if (numErrors + numWarnings > 0) {
        ++failed;
        console.log(`FAIL ${name}: ${numErrors} errors, ${numWarnings} warnings`);
        for (const issue of report.issues.messages.filter((message) => message.severity < 2).slice(0, 10)) {
            console.log(`  ${issue.code} at ${issue.pointer ?? "?"}: ${issue.message}`);
        }
    }
}
console.log(`${files.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
