// What a message is made of, in the panel of a line: its pairs and marks from the box, searched by a click; the help
// that names the language; both languages and themes, a phone.
import assert from "node:assert/strict";
import { AZK_SETUP_CODE, AZK_URL, WAIT, button, checkAccessibility, finish, page, send, shot, step, visible } from "../support/browser.mjs";

const PASSWORD = "correct horse battery";
const panel = page.locator("aside");
const pairs = panel.locator("[data-pairs]");
const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
/** A row of the panel by the name at its left. */
const row = (name) => panel.locator("dl > div").filter({ has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) });

const FORTI = '<189>date=2026-03-10 time=11:58:01 devname="fg-edge1" action="deny" srcip=192.0.2.7 msg="say \\"hi\\"  <b>now</b>" note= Protocol(1001)=TCP';
const JSON_BODY = '<134>Nov 30 10:41:07 h1 app: {"user":{"name":"bob","tags":["a","b"]},"text":"\\u5fdc\\u7b54 \\u003cb\\u003e","bytes":2048}';

async function search(query) {
    const box = page.getByRole("searchbox").first();
    await box.fill(query);
    await box.press("Enter");
}

async function open(query, text) {
    const line = page.getByRole("row").filter({ hasText: text }).first();
    for (const deadline = Date.now() + WAIT.timeout; ; ) {
        await search(query);
        try {
            await line.waitFor({ state: "visible", timeout: 1000 });
            break;
        } catch (error) {
            if (Date.now() > deadline) throw error;
        }
    }
    await line.getByText(text).first().click();
    await pairs.waitFor(WAIT);
}

await step("an administrator is made, and devices send", async () => {
    await page.goto(AZK_URL);
    await page.getByLabel("One-time setup code").fill(AZK_SETUP_CODE);
    await page.getByLabel("Name of the administrator").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Password once more").fill(PASSWORD);
    await button("Make the administrator").click();
    await page.getByRole("navigation").first().waitFor(WAIT);
    await send(FORTI);
    await send(JSON_BODY);
    await send(`<134>Nov 30 10:41:07 h2 app: ${Array.from({ length: 90 }, (_, i) => `k${i}=v${i}`).join(" ")}`);
    await send("no priority at all, code=7");
    await page.goto(`${AZK_URL}/logs`);
});

await step("a line shows its pairs as the box reads them", async () => {
    await open("kv.action:deny", "fg-edge1");
    assert.equal(await pairs.getAttribute("data-pairs"), "kv");
    await visible("as key=value", panel);
    assert.equal(await row("msg").locator("span").first().textContent(), 'say "hi"  <b>now</b>');
    assert.equal(await row("note").locator("span").first().textContent(), "(empty)");
    const marked = await page.locator("[role=row] mark").allTextContents();
    assert.ok(marked.includes("deny"), `marked: ${marked}`);
    await checkAccessibility("a line with pairs");
    await shot("pairs");
});

await step("a click searches for a pair, and another takes it out", async () => {
    await row("srcip").hover();
    await row("srcip").getByRole("button", { name: "Only this" }).click();
    await page.waitForURL(/kv\.srcip%3A192\.0\.2\.7/, WAIT);
    await page.getByRole("row").filter({ hasText: "fg-edge1" }).first().waitFor(WAIT);
    await open("kv.devname:fg-edge1", "fg-edge1");
    await row("msg").hover();
    await row("msg").getByRole("button", { name: "Only this" }).click();
    await page.waitForURL(/kv\.msg/, WAIT);
    await page.getByRole("row").filter({ hasText: "fg-edge1" }).first().waitFor(WAIT);
    await open("kv.devname:fg-edge1", "fg-edge1");
    await row("Protocol\\(1001\\)").hover();
    await row("Protocol\\(1001\\)").getByRole("button", { name: "Not this" }).click();
    await visible("Nothing found.");
});

await step("JSON is flattened, its escapes undone, and found by what it says", async () => {
    await open("kv.text:応答*", "bob");
    assert.equal(await pairs.getAttribute("data-pairs"), "json");
    assert.equal(await row("user\\.tags\\.1").locator("span").first().textContent(), "b");
    assert.equal(await row("text").locator("span").first().textContent(), "応答 <b>");
    await open("kv.bytes:>1000 kv.user.tags:b", "bob");
});

await step("many pairs are shown when they are asked for", async () => {
    await open("kv.k89:v89", "k0=v0");
    assert.equal(await row("k89").count(), 0);
    await button("Show all 90", panel).click();
    assert.equal(await row("k89").locator("span").first().textContent(), "v89");
});

await step("marks are named, and searched", async () => {
    await open("mark:no_pri", "no priority at all");
    await row("no_pri").hover();
    await row("no_pri").getByRole("button", { name: "Not this" }).click();
    await page.waitForURL(/-mark%3Ano_pri|Nothing/, WAIT);
});

await step("the help names the language", async () => {
    await search("");
    await page.getByRole("row").first().waitFor(WAIT);
    await page.getByRole("button", { name: "Help" }).click();
    await page.getByRole("dialog").waitFor(WAIT);
    await visible("kv.action:deny", page.getByRole("dialog"));
    await checkAccessibility("the help");
    await shot("help");
    await page.keyboard.press("Escape");
});

await step("both languages and themes, and a phone", async () => {
    for (const [language, theme, width] of [["en", "light", 1280], ["ja", "dark", 1280], ["ja", "light", 390], ["en", "dark", 390]]) {
        await page.evaluate(([l, t]) => (localStorage.setItem("azekura.language", l), localStorage.setItem("azekura.theme", t)), [language, theme]);
        await page.setViewportSize({ width, height: 844 });
        await page.goto(`${AZK_URL}/logs?q=kv.action%3Adeny`);
        await page.reload();
        await page.getByRole("row").filter({ hasText: "fg-edge1" }).first().getByText("fg-edge1").first().click();
        await pairs.waitFor(WAIT);
        assert.equal(await sideways(), 0, `${language} ${theme} ${width}`);
        await pairs.scrollIntoViewIfNeeded();
        await shot(`pairs-${language}-${theme}-${width}`);
        await checkAccessibility(`pairs, ${language}, ${theme}, ${width}`);
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: language === "en" ? "Help" : "ヘルプ" }).click();
        await page.getByRole("dialog").waitFor(WAIT);
        await shot(`help-${language}-${theme}-${width}`);
        await checkAccessibility(`help, ${language}, ${theme}, ${width}`);
        await page.keyboard.press("Escape");
    }
});

await finish();
