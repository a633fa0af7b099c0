// Makes docs/benchmark.png, the README's picture of the page Benchmark, from a real run: the ladder as the profile has
// it, on a box of its own that starts for it.  A run that is not valid or loses messages makes no picture.  Five
// minutes, on a machine that does nothing else:
//
//     AZEKURA_BUILD=build/RELEASE PYTHONPATH=tests/support python3 tests/support/run_browser.py webui/scripts/benchmark-picture.mjs
//
// AZK_PICTURE names another file.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { AZK_SETUP_CODE, AZK_URL, AZK_WEBUI, WAIT, button, finish, page, step } from "../../tests/support/browser.mjs";

const PASSWORD = "correct horse battery";
const EVERY_MS = 5000;
/** The box has just been made: what that wrote reaches the disk before the machine's speed is probed. */
const REST_MS = 30_000;
const PICTURE = process.env.AZK_PICTURE ?? `${AZK_WEBUI}/docs/benchmark.png`;

const dialog = page.getByRole("dialog");
const result = page.locator("section").first();

await step("the ladder runs on the box itself", async () => {
    await page.goto(AZK_URL);
    await page.getByLabel("One-time setup code").fill(AZK_SETUP_CODE);
    await page.getByLabel("Name of the administrator").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Password once more").fill(PASSWORD);
    await button("Make the administrator").click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor(WAIT);
    execFileSync("sync");
    await page.waitForTimeout(REST_MS);
    await page.goto(`${AZK_URL}/benchmark`);
    await button(/^Prepare: Ladder/).click();
    await dialog.getByLabel("this box, in service").check();
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await button("Start the run", dialog).click();
    await page.waitForURL(/\/benchmark\?run=/, WAIT);
    // the page is left: watching costs the machine something too
    const url = page.url();
    await page.goto("about:blank");
    const api = `${AZK_URL}/api/v1/bench/runs/${new URL(url).searchParams.get("run")}`;
    const isRunning = async () => (await (await page.request.get(api)).json()).status.state === "running";
    while (await isRunning()) await page.waitForTimeout(EVERY_MS);
    await page.goto(url);
    await page.getByRole("region", { name: "Where messages went" }).waitFor(WAIT);
});

await step("its report is drawn, when it is one to show", async () => {
    const text = await result.innerText();
    console.log(text.split("\n").slice(0, 4).join("\n"));
    assert.match(text, /^passed/m, "no picture is made of this run");
    await page.locator("[data-graph=bench-cpu] canvas").waitFor(WAIT);
    await page.setViewportSize({ width: 1280, height: 1100 });
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: PICTURE });
    console.log(`made ${PICTURE}`);
});

await finish();
