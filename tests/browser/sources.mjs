// Sources as an administrator meets them, in Chromium against the real product: a new device whose text is broken is seen, its
// character set proposed, tried on what is stored, saved, applied to it, and its text found by a Japanese word; settings by
// network, of two who change them the second told; what each role may do, both languages and themes, a phone, the keyboard.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { AZK_SETUP_CODE, AZK_URL, WAIT, ask, button, checkAccessibility, expecting, finish, page, shot, step, visible } from "../support/browser.mjs";

const PASSWORD = "correct horse battery";
const DEVICE = "127.0.0.7";
const CLOCK = "127.0.0.8";
const N = 1000;
/** 認証に失敗しました, 電源障害を検出, 表示能力 in Shift_JIS. */
const TEXTS = [
    [0x94, 0x46, 0x8f, 0xd8, 0x82, 0xc9, 0x8e, 0xb8, 0x94, 0x73, 0x82, 0xb5, 0x82, 0xdc, 0x82, 0xb5, 0x82, 0xbd],
    [0x93, 0x64, 0x8c, 0xb9, 0x8f, 0xe1, 0x8a, 0x51, 0x82, 0xf0, 0x8c, 0x9f, 0x8f, 0x6f],
    [0x95, 0x5c, 0x8e, 0xa6, 0x94, 0x5c, 0x97, 0xcd],
].map((bytes) => Buffer.from(bytes));

const card = (name) => page.locator(`section[aria-label="${name}"]`);
const dialog = page.getByRole("dialog");
const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const row = (address) => page.locator(`tr[data-source="${address}"]`);
const open = (address) => page.goto(`${AZK_URL}/sources?tab=source&source=${address}`);

