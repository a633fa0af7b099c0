// The console as an administrator uses it, in Chromium, against the real product: set-up, a line sent by UDP
// appears, its raw bytes are exact, both languages, both themes, a phone, the box and its database away.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { AZK_SETUP_CODE, AZK_URL, WAIT, ask, checkAccessibility, expecting, finish, gone, page, send, shot, step, visible } from "../support/browser.mjs";

const NAME = "admin";
const PASSWORD = "correct horse battery";
const PAGES = ["/", "/logs", "/sources", "/receiver", "/system"];

async function search(query) {
    const box = page.getByRole("searchbox").first();
    await box.fill(query);
    await box.press("Enter");
}

/** Search again until a row holds the text: reception takes a second. */
async function found(query, text) {
    const row = page.getByRole("row").filter({ hasText: text }).first();
    for (const deadline = Date.now() + WAIT.timeout; ; ) {
        await search(query);
        try {
            await row.waitFor({ state: "visible", timeout: 1000 });
            return row;
        } catch (error) {
            if (Date.now() > deadline) throw error;
        }
    }
}

async function sidewaysScroll() {
    return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

const SCRIPT = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'> javascript:window.hacked=1//http://203.0.113.66/";
const STRANGE = Buffer.concat([
    Buffer.from(`<163>Nov 30 10:41:07 fw01 kernel: ${SCRIPT} link down on port 7 src=192.0.2.9 障害`),
    Buffer.from([0x00, 0xff, 0xfe, 0x80]),
]);

await step("the first visit asks for the one-time code, and says when it is wrong", async () => {
    await page.goto(AZK_URL);
    await visible("Set up this box");
    await checkAccessibility("set-up");
    await page.getByLabel("One-time setup code").fill("AAAA-AAAA-AAAA-AAAA");
    await page.getByLabel("Name of the administrator").fill(NAME);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Password once more").fill("something else");
    await page.getByRole("button", { name: "Make the administrator" }).click();
    await visible("The two passwords differ.");
    await page.getByLabel("Password once more").fill(PASSWORD);
    await expecting(/\/api\/v1\/setup/, async () => {
        await page.getByRole("button", { name: "Make the administrator" }).click();
        await page.locator("#code[aria-invalid=true]").waitFor(WAIT);
    });
    await page.getByLabel("One-time setup code").fill(AZK_SETUP_CODE);
    await page.getByRole("button", { name: "Make the administrator" }).click();
    await page.getByRole("navigation").waitFor(WAIT);
});

await step("a box without logs says what to write into a device", async () => {
    await visible("No logs yet. Send some to this box.");
    await visible("logging host 127.0.0.1");
    await visible("syslog host 127.0.0.1");
    await checkAccessibility("first use");
    assert.equal(await sidewaysScroll(), 0);
    await shot("first");
});

await step("a line sent by UDP appears on the dashboard and is found", async () => {
    await send(STRANGE);
    await send("<13>1 2026-11-30T10:41:08.5+09:00 core-sw1 sshd 812 LOGIN - Accepted publickey for admin");
    await page.getByRole("heading", { name: "Busiest sources" }).waitFor(WAIT);
    await page.getByRole("link", { name: "Logs", exact: true }).click();
    await found("fw01 link", "link down on port 7");
    assert.match(page.url(), /\/logs\?q=fw01\+link$/);
});

await step("what a device sent is shown as text, whatever it is", async () => {
    await page.getByRole("row").filter({ hasText: "<script>window.hacked = 1</script>" }).first().waitFor(WAIT);
    assert.equal(await page.evaluate(() => document.querySelectorAll("#app script, #app img[src=x]").length), 0);
    assert.equal(await page.evaluate(() => document.querySelectorAll("a[href^='javascript:' i], a[href*='203.0.113.66']").length), 0);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    const marked = await page.locator("[role=row] mark").allTextContents();
    assert.ok(marked.includes("link"), `marked: ${marked}`);
});

await step("an opened line has its fields and its bytes exactly as received", async () => {
    await page.getByRole("row").filter({ hasText: "link down" }).first().getByText("link down").click();
    const panel = page.getByRole("complementary", { name: "The line in full" });
    await panel.waitFor(WAIT);
    await visible("local4 (20)", panel);
    await visible("err (3)", panel);
    await visible(`${STRANGE.length} bytes`, panel);
    await panel.getByRole("button", { name: "Hex" }).click();
    await shot("detail");
    const hex = await panel.locator("[data-raw=hex] > div > span:nth-child(2)").allTextContents();
    assert.equal(hex.join(" ").replace(/\s+/g, ""), STRANGE.toString("hex"));
    await panel.getByRole("button", { name: "Text" }).click();
    assert.ok((await panel.locator("[data-raw=text]").textContent()).includes(`${SCRIPT} link down on port 7`));
    await checkAccessibility("an opened line");
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached", ...WAIT });
});

await step("a clicked value narrows the search", async () => {
    await search("");
    await page.locator("[data-field=hostname]", { hasText: "core-sw1" }).first().click();
    await page.getByRole("menuitem", { name: "Not this" }).click();
    await page.waitForURL(/-hostname%3Acore-sw1/, WAIT);
    await page.getByRole("row").filter({ hasText: "Accepted publickey" }).first().waitFor({ state: "detached", ...WAIT });
    await page.goBack();
    await visible("Accepted publickey");
});

await step("a query that cannot be read is marked where it is wrong", async () => {
    await expecting(/\/api\/v1\/logs/, async () => {
        await search("障害 sevrity:err");
        await page.locator("#query-error").waitFor(WAIT);
    });
    assert.equal(await page.locator("#query-error code span").textContent(), "sevrity");
    assert.match(await page.locator("#query-error").textContent(), /sever/);
    await shot("query-error");
});

await step("an empty result says what was searched and offers more", async () => {
    await search("ublicke");
    await visible("Nothing found.");
    await checkAccessibility("an empty result");
    await page.getByRole("button", { name: "Search inside words: *ublicke*" }).click();
    await visible("Accepted publickey");
});

/* A live view begins with what comes after its stream has started, so that is what to wait for. */
async function goLive(action) {
    const stream = page.waitForResponse((r) => r.url().includes("/logs/tail"), WAIT);
    await action();
    await stream;
    await visible("Waiting for the next line");
}

await step("live mode shows a line as it arrives", async () => {
    await search("");
    await goLive(() => page.getByRole("button", { name: "Live" }).click());
    await send("<14>web01 nginx: a line while looking");
    await visible("a line while looking");
    await checkAccessibility("live mode");
    await page.getByRole("button", { name: "Live" }).click();
});

await step("characters that hide or turn text are shown as such", async () => {
    await send("<11>1 2026-11-30T12:00:00Z h\u202eost ap\u200bp - - - \u001b[31mred photo\u202egpj.exe turned");
    const row = await found("turned", "photo<U+202E>gpj.exe");
    const text = await row.innerText();
    for (const shown of ["h<U+202E>ost", "ap<U+200B>p", "\u241b[31mred"]) assert.ok(text.includes(shown), text);
    await row.click();
    const panel = page.getByRole("complementary");
    await visible("h<U+202E>ost", panel);
    assert.doesNotMatch(await panel.innerText(), /[\u001b\u200b\u202e]/);
    await page.keyboard.press("Escape");
});

await step("an export is the stored lines", async () => {
    await found("publickey", "Accepted publickey");
    await page.getByText("Export", { exact: true }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "As received" }).click()]);
    assert.match(readFileSync(await download.path(), "utf8"), /^<13>1 .*Accepted publickey for admin\n$/);
});

