// The page Benchmark in Chromium against the real product: a short ladder on the box in service prepared, started with the
// password, watched, left and found again, its report read and saved, two compared, one stopped, one deleted, the messages
// marked, told apart and removed; what each role may do, both languages and themes, a phone, a part that fails.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { AZK_SETUP_CODE, AZK_URL, WAIT, ask, button, checkAccessibility, expecting, finish, gone, page, send, shot, step, visible } from "../support/browser.mjs";

const PASSWORD = "correct horse battery";
/** A run of seconds ends within this on a machine that has much else to do. */
const RUN = { timeout: 150_000 };

// a page that is left while the database is answering
await ask("allow connection to client lost|canceling statement due to user request");

const card = (name) => page.getByRole("region", { name });
const dialog = page.getByRole("dialog");
const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const history = () => card("History").locator("tbody tr");

async function prepare(options) {
    await page.goto(`${AZK_URL}/benchmark`);
    await button(/^Prepare: Ladder/).click();
    await dialog.getByLabel("this box, in service").check();
    for (const [label, value] of Object.entries(options)) await dialog.getByLabel(label).fill(value);
}

/** Start a ladder on the box itself; its id. */
async function start(seconds, rates) {
    await prepare({ "Seconds for each step": seconds, "Rates, messages a second": rates });
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await button("Start the run", dialog).click();
    await page.waitForURL(/\/benchmark\?run=/, WAIT);
    return new URL(page.url()).searchParams.get("run");
}

const report = () => card("Where messages went").waitFor(RUN);

await step("before the first run the page says what to do, and what each profile takes", async () => {
    await page.goto(AZK_URL);
    await page.getByLabel("One-time setup code").fill(AZK_SETUP_CODE);
    await page.getByLabel("Name of the administrator").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Password once more").fill(PASSWORD);
    await button("Make the administrator").click();
    const menu = page.getByRole("navigation", { name: "Pages" });
    await menu.waitFor(WAIT);
    const order = await menu.getByRole("link").allTextContents();
    assert.ok(/Receiver/.test(order[4]) && /Benchmark/.test(order[5]) && /Events/.test(order[6]), order.join());
    await menu.getByRole("link", { name: "Benchmark" }).click();
    await visible("Not measured yet");
    await visible("No run is kept yet.");
    await visible("No messages of benchmarks are stored.");
    const ladder = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: /^Ladder/ }) });
    await ladder.getByText(/^\d+ (s|min|h)/).waitFor(WAIT);
    await ladder.getByText(/^[\d.]+ [kMG]$/).waitFor(WAIT);
    await checkAccessibility("first use");
    await shot("benchmark-first");
});

await step("what a run does to a box in service is said before the password is asked, and what is wrong is refused", async () => {
    await prepare({ "Rates, messages a second": "many" });
    await visible("Whole numbers from 1 to 10,000,000.", dialog);
    await dialog.getByLabel("Your password").fill("wrong password");
    assert.ok(await button("Start the run", dialog).isDisabled());
    await dialog.getByLabel("Rates, messages a second").fill("200");
    await dialog.getByLabel("Seconds for each step").fill("3600");
    const warning = dialog.getByRole("region", { name: "What this run does" });
    await warning.getByText(/^It takes about (6\d min|1 h).* and sends 720 k messages/).waitFor(WAIT);
    await warning.getByText(/ to the disk; .* are free/).waitFor(WAIT);
    await warning.getByText(/^Real logs compete with it/).waitFor(WAIT);
    await warning.getByText(/can be removed with one click/).waitFor(WAIT);
    const text = await dialog.innerText();
    assert.ok(text.indexOf("What this run does") < text.indexOf("Your password"), text);
    await dialog.getByLabel("a private instance").check();
    await warning.getByText(/removed with the private instance/).waitFor(WAIT);
    await checkAccessibility("the preparation");
    await shot("benchmark-prepare");
    await expecting(/bench\/runs/, async () => {
        await button("Start the run", dialog).click();
        await visible("The password is wrong.", dialog);
    });
    assert.equal(await dialog.getByLabel("Your password").inputValue(), "");
    await button("Cancel", dialog).click();
    await visible("No run is kept yet.");
});

