// What a browser must fetch before the console shows: fails when the bundle has grown beyond its budget.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET_KIB = { js: 90, css: 14 };
const folder = new URL("../dist/assets/", import.meta.url);
const total = { js: 0, css: 0 };
for (const name of readdirSync(folder)) {
    const kind = name.split(".").pop();
    if (kind in total) total[kind] += gzipSync(readFileSync(new URL(name, folder))).length / 1024;
}
let failed = false;
for (const [kind, kib] of Object.entries(total)) {
    console.log(`${kind}: ${kib.toFixed(1)} KiB gzipped, budget ${BUDGET_KIB[kind]} KiB`);
    failed ||= kib > BUDGET_KIB[kind] || kib === 0;
}
process.exit(failed ? 1 : 0);
