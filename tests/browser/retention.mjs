// The 20 % rule, events and receive rates as an administrator uses them, in Chromium against the real product: what is
// stored by day, holds, a deletion with its preview and its receipt, the rule changed and taken back, groups, a doubted
// clock, sizing, what each role may do, both languages and themes, a phone, the database away.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { AZK_SETUP_CODE, AZK_URL, WAIT, ask, button, checkAccessibility, expecting, finish, gone, page, send, shot, step, visible } from "../support/browser.mjs";

const PASSWORD = "correct horse battery";
const MONTHS = "January February March April May June July August September October November December".split(" ");
const VIEWS = ["/retention", "/retention?tab=rule", "/retention?tab=groups", "/retention?tab=kept", "/retention?tab=size", "/events", "/sources", "/sources?tab=rates", "/sources?by=severity"];

const card = (name) => page.getByRole("region", { name, exact: true });
const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function logIn(name) {
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Password").fill(PASSWORD);
    await button("Log in").click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor(WAIT);
}

async function logOut() {
    await page.goto(`${AZK_URL}/system`);
    await button("Log out").click();
    await page.getByRole("heading", { name: "Log in" }).waitFor(WAIT);
}

const monthName = (day) => MONTHS[Number(day.slice(5, 7)) - 1];
const named = (day) => `${Number(day.slice(8))} ${monthName(day)}`;
const range = (from, to) => `${Number(from.slice(8))}–${named(to)}`;
const cell = (day) => button(new RegExp(`^${named(day)}: `));

/** Choose two days of a month in the calendar. */
async function choose(from, to) {
    await page.goto(`${AZK_URL}/retention?month=${from.slice(0, 7)}`);
    await cell(from).click();
    await cell(to).click();
    await page.getByRole("region", { name: new RegExp(`^${range(from, to)}`) }).waitFor(WAIT);
}

await step("before the first message the pages say what to do, and the box's own start is an event", async () => {
    await page.goto(AZK_URL);
    await page.getByLabel("One-time setup code").fill(AZK_SETUP_CODE);
    await page.getByLabel("Name of the administrator").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Password once more").fill(PASSWORD);
    await button("Make the administrator").click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor(WAIT);
    await page.getByRole("link", { name: "Retention", exact: true }).click();
    await visible("Nothing is stored yet.");
    await visible("Too little is known for a forecast yet");
    await checkAccessibility("retention, first use");
    await shot("retention-first");
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await visible(/keeper started\./);
    await page.getByLabel("Severity").selectOption("err");
    await visible("Nothing of this kind happened in this range.");
    await button("Show all kinds and severities").click();
    await visible(/keeper started\./);
    await page.getByRole("link", { name: "Sources", exact: true }).click();
    await visible("No logs yet. Send some to this box.");
});

await step("who sends how much is counted by source, host name, program, severity and listener", async () => {
    for (let i = 0; i < 20; i++) await send(`<13>1 2026-11-30T10:41:08.5Z fw0${i % 2} sshd 812 LOGIN - attempt ${i}`);
    await send("<11>Nov 30 10:41:07 core-sw1 kernel: link down on port 7");
    await page.goto(`${AZK_URL}/sources?tab=rates`);
    await page.getByRole("rowheader", { name: "127.0.0.1" }).waitFor({ timeout: 60_000 });
    await page.getByRole("link", { name: "Host names" }).click();
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "fw01" }) });
    await row.waitFor({ timeout: 60_000 });
    assert.ok((await row.locator("td").allTextContents()).includes("10"), await row.innerText());
    await page.getByRole("link", { name: "Severities" }).click();
    await page.getByRole("rowheader", { name: "err" }).waitFor(WAIT);
    await page.getByLabel("Table by").getByRole("link", { name: "Listeners" }).click();
    await page.getByRole("rowheader", { name: "udp" }).waitFor(WAIT);
});