await step("a run is watched live, left, and found again; at its end its report is there", async () => {
    const id = await start("6", "200 400");
    const live = card(/^Under way/);
    await live.getByRole("progressbar").waitFor(WAIT);
    await card("Offered, sent and stored").locator("canvas").waitFor(RUN);
    await live.getByText(/^\d+ msg\/s$/).first().waitFor(RUN);
    await shot("benchmark-live");
    await checkAccessibility("a run under way");
    await page.getByRole("link", { name: "Receiver", exact: true }).click();
    await card("By source").getByText("benchmark", { exact: true }).first().waitFor(RUN);
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Benchmark" }).click();
    // found under way, or by then at its end
    await page.locator(`a[href="/benchmark?run=${id}"]`).first().waitFor(WAIT);
    await page.goto(`${AZK_URL}/benchmark?run=${id}`);
    await report();
    const rows = card("Steps").locator("tbody tr");
    assert.equal(await rows.count(), 2);
    const cells = await rows.first().locator("td").allTextContents();
    assert.equal(cells[0], "200");
    assert.match(cells[1], /^[\d,]{3,5}$/);
    assert.match(cells[4], /^[\d,]+$/);
    assert.deepEqual([...cells.slice(1, 4), cells[5]], [cells[1], cells[1], cells[1], "100 %"], cells.join(" | "));
    await visible("Every message is accounted for.");
    for (const graph of ["bench-rate", "bench-lost", "bench-cpu", "bench-delay", "bench-load"]) await page.locator(`[data-graph=${graph}] canvas`).waitFor(WAIT);
    await card("Machine and conditions").getByText(/hardware threads/).waitFor(WAIT);
    await checkAccessibility("a report");
    await shot("benchmark-report");
});

await step("every file of a run can be saved", async () => {
    const files = page.getByRole("group", { name: "Downloads" }).getByRole("link");
    assert.deepEqual((await files.allTextContents()).map((name) => name.trim()), ["report.html", "report.txt", "report.json", "results.csv", "results_ext.csv", "samples.csv"]);
    const saved = {};
    for (const link of await files.all()) {
        const [file] = await Promise.all([page.waitForEvent("download", WAIT), link.click()]);
        saved[(await link.textContent()).trim()] = readFileSync(await file.path(), "utf8");
    }
    assert.match(saved["samples.csv"], /^trial,at_s,scheduled,sent,/);
    assert.match(saved["report.html"], /<html/);
    const { trials } = JSON.parse(saved["report.json"]);
    const ladder = trials.filter((trial) => trial.run > 0);
    assert.deepEqual(ladder.map((trial) => trial.load.rate), [200, 400]);
    assert.ok(ladder.every((trial) => trial.stages.unaccounted === 0), JSON.stringify(ladder.map((trial) => trial.stages)));
});

await step("two runs are compared, the older one first", async () => {
    await start("3", "200 400");
    await report();
    await page.getByRole("link", { name: "All runs" }).click();
    await page.waitForFunction(() => document.querySelectorAll("tbody input[type=checkbox]").length === 2, null, WAIT);
    const ids = await history().locator("th a").evaluateAll((links) => links.map((link) => new URL(link.href).searchParams.get("run")));
    assert.ok(await button("Compare the two").isDisabled());
    for (const box of await history().getByRole("checkbox").all()) await box.check();
    await button("Compare the two").click();
    await page.waitForURL(/\?a=.*&b=/, WAIT);
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get("b"), searchParams.get("a")], ids);
    // of trials that a busy machine made invalid there is nothing to compare, and it says so
    const told = card("Two runs side by side").locator("tbody tr, p").first();
    await told.waitFor(WAIT);
    await checkAccessibility("a comparison");
    await shot("benchmark-compare");
    await page.getByRole("link", { name: "Swap" }).click();
    await page.waitForURL(new RegExp(`a=${ids[0]}&b=${ids[1]}`), WAIT);
    await told.waitFor(WAIT);
});