await step("keys move and open", async () => {
    await page.goto(`${AZK_URL}/logs`);
    await visible("Accepted publickey");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary").waitFor(WAIT);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor(WAIT);
    await page.keyboard.press("Escape");
    // the dialog has the keys until it is gone
    await page.getByRole("dialog").waitFor({ ...WAIT, state: "hidden" });
    await page.keyboard.press("/");
    await page.keyboard.type("x");
    assert.equal(await page.getByRole("searchbox").inputValue(), "x");
});

await step("settings are checked, saved and still there", async () => {
    await page.goto(`${AZK_URL}/system`);
    const field = page.getByLabel("store.flush_ms");
    await field.fill("9");
    await visible("Out of range: 10 to 60,000.");
    await field.fill("500");
    await visible("1 unsaved change");
    await page.getByLabel("box.name").fill("校倉 rack-3");
    await page.getByRole("button", { name: "Save" }).click();
    await visible("Saved.");
    await visible("校倉 rack-3", page.getByRole("banner"));
    await page.reload();
    await page.getByLabel("store.flush_ms").waitFor(WAIT);
    assert.equal(await page.getByLabel("store.flush_ms").inputValue(), "500");
});

await step("what is not saved is not left unasked: neither by a link or a tab nor by the browser's own back", async () => {
    const asked = [];
    let answer = "dismiss";
    const reply = (dialog) => (asked.push(dialog.message()), dialog[answer]());
    page.on("dialog", reply);
    for (const [path, label, tab] of [["/system", "store.flush_ms", null], ["/retention?tab=rule", "Budget of a month", "Source groups"]]) {
        asked.length = 0;
        answer = "dismiss";
        await page.goto(`${AZK_URL}/logs`);
        await page.getByRole("grid").waitFor(WAIT);
        await page.evaluate((to) => {
            const link = document.body.appendChild(document.createElement("a"));
            link.href = to;
            link.click();
            link.remove();
        }, path);
        const field = page.getByLabel(label, { exact: true }).first();
        await field.fill("15");
        await visible("1 unsaved change");
        const question = page.waitForEvent("dialog", WAIT); // the browser goes back when it gets to it
        await page.evaluate(() => history.back());
        await question;
        await page.waitForURL(AZK_URL + path, WAIT);
        await page.getByRole("link", { name: "Events", exact: true }).click();
        if (tab) await page.getByRole("link", { name: tab, exact: true }).click();
        assert.equal(asked.length, tab ? 3 : 2, asked.join());
        assert.equal(page.url(), AZK_URL + path);
        assert.equal(await field.inputValue(), "15");
        answer = "accept";
        await page.evaluate(() => history.back());
        await page.getByRole("grid").waitFor(WAIT);
        assert.equal(new URL(page.url()).pathname, "/logs");
    }
    page.off("dialog", reply);
});

