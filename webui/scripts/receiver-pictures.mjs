// Makes docs/receiver.png and docs/listeners.png, the README's pictures of the pages Receiver and Listeners, of a box of
// its own that starts for it and takes what this script sends: five minutes of some thousand messages from twelve
// addresses of loopback, by UDP, TCP and TLS.
//
//     AZEKURA_BUILD=build/RELEASE PYTHONPATH=tests/support python3 tests/support/run_browser.py webui/scripts/receiver-pictures.mjs
//
// AZK_PICTURES names another folder, AZK_MINUTES another length.
import dgram from "node:dgram";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { AZK_SETUP_CODE, AZK_UDP_PORT, AZK_URL, AZK_WEBUI, WAIT, ask, button, finish, page, step, visible } from "../../tests/support/browser.mjs";

const PASSWORD = "correct horse battery";
const FOLDER = process.env.AZK_PICTURES ?? `${AZK_WEBUI}/docs`;
const MINUTES = Number(process.env.AZK_MINUTES ?? 5);
const TICK_MS = 100;
const SOURCES = 12;

let tlsPort = 0;
const card = (name) => page.locator(`section[aria-label="${name}"]`);
const stamp = () => new Date().toISOString();

function udp(address) {
    const socket = dgram.createSocket("udp4");
    return new Promise((resolve) => socket.bind(0, address, () => resolve((text) => socket.send(text, Number(AZK_UDP_PORT), "127.0.0.1"))));
}

await step("a box listens by UDP, TCP and TLS, with a certificate of an authority", async () => {
    await page.goto(AZK_URL);
    await page.getByLabel("One-time setup code").fill(AZK_SETUP_CODE);
    await page.getByLabel("Name of the administrator").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Password once more").fill(PASSWORD);
    await button("Make the administrator").click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor(WAIT);
    await page.goto(`${AZK_URL}/listeners`);
    const tls = card("Syslog by TLS");
    await button("Add an address for TLS", tls).click();
    await tls.getByLabel("Address 1").fill("127.0.0.1");
    await tls.getByLabel("Port 1").fill("0");
    await button("Save").click();
    tlsPort = Number(/:(\d+)\./.exec(await tls.getByText(/Listening at 127\.0\.0\.1:\d+\./).innerText())[1]);
});

await step("twelve senders send for some minutes, one of them with gaps", async () => {
    await ask("allow TLS");
    const client = await ask("issue fw01.example.net clientAuth");
    const senders = await Promise.all(Array.from({ length: SOURCES - 2 }, (_, i) => udp(`127.0.1.${i + 1}`)));
    const tcp = connect({ port: Number(process.env.AZK_TCP_PORT), host: "127.0.0.1", localAddress: "127.0.1.21" });
    const tls = connectTls({ port: tlsPort, host: "127.0.0.1", localAddress: "127.0.1.22", rejectUnauthorized: false, cert: client.certificate, key: client.key });
    connect({ port: tlsPort, host: "127.0.0.1", localAddress: "127.0.1.23" }).end("<13>no TLS\n");
    const end = Date.now() + MINUTES * 60_000;
    for (let n = 1; Date.now() < end; n++) {
        const many = 20 + Math.round(15 * Math.sin(n / 200));
        for (let i = 0; i < many; i++) senders[i % senders.length](`<134>1 ${stamp()} fw${i % senders.length} kernel - - - link ${i} of ${n} is up, 1000 Mbit/s full duplex`);
        // three numbers never sent, twice in a minute
        const number = n + 3 * Math.floor(n / 300);
        senders[3](`<134>1 ${stamp()} core-sw1 sshd - - [meta sequenceId="${number}"] accepted publickey for admin`);
        tcp.write(`<134>1 ${stamp()} mail1 postfix - - - ${n}: status=sent (250 2.0.0 Ok)\n`.repeat(8));
        const text = `<134>1 ${stamp()} vpn1 openvpn - - - peer ${n} connected`;
        tls.write(`${text.length} ${text}`.repeat(3));
        await page.waitForTimeout(TICK_MS);
        if (n % 100 === 0 && Date.now() + 1000 > end) break;
    }
    await page.goto(`${AZK_URL}/receiver?from=-1h`);
    await visible("Every stage keeps up.");
    for (let i = 0; i < 60; i++) {
        for (const send of senders) send(`<134>1 ${stamp()} fw kernel - - - link ${i} is up`);
        tcp.write(`<134>1 ${stamp()} mail1 postfix - - - ${i}: status=sent\n`);
        await page.waitForTimeout(TICK_MS);
    }
    await page.screenshot({ path: `${FOLDER}/receiver.png`, fullPage: true });
    tcp.end();
    tls.end();
});

await step("a list is written and names whom it would shut out", async () => {
    await page.goto(`${AZK_URL}/listeners?tab=senders`);
    await button(/^Add 127\.0\.1\.0\/24/).click();
    await page.getByLabel("Note 1").fill("firewalls of the head office");
    await page.getByLabel("Network 1", { exact: true }).fill("127.0.1.0/28");
    await visible(/Shuts out/);
    await page.screenshot({ path: `${FOLDER}/listeners.png` });
    await button("Discard changes").click();
});

await finish();