await step("its messages are marked among the logs and stand apart in the storage", async () => {
    await send("<11>Nov 30 10:41:07 core-sw1 kernel: link down on port 7");
    await page.goto(`${AZK_URL}/logs?from=-15m`);
    const lines = page.getByRole("row");
    const real = lines.filter({ hasText: "link down on port 7" });
    for (const deadline = Date.now() + WAIT.timeout; (await real.count()) === 0; ) {
        assert.ok(Date.now() < deadline, "the message of a device is found");
        await page.reload();
        await lines.nth(1).waitFor(WAIT);
    }
    await lines.getByText("benchmark", { exact: true }).first().waitFor(WAIT);
    assert.equal(await real.getByText("benchmark", { exact: true }).count(), 0);
    await shot("benchmark-logs");
    await page.goto(`${AZK_URL}/retention`);
    await card("Storage").getByRole("rowheader", { name: "Messages of benchmarks, in no month" }).waitFor(WAIT);
});

await step("a run is stopped, and what it measured until then is a partial report", async () => {
    const id = await start("600", "100");
    await card("Offered, sent and stored").locator("canvas").waitFor(RUN);
    await page.goto(`${AZK_URL}/benchmark`);
    // by then the page knows that a run is under way
    await button("Stop the run").waitFor(WAIT);
    assert.ok(await button(/^Delete .* benchmark messages$/).isDisabled());
    assert.equal(await button(/^Prepare/).count(), 0);
    await button("Stop the run").click();
    await visible("The run ended early; what follows is what was measured until then.", page);
    const row = history().filter({ has: page.locator(`a[href="/benchmark?run=${id}"]`) });
    await row.getByText("stopped", { exact: true }).waitFor(RUN);
    await shot("benchmark-stopped");
});

await step("in both languages, light and dark, nothing scrolls sideways and the letters can be read", async () => {
    await page.goto(`${AZK_URL}/benchmark`);
    await history().nth(2).waitFor(WAIT);
    const links = await history().locator("th a").evaluateAll((all) => all.map((link) => new URL(link.href).searchParams.get("run")));
    const views = ["/benchmark", `/benchmark?run=${links[1]}`, `/benchmark?a=${links[2]}&b=${links[1]}`];
    for (const language of ["en", "ja"]) {
        for (const theme of ["light", "dark"]) {
            await page.evaluate(([l, t]) => (localStorage.setItem("azekura.language", l), localStorage.setItem("azekura.theme", t)), [language, theme]);
            for (const [i, view] of views.entries()) {
                await page.goto(AZK_URL + view);
                await page.getByRole("main").locator("tbody tr, section p").first().waitFor(WAIT);
                for (const width of [1280, 390]) {
                    await page.setViewportSize({ width, height: 844 });
                    assert.equal(await sideways(), 0, `${view} at ${width}, ${language}`);
                    await shot(`benchmark-${language}-${theme}-${i}-${width}`);
                }
                await checkAccessibility(`${view}, ${language}, ${theme}`);
                await page.setViewportSize({ width: 1280, height: 800 });
            }
        }
    }
    await page.evaluate(() => (localStorage.setItem("azekura.language", "en"), localStorage.setItem("azekura.theme", "light")));
});

await step("when a part cannot be had the rest is there, and a run that is gone is said to be", async () => {
    const why = { error: { code: "internal", message: "the generator is being mended", field: null } };
    await expecting(/\/api\/v1\/bench\//, async () => {
        await page.route(/\/bench\/(profiles|messages)/, (route) => route.fulfill({ status: 500, json: why }));
        await page.goto(`${AZK_URL}/benchmark`);
        await card("Choose what to measure").getByText(/being mended/).waitFor(WAIT);
        await card("Messages of benchmarks").getByText(/being mended/).waitFor(WAIT);
        await history().first().waitFor(WAIT);
        await page.unroute(/\/bench\/(profiles|messages)/);
        await button(/^Prepare: Ladder/).waitFor(WAIT);
        await page.goto(`${AZK_URL}/benchmark?run=2020-01-01_00-00-00_ladder`);
        await visible(/There is no such run/);
    });
});

