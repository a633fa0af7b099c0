/* The lines that make a device send its logs here. */

/** Of each listener the port that devices of the network reach; null: it does not listen. */
export interface Ports {
    udp: number | null;
    tcp: number | null;
    tls: number | null;
}

export type Device = "cisco" | "fortigate" | "linux" | "linuxTls" | "yamaha" | "logger";

/** The port of the first address of "127.0.0.1:5514,[::]:514" that is not this machine's alone, else of the first. */
export function portOf(addresses: string): number | null {
    const all = addresses.split(",").map((address) => /^(.*):(\d{1,5})$/.exec(address.trim()));
    const found = all.find((m) => m && !isLoopback(plainHost(m[1] ?? ""))) ?? all.find((m) => m);
    const port = Number(found?.[2]);
    return port >= 1 && port <= 65_535 ? port : null;
}

/** A host name as it stands in a URL: IPv6 without its brackets. */
export function plainHost(host: string): string {
    return host.replace(/^\[|\]$/g, "");
}

export function isLoopback(host: string): boolean {
    return host === "localhost" || host === "::1" || host.startsWith("127.");
}

const QUEUE = [
    '           template="RSYSLOG_SyslogProtocol23Format" TCP_Framing="octet-counted"',
    '           queue.type="LinkedList" queue.filename="azekura" queue.maxDiskSpace="256m"',
    '           queue.saveOnShutdown="on" action.resumeRetryCount="-1")',
];

function fortigate(name: string, { udp, tcp, tls }: Ports): string {
    const way = udp !== null ? [`set mode udp`, `set port ${udp}`] : tls !== null ? ["set mode reliable", `set port ${tls}`, "set enc-algorithm high"] : ["set mode reliable", `set port ${tcp}`];
    return ["config log syslogd setting", ...["set status enable", `set server "${name}"`, ...way].map((line) => `    ${line}`), "end"].join("\n");
}

/** What to write into each kind of device that can reach one of the listeners. */
export function guideLines(host: string, ports: Ports): Partial<Record<Device, string>> {
    const name = plainHost(host);
    const { udp, tcp, tls } = ports;
    const plain = udp ?? tcp;
    const lines: Partial<Record<Device, string>> = {};
    if (plain !== null) {
        lines.cisco = [
            "service timestamps log datetime msec show-timezone year",
            "service sequence-numbers",
            `logging host ${name} transport ${udp !== null ? "udp" : "tcp"} port ${plain}`,
            "logging trap informational",
        ].join("\n");
    }
    if (plain !== null || tls !== null) lines.fortigate = fortigate(name, ports);
    if (plain !== null) {
        const protocol = tcp !== null ? "tcp" : "udp";
        const rest = tcp !== null ? QUEUE : ['           template="RSYSLOG_SyslogProtocol23Format")'];
        lines.linux = [`*.* action(type="omfwd" target="${name}" port="${tcp ?? udp}" protocol="${protocol}"`, ...rest].join("\n");
    }
    if (tls !== null) {
        lines.linuxTls = [
            `*.* action(type="omfwd" target="${name}" port="${tls}" protocol="tcp"`,
            '           StreamDriver="ossl" StreamDriverMode="1" StreamDriverAuthMode="x509/certvalid"',
            '           StreamDriver.CAFile="/etc/ssl/certs/azekura.pem"',
            ...QUEUE,
        ].join("\n");
    }
    if (udp !== null) lines.yamaha = [`syslog host ${name}`, "syslog facility local0", "syslog notice on", "syslog info on"].join("\n");
    if (plain !== null) lines.logger = `logger -n ${name} -P ${plain} ${udp !== null ? "-d" : "-T"} -p local4.err "hello"`;
    return lines;
}
