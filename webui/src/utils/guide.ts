/* The lines that make a device send its logs here. */
export interface GuideLines {
    cisco: string;
    linux: string;
    yamaha: string;
    logger: string;
}

/** The port of "0.0.0.0:5514" or "[::]:5514"; 514 where it cannot be read. */
export function portOf(address: string): number {
    const port = Number(/:(\d{1,5})$/.exec(address)?.[1]);
    return port >= 1 && port <= 65_535 ? port : 514;
}

/** A host name as it stands in a URL: IPv6 without its brackets. */
export function plainHost(host: string): string {
    return host.replace(/^\[|\]$/g, "");
}

export function isLoopback(host: string): boolean {
    return host === "localhost" || host === "::1" || host.startsWith("127.");
}

export function guideLines(host: string, port: number): GuideLines {
    const name = plainHost(host);
    return {
        cisco: [
            "service timestamps log datetime msec show-timezone year",
            `logging host ${host} transport udp port ${port}`,
            "logging trap informational",
        ].join("\n"),
        linux: [
            `*.* action(type="omfwd" target="${host}" port="${port}" protocol="tcp"`,
            '           template="RSYSLOG_SyslogProtocol23Format" TCP_Framing="octet-counted"',
            '           queue.type="LinkedList" queue.filename="azekura" queue.maxDiskSpace="256m"',
            '           queue.saveOnShutdown="on" action.resumeRetryCount="-1")',
        ].join("\n"),
        yamaha: [`syslog host ${host}`, "syslog facility local0", "syslog notice on", "syslog info on"].join("\n"),
        logger: `logger -n ${name} -P ${port} -d -p local4.err "hello"`,
    };
}