await step("a report with members of another kind, or names in both languages, is shown as far as it goes", async () => {
    const trial = { number: 1, test: 1, run: 1, name: { en: "50 connections", ja: "50 接続" }, target: "azekura", load: 7, stages: { sent: 9, refused: 1, reasons: { ["__proto__"]: 1, constructor: 2 } }, cpu: "x", sequence: [] };
    const peer = { test: 1, name: { en: "50 connections", ja: "50 接続" }, target: "azekura", rates: "x", median: 123456 };
    const report = { id: "x", title: 5, state: "complete", started_at: "never", trials: [trial, null, 7], peers: [peer], knees: [{}, { points: [{}, 3] }], targets: [{}, { name: 1 }], machine: [], skipped: [{ target: "rsyslog:file", why: { en: "it is not installed", ja: null } }] };
    const status = { id: "x", state: "complete", summary: {} };
    await page.route(/\/bench\/runs\/x($|\/)/, (route) => route.fulfill({ json: /samples/.test(route.request().url()) ? { rows: [], next: 0 } : { status, report, report_problem: null } }));
    await page.goto(`${AZK_URL}/benchmark?run=x`);
    await card("Collectors side by side").getByRole("rowheader", { name: "50 connections" }).waitFor(WAIT);
    await card("Steps").getByRole("rowheader", { name: "50 connections" }).waitFor(WAIT);
    await visible("Not measured on rsyslog:file: it is not installed");
    assert.ok(!/object Object|undefined|NaN/.test(await page.getByRole("main").innerText()), await page.getByRole("main").innerText());
    await page.unroute(/\/bench\/runs\/x($|\/)/);
});

await step("one click removes the messages, and the question names them", async () => {
    await page.goto(`${AZK_URL}/benchmark`);
    const remove = button(/^Delete [\d.,]+( [kM])? benchmark messages$/);
    await remove.first().click();
    await visible("are deleted for good. Logs of devices stay.", dialog);
    await checkAccessibility("the question before messages are deleted");
    await shot("benchmark-delete");
    await remove.last().click();
    await dialog.getByText(/^Deleted: [\d.,]+( [kM])? messages, /).waitFor(RUN);
    await button("Close", dialog).click();
    await visible("No messages of benchmarks are stored.");
    await page.goto(`${AZK_URL}/logs?from=-15m`);
    await visible("link down on port 7");
    assert.equal(await page.getByRole("row").getByText("benchmark", { exact: true }).count(), 0);
});

await step("a run is deleted from the history, and its beginning and end stay among the events", async () => {
    await page.goto(`${AZK_URL}/benchmark`);
    await history().first().waitFor(WAIT);
    const count = await history().count();
    await history().first().getByRole("button", { name: /^Delete the run of/ }).click();
    await button(/^Delete the run of/, dialog).click();
    await dialog.waitFor({ state: "detached", ...WAIT });
    await page.waitForFunction((n) => document.querySelectorAll("tbody input[type=checkbox]").length === n - 1, count, WAIT);
    await page.goto(`${AZK_URL}/events?kind=bench`);
    await visible(/admin started the benchmark ladder/);
});

await step("a viewer reads the results and starts, stops and deletes nothing", async () => {
    await ask(`user reader viewer ${PASSWORD}`);
    await page.goto(`${AZK_URL}/system`);
    await button("Log out").click();
    await page.getByLabel("Name", { exact: true }).fill("reader");
    await page.getByLabel("Password").fill(PASSWORD);
    await button("Log in").click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor(WAIT);
    await page.goto(`${AZK_URL}/benchmark`);
    await visible("An administrator starts and deletes runs; your role reads the results.");
    await history().first().waitFor(WAIT);
    assert.equal(await page.getByRole("main").getByRole("button", { name: /^(Prepare|Delete|Stop)/ }).count(), 0);
    await history().first().locator("th a").click();
    await report();
});

await gone(/does not answer/);
await finish();