await step("every page in both languages and themes has nothing serious for axe, and no sideways scroll", async () => {
    for (const theme of ["light", "dark"]) {
        for (const language of ["en", "ja"]) {
            await page.evaluate(([l, t]) => {
                localStorage.setItem("azekura.language", l);
                localStorage.setItem("azekura.theme", t);
            }, [language, theme]);
            for (const path of PAGES) {
                await page.setViewportSize({ width: 1280, height: 800 });
                await page.goto(AZK_URL + path);
                await page.locator("h1").waitFor({ state: "attached", ...WAIT });
                await page.waitForLoadState("load");
                assert.equal(await page.evaluate(() => document.documentElement.lang), language);
                await page.locator("main table, main [role=grid], main form, main canvas, main dl").first().waitFor({ state: "attached", ...WAIT });
                await checkAccessibility(`${path} ${language} ${theme}`);
                assert.equal(await sidewaysScroll(), 0, `${path} at 1280`);
                await shot(`${path.slice(1) || "dashboard"}-${theme}-${language}`);
                await page.setViewportSize({ width: 390, height: 844 });
                assert.equal(await sidewaysScroll(), 0, `${path} ${language} at 390`);
                await shot(`${path.slice(1) || "dashboard"}-${theme}-${language}-phone`);
            }
        }
    }
    const light = await page.evaluate(() => {
        const [r, g, b] = getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).map(Number);
        return (r + g + b) / 3;
    });
    assert.ok(light < 60, `the dark theme's ground has lightness ${light}`);
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.ok(await page.getByRole("link", { name: "受信" }).count());
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("link", { name: "Receiver", exact: true }).waitFor(WAIT);
});

await step("the ledger holds, and names the source", async () => {
    await page.goto(`${AZK_URL}/receiver`);
    await visible("The equation holds.");
    await page.getByRole("rowheader", { name: "127.0.0.1" }).waitFor(WAIT);
});

await step("while the database is away the page says so and returns by itself", async () => {
    await ask("allow .");
    await page.goto(AZK_URL);
    await page.getByRole("heading", { name: "Busiest sources" }).waitFor(WAIT);
    await expecting(/503|Failed to load resource/, async () => {
        await ask("database stop");
        await visible("The database of the box is away.");
        await page.getByRole("heading", { name: "Busiest sources" }).waitFor(WAIT);
        await ask("database start");
        await page.getByText("The database of the box is away.").waitFor({ state: "detached", timeout: 40_000 });
    });
});

await step("while the web server is away the page says so and returns by itself", async () => {
    await expecting(/ERR_|Failed to load resource/, async () => {
        await ask("kill web");
        await visible("The box does not answer.");
        await ask("start web");
        await page.getByText("The box does not answer.").waitFor({ state: "detached", timeout: 40_000 });
    });
});

await step("after log-out nothing is shown, and log-in leads back", async () => {
    await page.goto(`${AZK_URL}/system`);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "Log in" }).waitFor(WAIT);
    assert.equal(await page.getByRole("navigation").count(), 0);
    await checkAccessibility("log-in");
    await page.getByLabel("Name", { exact: true }).fill(NAME);
    await page.getByLabel("Password").fill("not the password");
    await expecting(/\/api\/v1\/session/, async () => {
        await page.getByRole("button", { name: "Log in" }).click();
        await visible("Name or password is wrong.");
    });
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "System" }).waitFor(WAIT);
});

await step("a live view says when more arrives than it shows", async () => {
    await goLive(() => page.goto(`${AZK_URL}/logs?live=1`));
    for (let i = 0; i < 3000; i++) await send(`<14>web01 nginx: more than can be read ${i}`);
    await visible(/more than \d[\d,]* lines? skipped/);
    await page.getByRole("button", { name: "Pause" }).click();
    for (let i = 0; i < 3000; i++) await send(`<14>web01 nginx: while paused ${i}`);
    await visible(/Paused: [1-9][\d,]* or more new/);
    await page.getByRole("button", { name: "Go on" }).click();
});

await finish();
