// The page azekura-bench writes beside a run, and the one of a comparison: whole without network or script, readable in
// both themes, both languages, on a phone and on paper, whatever is in the document.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkAccessibility, finish, page, shot, step, visible } from "../support/browser.mjs";

const corpus = join(dirname(fileURLToPath(import.meta.url)), "../corpus/bench");
const program = join(process.env.AZEKURA_BUILD, "bin/azekura-bench");
const home = mkdtempSync(join(tmpdir(), "azekura-bench-report-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

const names = ["ladder", "ladder_with_loss", "knee", "sngbench", "invalid", "failed", "empty", "hostile"];
const files = new Map();
for (const name of names) {
    cpSync(join(corpus, name), join(home, name), { recursive: true });
    execFileSync(program, ["report", join(home, name)]);
    files.set(name, join(home, name, "report.html"));
}
files.set("comparison", join(home, "comparison.html"));
execFileSync(program, ["compare", join(home, "ladder"), join(home, "ladder_with_loss"), "--html", files.get("comparison")]);

const asked = [];
page.on("request", (request) => asked.push(request.url()));
page.on("dialog", (dialog) => {
    asked.push(`dialog ${dialog.message()}`);
    dialog.dismiss();
});

const open = (name) => page.goto(`file://${files.get(name)}`);

/** Nothing may stick out: neither the page nor a piece of it that is cut off. */
async function checkWidth(where) {
    const wide = await page.evaluate(() => {
        const room = document.documentElement.clientWidth;
        const out = [...document.querySelectorAll("body *")].filter((e) => {
            const box = e.getBoundingClientRect();
            return box.width > 0 && !e.closest("svg") && (box.right > room + 1 || box.left < -1);
        });
        return [document.documentElement.scrollWidth - innerWidth, ...out.slice(0, 3).map((e) => e.outerHTML.slice(0, 120))];
    });
    assert.deepEqual(wide, [0], `${where} is wider than the window`);
}

await step("the pages need nothing from elsewhere and run no script", async () => {
    for (const [name, file] of files) {
        const text = readFileSync(file, "utf8");
        assert.doesNotMatch(text, /<script|<link|<img|<iframe|@import|url\(| on[a-z]+="|javascript:/i, name);
        await open(name);
        assert.deepEqual(await page.evaluate(() => document.querySelectorAll("script,b[onclick],i,table table").length), 0, name);
        // what is between the tags of a hostile name stays text: the page has its own elements alone
        assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("body > *")].map((e) => e.tagName)), ["MAIN"], name);
    }
    assert.deepEqual(asked.filter((url) => !url.startsWith(`file://${home}/`)), []);
});

await step("the answer, its evidence and every message are told", async () => {
    await open("ladder_with_loss");
    await visible("This box stores 38,000 messages/s of 100 bytes by UDP without loss; at 52,000 it loses 0.4 % (−12,480) in the kernel's socket buffer");
    assert.equal(await page.locator(".answer .badge").innerText(), "FAIL");
    const rows = page.locator("#trials + table tbody tr");
    assert.equal(await rows.count(), 4);
    assert.match(await rows.nth(2).innerText(), /52,000\s+3,120,000\s+3,107,520\s+3,107,520\s+3,107,520\s+99\.60 % \(−12,480\)/);
    // the ledger of the trial that lost most is open, and names its place
    assert.match(await page.locator("details[open] tr.lost").first().innerText(), /dropped by the socket's buffer\s+90,000\s+2\.5 %/);
    assert.equal(await page.locator("#time + .charts figure").count(), 8);
    await visible("azekura-bench run ladder --target box");
    assert.equal(await page.locator(".hash").count(), 4);
});

await step("one click shows it in Japanese, and nothing of it twice", async () => {
    await open("ladder_with_loss");
    await page.check("#lang-ja");
    await visible("このボックスは 100 バイトのメッセージを UDP で毎秒 38,000 件、損失なく保存し、毎秒 52,000 件ではカーネルのソケットバッファで 0.4 % (−12,480) を失います");
    const seen = await page.locator("main").innerText();
    assert.doesNotMatch(seen, /without loss|Environment|Where every/);
    await page.check("#lang-en");
    assert.doesNotMatch(await page.locator(".page").innerText(), /損失|環境|試験/);
});

await step("a run without a valid result shows its reason and no figures", async () => {
    await open("invalid");
    await visible("Invalid, no figure is given: other programs used 35 % of a core");
    assert.equal(await page.locator(".tile").count(), 0);
    await open("failed");
    await visible("Failed: the API at http://127.0.0.1:8080 answered 401; nothing was measured");
});

for (const [colorScheme, width, language, place] of [["light", 1280, "en", "a desk"], ["light", 1010, "ja", "a small window"], ["dark", 390, "ja", "a phone"], ["dark", 390, "en", "a phone"]])
    await step(`all of it is readable on ${place}, ${colorScheme}, ${language}`, async () => {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        for (const name of files.keys()) {
            await open(name);
            await page.check(`#lang-${language}`);
            await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
            await checkWidth(`${name} at ${width}`);
            await shot(`${name}-${colorScheme}-${width}-${language}`);
        }
    });

for (const [name, colorScheme, width] of [["ladder_with_loss", "light", 1280], ["ladder_with_loss", "dark", 390], ["knee", "dark", 1280], ["comparison", "light", 390], ["invalid", "dark", 1280]])
    await step(`everybody can read it: ${name}, ${colorScheme}, ${width}`, async () => {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        await open(name);
        await checkAccessibility(`${name}, ${colorScheme}, ${width}`);
    });

await step("on paper it is dark on white, whatever the screen's theme", async () => {
    await page.emulateMedia({ colorScheme: "dark", media: "print" });
    await open("ladder_with_loss");
    const { back, text } = await page.evaluate(() => {
        const style = getComputedStyle(document.querySelector(".answer"));
        return { back: style.backgroundColor, text: style.color };
    });
    assert.equal(back, "rgb(255, 255, 255)");
    assert.equal(text, "rgb(27, 35, 45)");
    assert.equal(await page.locator("#lang-en").isVisible(), false);
    await page.emulateMedia({ media: "screen" });
});

await finish();
