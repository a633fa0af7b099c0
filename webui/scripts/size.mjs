// What a browser must fetch: all that index.html names before the console shows, and each part that is
// fetched when its page is opened.  Fails when one has grown beyond its budget.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const FIRST_KIB = { js: 90, css: 14 };
const PART_KIB = { js: 24, css: 4 };
const dist = new URL("../dist/", import.meta.url);
const page = readFileSync(new URL("index.html", dist), "utf8");
const kib = (name) => gzipSync(readFileSync(new URL(`assets/${name}`, dist))).length / 1024;

const first = { js: 0, css: 0 };
const parts = [];
for (const name of readdirSync(new URL("assets/", dist))) {
    const kind = name.split(".").pop();
    if (!(kind in first)) continue;
    if (page.includes(`/assets/${name}`)) first[kind] += kib(name);
    else parts.push([name, kib(name), PART_KIB[kind]]);
}

let failed = false;
function check(name, size, budget) {
    console.log(`${name}: ${size.toFixed(1)} KiB gzipped, budget ${budget} KiB`);
    failed ||= size > budget || size === 0;
}
for (const [kind, size] of Object.entries(first)) check(`first ${kind}`, size, FIRST_KIB[kind]);
for (const part of parts) check(...part);
process.exit(failed ? 1 : 0);