/** Over one connection from an address of this machine; resolves when the box has closed it, too. */
function sendFrom(localAddress, lines) {
    return new Promise((resolve, reject) => {
        const socket = connect({ host: "127.0.0.1", port: Number(process.env.AZK_TCP_PORT), localAddress });
        socket.on("error", reject);
        socket.on("close", resolve);
        socket.resume();
        socket.end(Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")])));
    });
}

const device = (i) => Buffer.concat([Buffer.from(`<134>Nov 30 10:41:${String(i % 60).padStart(2, "0")} rtx1210 log: `), TEXTS[i % TEXTS.length], Buffer.from(` #${i}`)]);
/** A clock nine hours ahead, as of a device that sends its local time to a box in UTC. */
const ahead = (i) => Buffer.from(`<13>${new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 19)} sw${i % 3} kernel: port ${i} up`);

/** Ask the box itself, as the page does. */
const api = (path) => page.evaluate(async (url) => (await fetch(`/api/v1${url}`)).json(), path);

async function waitFor(what, test) {
    for (const deadline = Date.now() + WAIT.timeout; ; await page.waitForTimeout(200)) {
        const found = await test();
        if (found) return found;
        if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
    }
}

async function logIn(name) {
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Password").fill(PASSWORD);
    await button("Log in").click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor(WAIT);
}

await step("nothing was heard: the page says what to do", async () => {
    await page.goto(AZK_URL);
    await page.getByLabel("One-time setup code").fill(AZK_SETUP_CODE);
    await page.getByLabel("Name of the administrator").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Password once more").fill(PASSWORD);
    await button("Make the administrator").click();
    await page.getByRole("link", { name: "Sources", exact: true }).click();
    await visible("No logs yet. Send some to this box.");
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    await visible("Nothing is said of any source: all are read alike.");
});

await step("two devices appear by themselves, new, and what is wrong with each stands beside it", async () => {
    await sendFrom(DEVICE, Array.from({ length: N }, (_, i) => device(i)));
    await sendFrom(CLOCK, [...Array.from({ length: 40 }, (_, i) => ahead(i)), Buffer.from("boot ok")]);
    await page.goto(`${AZK_URL}/sources`);
    await row(DEVICE).getByText("not UTF-8: 100 %").waitFor(WAIT);
    await row(DEVICE).getByText("rfc3164 100 %").waitFor(WAIT);
    await row(CLOCK).getByText("clock 9 h ahead").waitFor(WAIT);
    await row(CLOCK).getByText(/not understood: 2\.\d %/).waitFor(WAIT);
    await row(DEVICE).getByText("new", { exact: true }).waitFor(WAIT);
    await visible("2 new sources");
    await checkAccessibility("the list");
    await shot("sources-list");
});

await step("the list is found in, narrowed and ordered, and its address is the view", async () => {
    await page.getByRole("searchbox").fill("0.0.8");
    await row(DEVICE).waitFor({ state: "detached", ...WAIT });
    await page.getByLabel("Which sources").selectOption("silent");
    await visible("No source has “0.0.8” in its name, address or note.");
    await button("Show all").click();
    await row(DEVICE).waitFor(WAIT);
    await page.getByLabel("Which sources").selectOption("unhealthy");
    await page.getByLabel("Order").selectOption("address");
    await page.waitForURL(/sort=address&only=unhealthy/, WAIT);
    await page.reload();
    await row(CLOCK).waitFor(WAIT);
    assert.equal(await page.getByLabel("Order").inputValue(), "address");
    await page.goto(`${AZK_URL}/sources?order=last_heard`);
    await page.getByRole("columnheader", { name: "Last heard" }).and(page.locator("[aria-sort=ascending]")).waitFor(WAIT);
});

await step("a broken text leads to its character set, tried before it is saved", async () => {
    await page.goto(`${AZK_URL}/sources`);
    await row(DEVICE).getByRole("link", { name: DEVICE }).click();
    const health = card("How its messages are understood");
    await health.getByText(/It is probably Shift_JIS/).waitFor(WAIT);
    await health.getByText(/rtx1210|�/).first().waitFor(WAIT);
    await checkAccessibility("one source");
    await shot("sources-health");
    await button("Use Shift_JIS…", health).click();
    const settings = card("Settings");
    assert.equal(await settings.getByLabel("Character set").inputValue(), "Shift_JIS");
    await settings.getByText("Of its last 1,000 messages, 1,000 would read differently.").waitFor(WAIT);
    await settings.locator("mark", { hasText: "認証に失敗しました" }).first().waitFor(WAIT);
    await visible(/Messages are read differently from then on/, settings);
    await checkAccessibility("a preview");
    await shot("sources-preview");
    page.once("dialog", (d) => void d.dismiss());
    await page.getByRole("link", { name: "All sources" }).click();
    assert.match(page.url(), /tab=source/);
});

await step("saved, it can be taken back, and is saved again", async () => {
    const settings = card("Settings");
    await settings.getByLabel("Name").fill("Osaka router");
    await button("Save", settings).click();
    await visible("Saved.", settings);
    await visible("Osaka router");
    await button("Take it back", settings).click();
    await visible("Taken back.", settings);
    assert.deepEqual((await api("/sources/settings")).rows, []);
    await settings.getByLabel("Character set").selectOption("Shift_JIS");
    await settings.getByLabel("Name").fill("Osaka router");
    await button("Save", settings).click();
    await visible("Saved.", settings);
    assert.equal((await api("/sources/settings")).rows[0].charset, "Shift_JIS");
});

await step("what is stored is read again, and found by a Japanese word", async () => {
    const again = card("Apply to what is stored");
    await visible("Shift_JIS, times in UTC", again);
    await button("Apply to stored messages", again).click();
    await visible("1,000 messages read again, 1,000 changed.", again);
    await card("Settings").getByText("Its last 1,000 messages would read the same.").waitFor(WAIT);
    await shot("sources-again");
    await page.goto(`${AZK_URL}/logs?q=${encodeURIComponent("認証に失敗しました")}`);
    const line = page.getByRole("row").filter({ hasText: "認証に失敗しました #" }).first();
    await line.waitFor(WAIT);
    await line.getByText("認証に失敗しました").first().click();
    await page.locator("aside").getByRole("link", { name: "Health and settings" }).click();
    await page.getByRole("heading", { name: "Osaka router" }).waitFor(WAIT);
});

await step("the next messages are right at once", async () => {
    let sent = 0;
    await waitFor("a message is decoded", async () => {
        await sendFrom(DEVICE, [device(N + sent++)]);
        return (await api(`/logs?query=${encodeURIComponent(`source:${DEVICE} mark:decoded 電源障害`)}&limit=1000`)).entries.some((e) => Number(/#(\d+)$/.exec(e.message)?.[1]) >= N);
    });
    await page.getByText("Decoded:").waitFor(WAIT);
});

await step("a clock nine hours ahead is taken for a wrong zone; names of zones are checked", async () => {
    await open(CLOCK);
    const health = card("How its messages are understood");
    await health.getByText("9 h ahead of the box.").waitFor(WAIT);
    await visible(/its time zone is probably not/, health);
    await visible("boot ok", health);
    const settings = card("Settings");
    await settings.getByLabel("Time zone").fill("Tokyo");
    await visible(/No time zone of this name/, settings);
    assert.ok(await button("Save", settings).isDisabled());
    await settings.getByLabel("Applies to").selectOption("127.0.0.0/24");
    await settings.getByLabel("Time zone").fill("Asia/Tokyo");
    await settings.getByText("Of its last 41 messages, 40 would read differently.").waitFor(WAIT);
    await shot("sources-zone");
    await button("Mark as seen").click();
    await button("Mark as seen").waitFor({ state: "detached", ...WAIT });
    await button("Discard changes", settings).click();
});

await step("settings stand by network; a row is checked, saved, and removed after it is said whom that touches", async () => {
    await page.goto(`${AZK_URL}/sources?tab=settings`);
    await page.getByRole("rowheader", { name: DEVICE }).waitFor(WAIT);
    await button("Add a network").click();
    const form = card("Add a network");
    await form.getByLabel("Applies to").fill("fw01");
    await visible(/A network such as/, form);
    await form.getByLabel("Applies to").fill(DEVICE);
    await visible("This network has a row already.", form);
    await form.getByLabel("Applies to").fill("127.0.0.0/24");
    await form.getByLabel("Time zone").fill("Asia/Tokyo");
    await form.getByLabel("Framing").selectOption("delimited");
    await form.getByLabel("Note").fill("branch office");
    await visible("Open connections are read this way from the next message on.", form);
    await form.getByText(/would read differently/).waitFor(WAIT);
    await shot("sources-add");
    await button("Save", form).click();
    await page.getByRole("rowheader", { name: "127.0.0.0/24" }).waitFor(WAIT);
    await page.getByRole("link", { name: "127.0.0.0/24" }).click();
    const settings = card("Settings of 127.0.0.0/24");
    await checkAccessibility("settings");
    await button("Remove 127.0.0.0/24", settings).click();
    await visible(/1 source is read as all others/, dialog);
    await shot("sources-remove");
    await button("Remove 127.0.0.0/24", dialog).click();
    await page.getByRole("rowheader", { name: "127.0.0.0/24" }).waitFor({ state: "detached", ...WAIT });
    await button("Take it back", settings).click();
    await page.getByRole("rowheader", { name: "127.0.0.0/24" }).waitFor(WAIT);
});

await step("of two who change a row the second is told by whom", async () => {
    const settings = card("Settings of 127.0.0.0/24");
    await settings.getByLabel("Note").fill("mine");
    const token = await ask("token operator");
    const answer = await fetch(`${AZK_URL}/api/v1/sources/settings/127.0.0.0%2F24`, {
        method: "PUT",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name: "", zone: "Asia/Tokyo", charset: null, framing: "delimited", note: "theirs" }),
    });
    assert.equal(answer.status, 200, await answer.text());
    await expecting(/409/, async () => {
        await button("Save", settings).click();
        await settings.getByText(/changed meanwhile, by token:/).waitFor(WAIT);
    });
    await shot("sources-conflict");
    await button("Show what there is now", settings).click();
    await page.waitForFunction(() => document.querySelector("#setting-note")?.value === "theirs", null, WAIT);
});

await step("all new ones are marked as seen at once, by the keyboard", async () => {
    await sendFrom("127.0.0.9", [Buffer.from("<13>1 - h a - - - in order")]);
    await sendFrom("127.0.1.9", [Buffer.from("<13>1 - h a - - - in order")]);
    await page.goto(`${AZK_URL}/sources?only=new`);
    await row("127.0.1.9").waitFor(WAIT);
    await button("Mark all as seen").focus();
    await page.keyboard.press("Enter");
    await visible("There is no such source.");
    await button("Show all").focus();
    await page.keyboard.press("Space");
    await row("127.0.1.9").getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "127.0.1.9" }).waitFor(WAIT);
    await card("How its messages are understood").getByText("good").first().waitFor(WAIT);
});

