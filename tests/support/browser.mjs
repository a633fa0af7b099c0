// What every test in Chromium needs: the runner's side, the browser, and the errors a page wrote to its console.
// run_browser.py gives the environment.
import assert from "node:assert/strict";
import dgram from "node:dgram";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

export const { AZK_URL, AZK_SETUP_CODE, AZK_UDP_PORT, AZK_WEBUI } = process.env;
const { AZK_SHOTS } = process.env;
const require = createRequire(`${AZK_WEBUI}/package.json`);
const { chromium } = require("playwright-core");
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** It ends what hangs; a machine with much else to do is given its time. */
export const WAIT = { timeout: 90_000 };

const replies = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Ask run_browser.py for what only it can do. */
export async function ask(command) {
    process.stdout.write(`::${command}\n`);
    return JSON.parse((await replies.next()).value);
}

const socket = dgram.createSocket("udp4");
export const send = (bytes) =>
    new Promise((resolve, reject) => socket.send(bytes, Number(AZK_UDP_PORT), "127.0.0.1", (error) => (error ? reject(error) : resolve())));

export const browser = await chromium.launch({
    executablePath: process.env.AZK_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
export const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    colorScheme: "light",
    timezoneId: "Asia/Tokyo",
    acceptDownloads: true,
});
export const page = await context.newPage();

const errors = [];
let isExpected = () => false;
page.on("pageerror", (error) => errors.push(String(error)));
page.on("console", (message) => {
    const text = `${message.text()} ${message.location().url}`;
    if (message.type() === "error" && !isExpected(text)) errors.push(text);
});

/** Replies like these are part of what runs; Chromium writes them to the console as errors. */
export async function expecting(pattern, run) {
    isExpected = (text) => pattern.test(text);
    try {
        await run();
    } finally {
        isExpected = () => false;
    }
}

/** A picture for the eye, when AZK_SHOTS names a folder. */
export const shot = async (name) => AZK_SHOTS && (await page.screenshot({ path: `${AZK_SHOTS}/${name}.png`, fullPage: true }));

export async function step(name, run) {
    const begin = Date.now();
    try {
        await run();
    } catch (error) {
        await shot("failed");
        for (const text of errors) console.log(`page: ${text}`);
        throw error;
    }
    console.log(`ok: ${name} (${Date.now() - begin} ms)`);
}

export const visible = (text, where = page) => where.getByText(text).first().waitFor({ state: "visible", ...WAIT });
export const gone = (text, where = page) => where.getByText(text).first().waitFor({ state: "hidden", ...WAIT });
export const button = (name, where = page) => where.getByRole("button", { name });

export async function checkAccessibility(where) {
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const grave = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
    assert.deepEqual(grave.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.failureSummary}`).join(" | ")}`), [], `axe on ${where}`);
}

export async function finish() {
    await step("no page has written an error to the console", () => assert.deepEqual(errors, []));
    await browser.close();
    socket.close();
    process.exit(0);
}
