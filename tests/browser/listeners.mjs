// Where the box listens, who may send, and its certificates, as an administrator sets them, in Chromium against the real
// product: what each change will do, changes taken back, errors at their field, refused senders let in, a certificate from
// request to renewal, what each role may do, both languages and themes, a phone, the keyboard.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { AZK_SETUP_CODE, AZK_UDP_PORT, AZK_URL, WAIT, ask, button, checkAccessibility, expecting, finish, page, send, shot, step, visible } from "../support/browser.mjs";

const PASSWORD = "correct horse battery";
const VIEWS = { addresses: "/listeners", senders: "/listeners?tab=senders", tls: "/listeners?tab=tls" };

const card = (name) => page.locator(`section[aria-label="${name}"]`);
/** What is not saved yet, and the way back, of a form. */
const bar = (name = "Settings") => page.locator(`div[role="region"][aria-label="${name}"]`);
const dialog = page.getByRole("dialog");
const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const closed = () => dialog.waitFor({ state: "detached", ...WAIT });
const disabled = (where) => where.and(page.locator(":disabled")).waitFor(WAIT);

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

let tlsPort = 0;

/** A handshake; resolves when the connection was closed in order after a message. */
function sendByTls(options, text) {
    return new Promise((resolve, reject) => {
        const socket = connect({ host: "127.0.0.1", port: tlsPort, rejectUnauthorized: false, ...options }, () => socket.end(`${text.length} ${text}`));
        socket.on("error", reject);
        socket.on("close", () => resolve(true));
        socket.resume();
    });
}

await step("the page is in the menu and says where the box listens", async () => {
    await page.goto(AZK_URL);
    await page.getByLabel("One-time setup code").fill(AZK_SETUP_CODE);
    await page.getByLabel("Name of the administrator").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Password once more").fill(PASSWORD);
    await button("Make the administrator").click();
    await page.getByRole("link", { name: "Listeners", exact: true }).click();
    await card("Syslog by UDP").getByText(`Listening at 127.0.0.1:${AZK_UDP_PORT}.`).waitFor(WAIT);
    await card("Syslog by TLS").getByText("Not listening.").waitFor(WAIT);
});

await step("a wrong address or port is told at its field and cannot be saved", async () => {
    const tcp = card("Syslog by TCP");
    await tcp.getByLabel("Address 1").fill("fw01");
    await visible(/An address of this box/, tcp);
    await disabled(button("Save", bar()));
    await tcp.getByLabel("Address 1").fill("127.0.0.1");
    await tcp.getByLabel("Port 1").fill("70000");
    await visible(/from 0 to 65535/, tcp);
    await disabled(button("Save", bar()));
    await button("Discard changes", bar()).click();
    await tcp.getByText(/from 0 to 65535/).waitFor({ state: "detached", ...WAIT });
});

await step("a listener for TLS is opened while the box runs, and taken back", async () => {
    const tls = card("Syslog by TLS");
    await button("Add an address for TLS", tls).click();
    assert.equal(await tls.getByLabel("Port 1").inputValue(), "6514");
    await tls.getByLabel("Address 1").fill("127.0.0.1");
    await tls.getByLabel("Port 1").fill("0");
    await visible("TLS also listens at 127.0.0.1:0, at once and without a restart.", bar());
    await visible(/makes a certificate signed by itself/, bar());
    await shot("listeners-change");
    await button("Save", bar()).click();
    await tls.getByText(/Listening at 127\.0\.0\.1:\d+\./).waitFor(WAIT);
    await button("Take it back", bar()).click();
    await tls.getByText("Not listening.").waitFor(WAIT);
    await visible("Taken back.", bar());
    await button("Add an address for TLS", tls).click();
    await tls.getByLabel("Address 1").fill("127.0.0.1");
    await tls.getByLabel("Port 1").fill("0");
    await button("Save", bar()).click();
    const text = await tls.getByText(/Listening at 127\.0\.0\.1:\d+\./).innerText();
    tlsPort = Number(/:(\d+)\./.exec(text)[1]);
    await sendByTls({}, "<13>1 2026-11-30T10:41:08.5Z fw01 sshd - - - by TLS");
});