await step("every view in both languages and themes has nothing serious for axe, and no sideways scroll", async () => {
    const views = { list: "/sources", source: `/sources?tab=source&source=${DEVICE}`, settings: "/sources?tab=settings&network=127.0.0.0%2F24" };
    for (const [language, theme] of [["en", "light"], ["ja", "light"], ["en", "dark"], ["ja", "dark"]]) {
        await page.evaluate(([l, t]) => (localStorage.setItem("azekura.language", l), localStorage.setItem("azekura.theme", t)), [language, theme]);
        for (const [name, path] of Object.entries(views)) {
            for (const width of [1280, 390]) {
                await page.setViewportSize({ width, height: 844 });
                await page.goto(`${AZK_URL}${path}`);
                await page.locator("main table, main form").first().waitFor(WAIT);
                if (name === "source") {
                    await page.locator("#setting-charset").selectOption("EUC-JP");
                    await page.locator("[data-changed]").waitFor(WAIT);
                }
                assert.equal(await sideways(), 0, `${name} ${language} ${width}`);
                await shot(`sources-${name}-${theme}-${language}-${width}`);
                await checkAccessibility(`${name} ${language} ${theme} ${width}`);
                if (name === "source") await page.locator("#setting-charset").selectOption("Shift_JIS");
            }
        }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate(() => localStorage.clear());
});

await step("who reads alone sees all of it and changes nothing", async () => {
    await ask(`user reader viewer ${PASSWORD}`);
    await page.goto(`${AZK_URL}/system`);
    await button("Log out").click();
    await page.getByRole("heading", { name: "Log in" }).waitFor(WAIT);
    await logIn("reader");
    await open(DEVICE);
    await visible("Your role reads settings; an operator or administrator changes them.");
    assert.equal(await button("Save").count(), 0);
    assert.equal(await button("Apply to stored messages").count(), 0);
    await page.goto(`${AZK_URL}/sources?tab=settings`);
    await page.getByRole("rowheader", { name: "127.0.0.0/24" }).waitFor(WAIT);
    assert.equal(await button("Add a network").count(), 0);
});

await finish();
