// The dashboard in Chromium against the real product: graphs of rate and load on one time axis, events drawn in,
// zoom and back, table, CSV and picture, a part that fails, a page that stays open.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { AZK_SETUP_CODE, AZK_URL, WAIT, ask, browser, checkAccessibility, context, expecting, finish, page, send, shot, step } from "../support/browser.mjs";

const MAIN = ["rate", "cpu", "load", "month"];

// a page that is loaded anew leaves while the database is answering
await ask("allow connection to client lost|canceling statement due to user request");

const graph = (id) => page.locator(`[data-graph=${id}]`);

/** The table beside a graph: [[name, now or under the cursor, maximum, mean], …]. */
async function figures(id) {
    const rows = await graph(id).locator("tbody tr").all();
    return Promise.all(rows.map(async (row) => (await row.locator("th, td").allTextContents()).map((text) => text.trim())));
}

/** Until the value of a line is known. */
async function measured(id, row = 0) {
    const cell = graph(id).locator("tbody tr").nth(row).locator("td").first();
    await page.waitForFunction((node) => /\d/.test(node.textContent), await cell.elementHandle(), WAIT);
}

async function plot(id) {
    await graph(id).scrollIntoViewIfNeeded();
    return graph(id).locator(".u-over").boundingBox();
}

await step("after set-up and the first messages there are four figures and the four graphs of the load test", async () => {
    await page.goto(AZK_URL);
    await page.getByLabel("One-time setup code").fill(AZK_SETUP_CODE);
    await page.getByLabel("Name of the administrator").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
    await page.getByLabel("Password once more").fill("correct horse battery");
    await page.getByRole("button", { name: "Make the administrator" }).click();
    await page.getByRole("navigation").waitFor(WAIT);
    for (let i = 0; i < 500; i++) await send(`<14>web01 nginx: request ${i}`);
    for (const id of MAIN) await graph(id).locator("canvas").waitFor(WAIT);
    for (const label of ["Receiving now", "Lost in 24 h", "History", "Storage this month"]) {
        await page.getByRole("region", { name: label, exact: true }).waitFor(WAIT);
    }
    await page.getByRole("banner").getByText(/^month <?[\d.]+ of 20 %$/).waitFor(WAIT);
});

await step("the first line says whether all is well", async () => {
    const line = page.getByRole("region", { name: "Health", exact: true });
    await line.getByText("All is well.").waitFor(WAIT);
    const answer = await page.evaluate(async () => (await fetch("/api/v1/retention")).json());
    const doubted = { ...answer, state: "over", clock: { ...answer.clock, is_doubted: true } };
    await page.route(/\/api\/v1\/retention$/, (route) => route.fulfill({ json: doubted }));
    await page.reload();
    await line.getByRole("link", { name: /^The clock jumped/ }).waitFor(WAIT);
    await line.getByRole("link", { name: /budget is used up/ }).waitFor(WAIT);
    assert.equal(await line.getByText("All is well.").count(), 0);
    await checkAccessibility("what is wrong");
    await page.unroute(/\/api\/v1\/retention$/);
});

await step("the load is measured, with maximum and mean beside it, and full load is the number of threads", async () => {
    await page.goto(`${AZK_URL}/?from=-15m`);
    await measured("cpu");
    const [syslog, database] = await figures("cpu");
    assert.equal(syslog[0], "SYSLOG process");
    assert.equal(database[0], "Database");
    for (const row of [syslog, database]) for (const value of row.slice(1)) assert.match(value, /^[\d.]+ %$/, row.join());
    const [, full] = await figures("load");
    assert.equal(full[0], "Full load");
    assert.match(full[1], /^[1-9]\d*\.00$/);
    await measured("month", 1);
    const [used, budget] = await figures("month");
    assert.match(used[1], /[kM]?B$/);
    assert.match(budget[1], /[MGT]B$/);
});

await step("what was sent is in the graph of the rate", async () => {
    const total = graph("rate").locator("tbody tr", { hasText: "Total" }).locator("td").nth(1);
    const deadline = Date.now() + WAIT.timeout;
    while (!(Number((await total.textContent()).replace(/\D/g, "")) >= 1)) {
        assert.ok(Date.now() < deadline, `maximum of the rate: ${await total.textContent()}`);
        await page.waitForResponse(/\/api\/v1\/rates\?/, WAIT);
    }
});

await step("one cursor stands in all graphs, with its values beside each", async () => {
    const box = await plot("load");
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
    const times = async () => Promise.all(MAIN.map((id) => graph(id).locator("thead th").nth(1).textContent()));
    for (const deadline = Date.now() + WAIT.timeout; ; ) {
        const heads = await times();
        if (heads.every((head) => /^\d\d:\d\d:\d\d$/.test(head))) {
            assert.equal(new Set(heads.slice(1)).size, 1, heads.join());
            break;
        }
        assert.ok(Date.now() < deadline, heads.join());
    }
    await shot("dashboard-cursor");
    await page.mouse.move(5, 400);
    await graph("cpu").locator("thead th", { hasText: "now" }).waitFor(WAIT);
});