await step("the tables are sorted, filtered, saved as CSV, and lead to the logs behind a row", async () => {
    await page.goto(`${AZK_URL}/sources?by=hostname`);
    await button("Host name").click();
    await page.waitForURL(/order=value/, WAIT);
    await page.waitForFunction(() => document.querySelector("tbody th")?.textContent === "core-sw1", null, WAIT);
    await button("Host name").click();
    await page.waitForFunction(() => document.querySelector("tbody th")?.textContent === "fw01", null, WAIT);
    await page.getByRole("searchbox").fill("core");
    await page.getByRole("rowheader", { name: "fw01" }).waitFor({ state: "detached", ...WAIT });
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "CSV" }).click()]);
    const csv = readFileSync(await download.path(), "utf8");
    assert.match(csv.split("\r\n")[1], /^core-sw1,/);
    assert.ok(!csv.includes("fw01"), csv);
    await page.getByRole("searchbox").fill("nowhere");
    await visible("Nothing contains “nowhere”.");
    await button("Show all").click();
    await page.getByRole("link", { name: "core-sw1" }).click();
    await page.waitForURL(/\/logs\?q=hostname%3Acore-sw1/, WAIT);
    await visible("link down on port 7");
});

await step("a source group is checked line by line, made, changed and shown", async () => {
    await page.goto(`${AZK_URL}/retention?tab=groups`);
    await button("New group").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("debug");
    await dialog.getByLabel("Members").fill("198.51.100.0/24\nfw01");
    await dialog.getByLabel("Quota").fill("101");
    await button("Save", dialog).click();
    await visible("Line 2 is no address or network: fw01", dialog);
    await visible("More than 0 and at most 100.", dialog);
    await checkAccessibility("a group's dialog");
    await shot("retention-group");
    await dialog.getByLabel("Members").fill("198.51.100.0/24\n2001:db8::7");
    await dialog.getByLabel("Quota").fill("15");
    await button("Save", dialog).click();
    await dialog.waitFor({ state: "detached", ...WAIT });
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "debug" }) });
    await row.getByText("15 % of the budget").waitFor(WAIT);
    await button(/Change/, row).click();
    await dialog.getByLabel("Kept").fill("365");
    await button("Save", dialog).click();
    await row.getByText("365 days").waitFor(WAIT);
    await button("New group").click();
    await dialog.getByLabel("Name").fill("other");
    await dialog.getByLabel("Members").fill("198.51.100.0/24");
    await expecting(/retention\/groups/, async () => {
        await button("Save", dialog).click();
        await visible(/belongs to the group "debug"/, dialog);
    });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached", ...WAIT });
});

let days = [];
/** Four days in a row of one month, the last of them a week ago at least. */
let four = [];

await step("months and days show what is stored, and the forecast knows more", async () => {
    days = await ask("days 45 300");
    const first = days.findIndex((d, i) => i >= 5 && days[i + 3]?.slice(0, 7) === d.slice(0, 7));
    four = days.slice(first, first + 4);
    await page.goto(`${AZK_URL}/retention`);
    await card("History").getByText(/4[5-6] days/).waitFor(WAIT);
    await visible(/Will end at about/);
    await button(new RegExp(`^${monthName(four[0])} ${four[0].slice(0, 4)}: `)).click();
    await page.waitForFunction((word) => document.body.innerText.includes(word), `Days of ${monthName(four[0])}`, WAIT);
    await cell(four[0]).waitFor(WAIT);
    assert.match(await cell(four[0]).innerText(), /600 messages/);
    await checkAccessibility("months and days");
    await shot("retention-days");
});

await step("held days say so and cannot be deleted", async () => {
    const [from, to] = four;
    await choose(from, to);
    await button("Hold", page.getByRole("region", { name: range(from, to) })).click();
    const dialog = page.getByRole("dialog");
    await button(/^Hold/, dialog).click();
    await visible("Say why, so that somebody can remove it one day.", dialog);
    await dialog.getByLabel("Reason").fill("incident 42 <b>");
    await button(/^Hold/, dialog).click();
    await dialog.waitFor({ state: "detached", ...WAIT });
    await button(new RegExp(`^${named(from)}: .*held`)).waitFor(WAIT);
    await button(`Delete ${range(from, to)}`).click();
    await visible("Nothing in this range can be deleted.", dialog);
    await visible("in this range are held and stay.", dialog);
    await button("Close", dialog).click();
    await page.getByRole("link", { name: "Holds and receipts" }).click();
    await visible("incident 42 <b>");
    await visible("Nothing was ever deleted from this box.");
});