await step("an address that the box does not have leaves the old one in place, and says why", async () => {
    await ask("allow 192\\.0\\.2\\.77");
    const tcp = card("Syslog by TCP");
    await button("Add an address for TCP", tcp).click();
    await tcp.getByLabel("Address 2").fill("192.0.2.77");
    await tcp.getByLabel("Port 2").fill("5999");
    await button("Save", bar()).click();
    await visible(/Cannot assign requested address|not an address of this|192\.0\.2\.77:5999/, tcp.getByRole("status"));
    await tcp.getByText(/Listening at 127\.0\.0\.1:\d+/).waitFor(WAIT);
    await shot("listeners-error");
    await button("Take it back", bar()).click();
    await tcp.getByLabel("Address 2").waitFor({ state: "detached", ...WAIT });
});

await step("each limit says when it takes effect and what becomes of open connections", async () => {
    await page.getByLabel("receiver.tcp_max_connections").fill("20000");
    await visible(/Takes effect when the receiver starts again/, bar());
    await page.getByLabel("receiver.tcp_idle_seconds").fill("5");
    await visible(/Out of range: 10 to/);
    await disabled(button("Save", bar()));
    await page.getByLabel("receiver.tcp_idle_seconds").fill("600");
    await visible(/those silent for longer are closed/, bar());
    await page.getByLabel("receiver.tcp_framing").selectOption("counted");
    await visible(/New connections are read this way at once/, bar());
    page.once("dialog", (d) => void d.dismiss());
    await page.getByRole("link", { name: "Senders", exact: true }).click();
    assert.match(page.url(), /listeners$/);
    await button("Discard changes", bar()).click();
});

await step("a list names whom it would shut out before it is saved, and who was refused is let in", async () => {
    await page.goto(`${AZK_URL}${VIEWS.senders}`);
    await visible("Messages are taken from every sender.");
    await send("<13>1 2026-11-30T10:41:08.5Z fw01 sshd - - - hello");
    const allow = card("Allowed networks");
    const change = bar("Allowed networks");
    await page.reload();
    // the ledger has it once its block is stored
    for (let i = 0; i < 60 && !(await button(/Add 127\.0\.0\.0\/24/).count()); i++) {
        await page.reload();
        await allow.waitFor(WAIT);
        await button(/Add 127\.0\.0\.0\/24/).waitFor({ timeout: 1000 }).catch(() => undefined);
    }
    await button("Add a network", allow).click();
    await visible(/A network such as/, allow);
    await disabled(button("Save", change));
    await allow.getByLabel("Network 1", { exact: true }).fill("203.0.113.0/24");
    await allow.getByLabel("Listener of network 1").selectOption("udp");
    await allow.getByLabel("Note 1").fill("branch office");
    await visible("Shuts out 1 sender heard within the last hour: 127.0.0.1 by UDP", change);
    await checkAccessibility("an allow-list that shuts out");
    await shot("listeners-shut-out");
    await button("Save and shut out 1 sender", change).click();
    await visible("Saved.", change);
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "127.0.0.1" }) });
    for (let i = 0; i < 300 && !(await row.count()); i++) {
        await send('<13><img src=x onerror="document.title=1"> first\u0001');
        await row.waitFor({ timeout: 200 }).catch(() => undefined);
    }
    await row.getByText(/<img src=x onerror=/).waitFor(WAIT);
    assert.equal(await page.locator("td img").count(), 0);
    await shot("listeners-refused");
    await button(/Allow/, row).click();
    await visible(/127\.0\.0\.1 is added to the list of UDP/, dialog);
    await page.keyboard.press("Escape");
    await closed();
    await button(/Allow/, row).click();
    await button("Allow 127.0.0.1", dialog).click();
    await closed();
    await allow.getByLabel("Network 2", { exact: true }).waitFor(WAIT);
    await button("Take it back", change).click();
    await allow.getByLabel("Network 2", { exact: true }).waitFor({ state: "detached", ...WAIT });
    await button("Remove 203.0.113.0/24", allow).click();
    await visible("Every sender may send.", change);
    await button("Save", change).click();
    await visible("Messages are taken from every sender.");
});