await step("dragging zooms, the button and a double click lead back", async () => {
    for (const back of ["button", "double click"]) {
        const box = await plot("cpu");
        await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.75, box.y + 20, { steps: 4 });
        await page.mouse.up();
        await page.waitForURL(/from=2\d{3}-.*&to=2\d{3}-/, WAIT);
        const { searchParams } = new URL(page.url());
        const length = Date.parse(searchParams.get("to")) - Date.parse(searchParams.get("from"));
        assert.ok(Math.abs(length - 450_000) < 15_000, `${length} ms of 15 minutes`);
        await graph("cpu").locator("canvas").waitFor(WAIT);
        if (back === "button") await page.getByRole("button", { name: "Back", exact: true }).click();
        else await graph("cpu").locator(".u-over").dblclick();
        await page.waitForURL(/from=-15m$/, WAIT);
    }
});

await step("a finger that goes sideways zooms, and one that goes down scrolls the page", async () => {
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: "en-GB", storageState: await context.storageState() });
    const small = await phone.newPage();
    const cdp = await phone.newCDPSession(small);
    await small.goto(`${AZK_URL}/?from=-15m`);
    const over = small.locator("[data-graph=load] .u-over");
    await over.waitFor(WAIT);
    const swipe = async (from, to) => {
        const touch = (type, touchPoints) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints });
        await touch("touchStart", [from]);
        for (let i = 1; i <= 8; i++) await touch("touchMove", [{ x: from.x + ((to.x - from.x) * i) / 8, y: from.y + ((to.y - from.y) * i) / 8 }]);
        await touch("touchEnd", []);
    };
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    const before = await small.evaluate(() => scrollY);
    await swipe({ x: box.x + box.width / 2, y: box.y + 60 }, { x: box.x + box.width / 2, y: box.y - 120 });
    await small.waitForFunction((y) => scrollY > y + 50, before, WAIT);
    assert.match(small.url(), /from=-15m$/);
    const now = await over.boundingBox();
    await swipe({ x: now.x + now.width * 0.25, y: now.y + 40 }, { x: now.x + now.width * 0.75, y: now.y + 40 });
    await small.waitForURL(/from=2\d{3}-.*&to=2\d{3}-/, WAIT);
    const { searchParams } = new URL(small.url());
    const length = Date.parse(searchParams.get("to")) - Date.parse(searchParams.get("from"));
    assert.ok(Math.abs(length - 450_000) < 30_000, `${length} ms of 15 minutes`);
    await phone.close();
});

await step("a changed setting is a mark in the graphs, with its text", async () => {
    await page.goto(`${AZK_URL}/system`);
    await page.getByLabel("store.flush_ms").fill("700");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").first().waitFor(WAIT);
    await page.goto(`${AZK_URL}/?from=-15m`);
    const lane = page.getByRole("region", { name: "Events", exact: true });
    const mark = lane.getByRole("button", { name: /store\.flush_ms/ });
    await mark.waitFor(WAIT);
    await mark.focus();
    await lane.locator("p", { hasText: "store.flush_ms" }).waitFor(WAIT);
    await shot("dashboard-mark");
    await page.getByRole("region", { name: "Last events" }).getByText(/store\.flush_ms/).waitFor(WAIT);
});

await step("a graph can be had as a table, as CSV and as a picture", async () => {
    await measured("cpu");
    const card = page.getByRole("region", { name: "CPU, % of one core", exact: true });
    await card.getByRole("button", { name: /^Table/ }).click();
    const table = card.getByRole("group");
    assert.deepEqual((await table.locator("thead th").allTextContents()), ["Time", "SYSLOG process, mean", "SYSLOG process, max", "Database, mean", "Database, max"]);
    const download = async (name) => {
        const [file] = await Promise.all([page.waitForEvent("download"), card.getByRole("button", { name }).click()]);
        return [file.suggestedFilename(), readFileSync(await file.path())];
    };
    const [csvName, csv] = await download(/^CSV/);
    assert.match(csvName, /^azekura-cpu-\d{12}\.csv$/);
    const lines = csv.toString().trim().split("\r\n");
    assert.equal(lines[0], "time,cpu_syslog,cpu_syslog_max,cpu_database,cpu_database_max");
    assert.ok(lines.length > 170 && lines.length < 190, `${lines.length} lines of 15 minutes in steps of 5 s`);
    assert.ok(lines.slice(1).some((line) => /^2\d{3}-\d\d-\d\dT[\d:.]+Z(,[\d.]+){4}$/.test(line)), lines.at(-2));
    assert.ok(lines.slice(1).some((line) => /Z,,,,$/.test(line)), "before the box ran there is a gap");
    const [pngName, png] = await download(/^PNG/);
    assert.match(pngName, /\.png$/);
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    assert.ok(png.readUInt32BE(16) > 500 && png.readUInt32BE(20) > 150, "width and height");
});