await step("a deletion names what it destroys, is done by the box, and leaves a receipt and an event", async () => {
    const [, , from, to] = four;
    await choose(from, to);
    await page.getByLabel("Group").selectOption("debug");
    await button(`Delete ${range(from, to)}`).click();
    const dialog = page.getByRole("dialog");
    await visible(`${range(from, to)} of group debug, 600 messages`, dialog);
    await visible("This cannot be undone.", dialog);
    await checkAccessibility("a deletion's preview");
    await shot("retention-delete");
    await button(`Delete ${range(from, to)}`, dialog).click();
    await visible(/Deleted: 600 messages, .* Receipt \d+\./, dialog);
    await shot("retention-deleted");
    await button("Close", dialog).click();
    await page.waitForFunction((name) => [...document.querySelectorAll("button")].some((b) => b.textContent.startsWith(`${name}: `) && b.textContent.includes("300 messages")), named(from), WAIT);
    await page.getByRole("link", { name: "Holds and receipts" }).click();
    const row = page.getByRole("row").filter({ hasText: "asked for" });
    await row.first().waitFor(WAIT);
    assert.match(await row.first().innerText(), /debug\s+\d+.*\s+admin/);
    await page.goto(`${AZK_URL}/events?kind=retention`);
    await visible(/of group debug: .*messages/);
});

await step("a hold is removed by who may, with a question before", async () => {
    await page.goto(`${AZK_URL}/retention?tab=kept`);
    await button(/^Remove the hold/).click();
    const dialog = page.getByRole("dialog");
    await visible("Nothing is deleted by removing the hold itself.", dialog);
    await button("Remove the hold", dialog).click();
    await visible("Nothing is held.");
});

await step("the rule says what a change would destroy before it is saved", async () => {
    await page.goto(`${AZK_URL}/retention?tab=rule`);
    await visible("would change nothing now");
    await page.getByLabel("Delete after").fill("0x");
    await visible("0 to 36,600");
    assert.ok(await button(/^Save/).isDisabled());
    await page.getByLabel("Delete after").fill("40");
    await visible(/would remove .* messages/);
    await button(/^Save and delete [\d,.]+ (k )?messages, /).waitFor(WAIT);
    await checkAccessibility("the rule with a change");
    await shot("retention-rule-change");
    await button("Discard changes").click();
    await page.getByRole("button", { name: /^Save/ }).waitFor({ state: "detached", ...WAIT });
});

await step("the rule says what came today and would go with a change", async () => {
    await ask("today 1 40000");
    await page.goto(`${AZK_URL}/retention?tab=rule`);
    // The quota of the group debug, 15 % of 1 % of 200 MB, is less than what came to it today.
    await page.getByLabel("Budget of a month").fill("1");
    await page.getByLabel("Capacity").fill("0.2");
    await visible(/what came today of group debug up to now: 40 k messages, /);
    await button(/^Save and delete .*what came today up to now/).waitFor(WAIT);
    await checkAccessibility("the rule with what came today");
    await shot("retention-rule-today");
    await button("Discard changes").click();
    await page.getByRole("button", { name: /^Save/ }).waitFor({ state: "detached", ...WAIT });
});

await step("the rule is saved, and taken back", async () => {
    await page.getByLabel("Budget of a month").fill("15");
    await page.getByRole("radio", { name: /Shed/ }).check();
    await visible("2 unsaved changes");
    await button("Save", page).click();
    await visible("Saved.");
    await page.reload();
    await page.getByLabel("Budget of a month").waitFor(WAIT);
    assert.equal(await page.getByLabel("Budget of a month").inputValue(), "15");
    assert.ok(await page.getByRole("radio", { name: /Shed/ }).isChecked());
    await page.getByLabel("Budget of a month").fill("25");
    await button("Save", page).click();
    await visible("Saved.");
    await button("Undo").click();
    await visible("As it was before.");
    assert.equal(await page.getByLabel("Budget of a month").inputValue(), "15");
});

await step("a new event comes to the top of the page by itself", async () => {
    await page.goto(`${AZK_URL}/events?kind=settings`);
    await visible(/month_share_percent/);
    const rows = await page.locator("tbody tr").count();
    await page.evaluate(async () => {
        const session = await (await fetch("/api/v1/session")).json();
        await fetch("/api/v1/retention", {
            method: "PUT",
            headers: { "Content-Type": "application/json", "X-CSRF-Token": session.csrf },
            body: JSON.stringify({ keep_days: 3000 }),
        });
    });
    await page.waitForFunction((n) => document.querySelectorAll("tbody tr").length === n + 1, rows, WAIT);
    assert.match(await page.locator("tbody tr").first().innerText(), /keep_days/);
});