await step("networks have limits of their own, checked row by row", async () => {
    const limits = card("Rate limits of networks");
    const change = bar("Rate limits of networks");
    await button("Add a limit", limits).click();
    await limits.getByLabel("Network of limit 1").fill("192.0.2.0/24");
    await limits.getByLabel("Burst of limit 1").fill("0");
    await visible("Out of range: 1 to 100,000,000.", limits);
    await disabled(button("Save", change));
    await limits.getByLabel("Burst of limit 1").fill("500");
    await button("Save", change).click();
    await visible("Saved.", change);
    await page.getByLabel("receiver.rate_limit").fill("5000");
    await visible(/for every sender without a limit of its own/, bar());
    await button("Save", bar()).click();
    await visible("Saved.", bar());
    await shot("listeners-senders");
    await button("Take it back", bar()).click();
    await button("Take it back", change).click();
    await limits.getByLabel("Network of limit 1").waitFor({ state: "detached", ...WAIT });
});

await step("a certificate comes from a request to the authority's answer, and another by PKCS#12", async () => {
    await page.goto(`${AZK_URL}${VIEWS.tls}`);
    const mine = card("Certificate of this box");
    await visible(/Signed by itself/, mine);
    await visible(/Good for [\d,]+ more days/, mine);
    await button("Request a certificate", mine).click();
    await dialog.getByLabel("Common name").fill("logs.example.net");
    await dialog.getByLabel("Names and addresses").fill("logs.example.net\n127.0.0.1");
    await dialog.getByLabel("Country").fill("J1");
    await button("Make the request", dialog).click();
    await visible("Two letters, such as JP.", dialog);
    await dialog.getByLabel("Country").fill("jp");
    await checkAccessibility("the dialog of a request");
    await shot("listeners-csr");
    await button("Make the request", dialog).click();
    await closed();
    const waiting = card("Request that waits for its certificate");
    await visible("logs.example.net, 127.0.0.1", waiting);
    const [file] = await Promise.all([page.waitForEvent("download"), waiting.getByRole("link", { name: "Download the request" }).click()]);
    const csr = readFileSync(await file.path(), "utf8");
    assert.match(csr, /BEGIN CERTIFICATE REQUEST/);
    const other = await ask("issue other.example.net serverAuth");
    await button("Upload the signed certificate", waiting).click();
    await button("Check and install", dialog).click();
    await visible(/It must have -----BEGIN CERTIFICATE-----/, dialog);
    await dialog.getByLabel("Certificate", { exact: true }).fill(other.certificate);
    await button("Check and install", dialog).click();
    await dialog.getByRole("alert").getByText(/key/).waitFor(WAIT);
    await shot("listeners-refused-certificate");
    await dialog.getByLabel("Certificate", { exact: true }).fill((await ask(`sign ${JSON.stringify(csr)}`)) + other.authority);
    await button("Check and install", dialog).click();
    await closed();
    await visible(/Test Authority/, mine);
    await waiting.waitFor({ state: "detached", ...WAIT });
    await sendByTls({ rejectUnauthorized: true, ca: other.authority }, "<13>checked");
    const p12 = Buffer.from(await ask("pkcs12 second.example.net secret"), "base64");
    await button("Upload a certificate", mine).click();
    await dialog.getByLabel("a PKCS#12 file").check();
    await dialog.getByLabel("File", { exact: true }).setInputFiles({ name: "second.p12", mimeType: "application/x-pkcs12", buffer: p12 });
    await dialog.getByLabel("Password").fill("wrong");
    await button("Check and install", dialog).click();
    await dialog.getByRole("alert").getByText(/password/i).waitFor(WAIT);
    await dialog.getByLabel("Password").fill("secret");
    await button("Check and install", dialog).click();
    await closed();
    await visible("second.example.net", mine);
});

