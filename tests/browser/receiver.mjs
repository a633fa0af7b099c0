// The page Receiver in Chromium against the real product: what comes by each listener, stage by stage, what was not
// stored and why, gaps of senders that number their messages, handshakes that fail, and a database that goes and returns.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { AZK_SETUP_CODE, AZK_URL, WAIT, ask, checkAccessibility, expecting, finish, page, send, shot, step, visible, button } from "../support/browser.mjs";

const { AZK_TCP_PORT } = process.env;
const PASSWORD = "correct horse battery";

const card = (name) => page.locator(`section[aria-label="${name}"]`);
const row = (where, name) => where.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
let token = "";

async function api(method, path, body) {
    const reply = await fetch(`${AZK_URL}/api/v1${path}`, { method, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${await reply.clone().text()}`);
    return reply.json();
}

async function until(what, look) {
    for (let i = 0; i < 600; i++) {
        const found = await look();
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`waited in vain for: ${what}`);
}

const open = (port) =>
    new Promise((resolve) => {
        const socket = connect(port, "127.0.0.1", () => resolve(socket));
        socket.on("error", () => undefined);
        socket.resume();
    });

/** What the page is about takes a report or two to be there: again and again until `where` shows. */
async function sendUntil(where, run) {
    await until("what was sent shows", async () => {
        await run();
        return where.isVisible();
    });
}

let tlsPort = 0;

await step("before anything came, every stage keeps up and nothing is missing", async () => {
    token = await ask("token admin");
    await page.goto(AZK_URL);
    await page.getByLabel("One-time setup code").fill(AZK_SETUP_CODE);
    await page.getByLabel("Name of the administrator").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Password once more").fill(PASSWORD);
    await button("Make the administrator").click();
    await page.getByRole("link", { name: "Receiver", exact: true }).click();
    await visible("Every stage keeps up.");
    await visible("Nothing was refused or dropped in this range.");
    await visible("No number is missing in this range");
    await visible("No listener takes TLS.");
    await checkAccessibility("receiver, first use");
    await shot("receiver-first");
});

await step("each listener says where it is, and what comes by it now", async () => {
    await api("PATCH", "/settings", { "listen.tls": "127.0.0.1:0" });
    const listeners = card("Listeners now");
    const text = await until("TLS is bound", async () => /127\.0\.0\.1:(\d+)/.exec(await row(listeners, "TLS").innerText()));
    tlsPort = Number(text[1]);
    const tcp = await open(Number(AZK_TCP_PORT));
    let n = 0;
    await until("rates show", async () => {
        for (let i = 0; i < 100; i++) await send(`<13>1 2026-11-30T10:41:08.5Z fw01 sshd - - - attempt ${n++}`);
        tcp.write(`<13>1 2026-11-30T10:41:08.5Z core-sw1 kernel - - - link ${n}\n`.repeat(100));
        return [await row(listeners, "UDP").innerText(), await row(listeners, "TCP").innerText()].every((line) => /[1-9][\d,.]* msg\/s/.test(line));
    });
    assert.match(await row(listeners, "TCP").innerText(), /1 connection/);
    tcp.end();
    await visible(/arrived/, card("Every message is accounted for"));
    await visible("The equation holds.");
});

await step("numbers that never came are gaps of their sender, and lead to the logs around", async () => {
    const gaps = card("Lost on the way here");
    const numbered = (i) => send(`<13>1 2026-11-30T10:41:08.5Z fw02 app - - [meta sequenceId="${i}"] number ${i}`);
    for (const i of [1, 2, 3, 7, 8, 9]) await numbered(i);
    await row(gaps, "127.0.0.1").waitFor({ timeout: 60_000 });
    assert.match(await row(gaps, "127.0.0.1").innerText(), /UDP\s+3\s+0/);
    await gaps.getByRole("link", { name: "Logs around" }).click();
    await page.waitForURL(/\/logs\?q=source/, WAIT);
    await visible("number 7");
    await page.goBack();
    await gaps.waitFor(WAIT);
});

await step("handshakes that fail and connections that are turned away are told with a sentence each", async () => {
    await ask("allow TLS|turned away");
    const tls = card("TLS");
    await sendUntil(row(tls, "no TLS"), async () => (await open(tlsPort)).end("<13>this is not TLS\n"));
    await visible(/turn it on there, or send it to the TCP port/, tls);
    await sendUntil(row(tls, "TLS version too old").or(row(tls, "no common cipher suite")), () => new Promise((resolve) => {
        const socket = connectTls({ host: "127.0.0.1", port: tlsPort, rejectUnauthorized: false, minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" });
        socket.on("error", () => undefined);
        socket.on("close", resolve);
    }));
    await api("PATCH", "/settings", { "receiver.tcp_max_per_source": 1 });
    const held = await open(Number(AZK_TCP_PORT));
    await sendUntil(row(card("Connections and senders"), "too many of one sender"), async () => (await open(Number(AZK_TCP_PORT))).destroy());
    held.destroy();
    await api("PATCH", "/settings", { "receiver.tcp_max_per_source": null });
});

await step("what is refused is counted by its reason, each with what to do", async () => {
    await ask("allow not in the allow-list|allow_list");
    await api("PUT", "/listeners/allow", { allow: [{ network: "203.0.113.0/24", listener: "udp" }], force: true });
    const lost = card("Not stored, by reason");
    await sendUntil(row(lost, "sender not allowed"), () => send("<13>let me in"));
    await visible(/The allow-list names networks/, lost);
    await page.getByRole("link", { name: "See who was refused" }).click();
    await visible("let me in");
    await api("PUT", "/listeners/allow", { allow: [] });
    await page.goto(`${AZK_URL}/receiver`);
});

await step("the page in both languages and themes has nothing serious for axe, and no sideways scroll", async () => {
    for (const language of ["en", "ja"]) {
        for (const theme of ["light", "dark"]) {
            await page.evaluate(([l, t]) => {
                localStorage.setItem("azekura.language", l);
                localStorage.setItem("azekura.theme", t);
            }, [language, theme]);
            await page.setViewportSize({ width: 1280, height: 800 });
            await page.reload();
            await page.locator("main table").nth(3).waitFor(WAIT);
            await checkAccessibility(`receiver ${language} ${theme}`);
            assert.equal(await sideways(), 0, `receiver ${language} at 1280`);
            await shot(`receiver-${theme}-${language}`);
            await page.setViewportSize({ width: 390, height: 844 });
            assert.equal(await sideways(), 0, `receiver ${language} at 390`);
            await shot(`receiver-${theme}-${language}-phone`);
        }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate(() => localStorage.clear());
    await page.reload();
});

await step("while the database is away the page says so, and returns by itself", async () => {
    await ask("allow .");
    await visible("Every stage keeps up.");
    await expecting(/503|Failed to load resource/, async () => {
        await ask("database stop");
        await visible(/The database is away: these figures are its last\./);
        for (let i = 0; i < 200; i++) await send(`<13>sent meanwhile ${i}`);
        await shot("receiver-away");
        await ask("database start");
        await visible("Every stage keeps up.");
    });
    await page.goto(`${AZK_URL}/logs?q=%22sent+meanwhile+199%22`);
    await visible("sent meanwhile 199", page.getByRole("main"));
});

await finish();