await step("a doubted clock is told on top, and confirmed", async () => {
    await ask("doubt");
    await page.goto(`${AZK_URL}/retention`);
    await visible("The box doubts its clock");
    await visible("nothing is deleted by age, budget or quota");
    await checkAccessibility("a doubted clock");
    await shot("retention-clock");
    await button("The clock is right").click();
    await gone("The box doubts its clock");
});

await step("what-if sizing follows its sliders, and the cost names host and severity", async () => {
    await page.goto(`${AZK_URL}/retention?tab=size`);
    const sizing = card("What if");
    await sizing.getByText("Storage needed").waitFor(WAIT);
    const shown = () => sizing.locator("[aria-live]").innerText();
    const before = await shown();
    await page.getByLabel("Sources like these").press("End");
    await page.waitForFunction((old) => document.querySelector("[aria-live=polite]")?.innerText !== old, before, WAIT);
    assert.match(await sizing.innerText(), /× 100/);
    await button("Back to the measured figures").click();
    await page.waitForFunction((old) => document.querySelector("[aria-live=polite]")?.innerText === old, before, WAIT);
    const cost = card("What costs the most");
    await cost.getByRole("rowheader", { name: "fw01" }).waitFor(WAIT);
    await button("By program", cost).click();
    await cost.getByRole("rowheader", { name: "sshd" }).waitFor(WAIT);
});

await step("every view in both languages and themes has nothing serious for axe, and no sideways scroll", async () => {
    for (const theme of ["light", "dark"]) {
        for (const language of ["en", "ja"]) {
            await page.evaluate(([l, t]) => {
                localStorage.setItem("azekura.language", l);
                localStorage.setItem("azekura.theme", t);
            }, [language, theme]);
            for (const view of VIEWS) {
                const name = `${view.slice(1).replace(/\W+/g, "-")}-${theme}-${language}`;
                await page.setViewportSize({ width: 1280, height: 800 });
                await page.goto(AZK_URL + view);
                await page.locator("main table, main fieldset, main [role=radiogroup]").first().waitFor({ state: "attached", ...WAIT });
                await checkAccessibility(name);
                assert.equal(await sideways(), 0, `${name} at 1280`);
                await shot(name);
                await page.setViewportSize({ width: 390, height: 844 });
                assert.equal(await sideways(), 0, `${name} at 390`);
                await shot(`${name}-phone`);
            }
        }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate(() => {
        localStorage.setItem("azekura.language", "en");
        localStorage.setItem("azekura.theme", "light");
    });
});

await step("while the database is away what was there stays, and the page returns by itself", async () => {
    await ask("allow .");
    await page.goto(`${AZK_URL}/retention`);
    await card("Months").waitFor(WAIT);
    await expecting(/503|Failed to load resource/, async () => {
        await ask("database stop");
        await visible("The database of the box is away.");
        await card("Months").waitFor(WAIT);
        await page.getByRole("link", { name: "Sizing and cost" }).click();
        await visible("There is nothing to show until it is back.");
        await ask("database start");
        await gone("The database of the box is away.");
        await card("What if").waitFor({ timeout: 40_000 });
    });
});

await step("an operator holds but does not delete; a viewer reads", async () => {
    const [from, to] = four;
    for (const [name, role] of [["olga", "operator"], ["vera", "viewer"]]) {
        await ask(`user ${name} ${role} ${PASSWORD}`);
        await logOut();
        await logIn(name);
        await choose(from, to);
        const bar = page.getByRole("region", { name: range(from, to) });
        assert.equal(await button("Hold", bar).count(), role === "operator" ? 1 : 0);
        assert.equal(await button(/^Delete/, bar).count(), 0);
        await page.goto(`${AZK_URL}/retention?tab=rule`);
        await page.getByLabel("Budget of a month").waitFor(WAIT);
        assert.equal(await page.getByLabel("Budget of a month").getAttribute("readonly") !== null, role === "viewer");
        await page.goto(`${AZK_URL}/retention?tab=groups`);
        await page.getByRole("rowheader", { name: "debug" }).waitFor(WAIT);
        assert.equal(await button("New group").count(), role === "operator" ? 1 : 0);
    }
});

await finish();