await step("senders show certificates of an authority, and a list of names says whom it shuts out", async () => {
    const client = await ask("issue fw01.example.net clientAuth");
    await button("Add an authority").click();
    await dialog.getByLabel("Certificate of the authority", { exact: true }).fill(client.authority);
    await button("Add it", dialog).click();
    await closed();
    await card("Authorities of senders").getByRole("rowheader", { name: "CN=Test Authority" }).waitFor(WAIT);
    await page.getByLabel("receiver.tls_clients").selectOption("required");
    await visible(/turns away senders without a certificate/, bar());
    await button("Save", bar()).click();
    await visible("Saved.", bar());
    const table = card("Senders with a certificate");
    const shown = table.getByRole("rowheader", { name: "fw01.example.net" });
    for (let i = 0; i < 100 && !(await shown.count()); i++) {
        await sendByTls({ cert: client.certificate, key: client.key }, "<13>with a certificate").catch(() => undefined);
        await shown.waitFor({ timeout: 500 }).catch(() => undefined);
    }
    const change = bar("Allowed certificates");
    const list = card("Allowed certificates");
    await button("Add a name or fingerprint", list).click();
    await list.getByLabel("Name or fingerprint 1").fill("other.example.net");
    await visible("Shuts out 1 sender heard within the last hour: fw01.example.net (127.0.0.1)", change);
    await list.getByLabel("Kind 1").selectOption("fingerprint");
    await visible(/64 hexadecimal digits/, list);
    await button("Discard changes", change).click();
    await button(/Put on the list/, table).click();
    await button("Save", change).click();
    await visible("Saved.", change);
    await shot("listeners-tls");
    await checkAccessibility("certificates");
    await button("Take it back", change).click();
    await visible("Whoever an authority above vouches for may send.", list);
});

await step("all of it is done by the keyboard", async () => {
    await page.goto(`${AZK_URL}${VIEWS.addresses}`);
    const tcp = card("Syslog by TCP");
    await button("Add an address for TCP", tcp).focus();
    await page.keyboard.press("Enter");
    await tcp.getByLabel("Address 2").focus();
    await page.keyboard.type("127.0.0.2");
    await page.keyboard.press("Tab");
    await page.keyboard.type("0");
    await button("Save", bar()).focus();
    await page.keyboard.press("Enter");
    await tcp.getByText(/Listening at 127\.0\.0\.1:\d+, 127\.0\.0\.2:\d+/).waitFor(WAIT);
    await button("Take it back", bar()).focus();
    await page.keyboard.press("Space");
    await tcp.getByLabel("Address 2").waitFor({ state: "detached", ...WAIT });
});

await step("every tab in both languages and themes has nothing serious for axe, and no sideways scroll", async () => {
    for (const language of ["en", "ja"]) {
        for (const theme of ["light", "dark"]) {
            await page.evaluate(([l, t]) => {
                localStorage.setItem("azekura.language", l);
                localStorage.setItem("azekura.theme", t);
            }, [language, theme]);
            for (const [name, path] of Object.entries(VIEWS)) {
                await page.setViewportSize({ width: 1280, height: 800 });
                await page.goto(`${AZK_URL}${path}`);
                await page.locator("main section").nth(1).waitFor(WAIT);
                await checkAccessibility(`${path} ${language} ${theme}`);
                assert.equal(await sideways(), 0, `${path} ${language} at 1280`);
                await shot(`listeners-${name}-${theme}-${language}`);
                await page.setViewportSize({ width: 390, height: 844 });
                assert.equal(await sideways(), 0, `${path} ${language} at 390`);
                await shot(`listeners-${name}-${theme}-${language}-phone`);
            }
        }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate(() => localStorage.clear());
});

await step("who is no administrator reads, and sees no certificates", async () => {
    await ask(`user reader viewer ${PASSWORD}`);
    await logOut();
    await logIn("reader");
    await page.goto(`${AZK_URL}${VIEWS.addresses}`);
    await visible("Your role reads settings; an administrator changes them.");
    assert.equal(await button(/Add an address/).count(), 0);
    await page.goto(`${AZK_URL}${VIEWS.senders}`);
    await visible("Messages are taken from every sender.");
    assert.equal(await button("Add a network").count(), 0);
    await expecting(/tls/, async () => {
        await page.goto(`${AZK_URL}${VIEWS.tls}`);
        await visible("Certificates are shown to administrators alone.");
    });
});

await finish();