await step("further graphs are folded, and come when asked for", async () => {
    assert.equal(await graph("memory").count(), 0);
    await page.getByRole("button", { name: "Memory, disk, network, PostgreSQL" }).click();
    for (const id of ["states", "others", "memory", "storage", "disk", "network", "commits", "connections"]) await graph(id).locator("canvas").waitFor(WAIT);
    await measured("memory");
    await measured("connections");
    await checkAccessibility("all graphs");
});

await step("ranges up to two years are shown, and nothing scrolls sideways", async () => {
    for (const range of ["-1h", "-6h", "-24h", "-7d", "-30d", "-90d", "-365d", "-730d"]) {
        await page.goto(`${AZK_URL}/?from=${range}`);
        for (const id of MAIN) await graph(id).locator("canvas").waitFor(WAIT);
        await measured("load");
        for (const width of [1280, 390]) {
            await page.setViewportSize({ width, height: 844 });
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, `${range} at ${width}`);
        }
        await page.setViewportSize({ width: 1280, height: 800 });
    }
});

await step("when the load cannot be had the rest is there, the page says why, and it returns by itself", async () => {
    const why = { error: { code: "internal", message: "the rings are being mended", field: null } };
    await expecting(/\/api\/v1\/load/, async () => {
        await page.route(/\/api\/v1\/load\?/, (route) => route.fulfill({ status: 500, json: why }));
        await page.goto(AZK_URL);
        await page.getByText(/the rings are being mended/).waitFor(WAIT);
        await graph("rate").locator("canvas").waitFor(WAIT);
        await page.getByRole("heading", { name: "Busiest sources" }).waitFor(WAIT);
        assert.equal(await graph("cpu").count(), 0);
        await checkAccessibility("a part that fails");
        await page.unroute(/\/api\/v1\/load\?/);
        await graph("cpu").locator("canvas").waitFor(WAIT);
        await page.getByText(/the rings are being mended/).waitFor({ state: "detached", ...WAIT });
    });
});

await step("a notebook whose clock is three hours ahead does not make sources silent", async () => {
    const wrong = await browser.newContext({ locale: "en-GB", storageState: await context.storageState() });
    const notebook = await wrong.newPage();
    await notebook.clock.install({ time: Date.now() + 3 * 3_600_000 });
    await notebook.goto(`${AZK_URL}/`);
    await notebook.getByRole("region", { name: "Health" }).getByText("All is well.").waitFor(WAIT);
    await notebook.getByRole("region", { name: "Silent sources" }).getByText("Every known source was heard").waitFor(WAIT);
    assert.match(await notebook.getByRole("region", { name: "Last events" }).locator("li time").first().textContent(), /second|minute|now/);
    await wrong.close();
});

await step("a page left open paints into the same graphs and does not grow", async () => {
    const quiet = await context.newPage();
    await quiet.clock.install();
    await quiet.goto(`${AZK_URL}/?from=-15m`);
    for (const id of MAIN) await quiet.locator(`[data-graph=${id}] canvas`).waitFor(WAIT);
    await quiet.evaluate(() => (window.kept = [...document.querySelectorAll("canvas")]));
    const cdp = await context.newCDPSession(quiet);
    await cdp.send("HeapProfiler.enable");
    const updates = async (n) => {
        for (let i = 0; i < n; i++) {
            const answer = quiet.waitForResponse(/\/api\/v1\/load\?/, WAIT);
            await quiet.clock.runFor(5000);
            await answer;
        }
        // what one collection sets free may hold more
        for (let i = 0; i < 3; i++) await cdp.send("HeapProfiler.collectGarbage");
        const { usedSize } = await cdp.send("Runtime.getHeapUsage");
        const { nodes } = await cdp.send("Memory.getDOMCounters");
        return { usedSize, nodes };
    };
    const before = await updates(120);
    const after = await updates(160);
    console.log(`heap ${(before.usedSize / 1e6).toFixed(2)} MB, after 160 updates ${(after.usedSize / 1e6).toFixed(2)} MB; nodes ${before.nodes}, ${after.nodes}`);
    // points of all graphs are 100 kB: kept by each update they would be 16 MB
    assert.ok(after.usedSize - before.usedSize < 1_500_000, "the heap grows");
    assert.ok(after.nodes - before.nodes < 300, "the page grows");
    assert.ok(await quiet.evaluate(() => window.kept.length > 3 && window.kept.every((canvas) => canvas.isConnected)), "a graph was made anew");
    await quiet.close();
});

await finish();
