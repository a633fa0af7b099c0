import { describe, expect, it } from "vitest";
import { bytesToText, hexLines, visible, visibleLines } from "./bytes";
import { guideLines, isLoopback, plainHost, portOf } from "./guide";

describe("bytes as received", () => {
    it("are shown as text without hiding any", () => {
        expect(bytesToText(new TextEncoder().encode("a\0b\nc\td\x7f"))).toBe("a␀b␊c\td␡");
        expect(bytesToText(new Uint8Array([0x61, 0xff, 0xfe]))).toBe("a\ufffd\ufffd");
        expect(bytesToText(new TextEncoder().encode("a\u202eb"))).toBe("a<U+202E>b");
    });

    it("are shown in hex, sixteen a line", () => {
        const lines = hexLines(new TextEncoder().encode("<34>link down on port 7"));
        expect(lines).toHaveLength(2);
        expect(lines[0]).toEqual({ offset: "000000", hex: "3c 33 34 3e 6c 69 6e 6b 20 64 6f 77 6e 20 6f 6e", ascii: "<34>link down on" });
        expect(lines[1]?.offset).toBe("000010");
        expect(hexLines(new Uint8Array())).toEqual([]);
    });

    it("keep a byte order mark", () => expect(bytesToText(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toBe("<U+FEFF>a"));
});

describe("text from the network", () => {
    it.each([
        ["a\nb\tc\x1b[0m", "a␊b\tc␛[0m"],
        ["\u009b31m\u0085\x7f", "<U+009B>31m<U+0085>␡"],
        ["photo\u202egpj.exe", "photo<U+202E>gpj.exe"],
        ["\u2066x\u2069\u200f\u061c", "<U+2066>x<U+2069><U+200F><U+061C>"],
        ["ad\u200bmin\ufeff\u00ad\u2028", "ad<U+200B>min<U+FEFF><U+00AD><U+2028>"],
        ["\u{e0041}", "<U+E0041>"],
        ["مرحبا שלום 日本語 👩\u200d💻 é", "مرحبا שלום 日本語 👩\u200d💻 é"],
    ])("%j hides nothing and keeps its order", (text, shown) => expect(visible(text)).toBe(shown));

    it("keeps its lines where there is room for them", () => expect(visibleLines("a\r\nb\u202e")).toBe("a␍\nb<U+202E>"));
});

describe("the lines for devices", () => {
    it("read the port of a listener", () => {
        expect(portOf("0.0.0.0:5514")).toBe(5514);
        expect(portOf("[::]:1514")).toBe(1514);
        expect(portOf("127.0.0.1:6000, 192.0.2.5:1514,[::]:1515")).toBe(1514);
        expect(portOf("127.0.0.1:6000")).toBe(6000);
        expect(portOf("")).toBeNull();
    });

    it("name this box and the port of each listener", () => {
        const lines = guideLines("192.0.2.5", { udp: 5514, tcp: 601, tls: 6514 });
        expect(lines.cisco).toContain("logging host 192.0.2.5 transport udp port 5514");
        expect(lines.fortigate).toContain("set mode udp\n    set port 5514\n");
        expect(lines.linux).toContain('target="192.0.2.5" port="601" protocol="tcp"');
        expect(lines.linuxTls).toContain('port="6514" protocol="tcp"\n           StreamDriver="ossl"');
        expect(lines.yamaha).toContain("syslog host 192.0.2.5");
        expect(guideLines("[2001:db8::1]", { udp: 514, tcp: null, tls: null }).logger).toContain("-n 2001:db8::1 -P 514 -d");
    });

    it("are only for listeners that there are", () => {
        expect(guideLines("b", { udp: null, tcp: null, tls: null })).toEqual({});
        expect(Object.keys(guideLines("b", { udp: null, tcp: null, tls: 6514 }))).toEqual(["fortigate", "linuxTls"]);
        const tcp = guideLines("b", { udp: null, tcp: 601, tls: null });
        expect(tcp.cisco).toContain("transport tcp port 601");
        expect(tcp.logger).toContain("-P 601 -T");
        expect(tcp.yamaha).toBeUndefined();
        expect(guideLines("b", { udp: 514, tcp: null, tls: null }).linux).toContain('port="514" protocol="udp"');
    });

    it("know an address that no device can reach", () => {
        expect(isLoopback("127.0.0.1") && isLoopback("localhost") && isLoopback("::1")).toBe(true);
        expect(isLoopback("192.0.2.1")).toBe(false);
        expect(plainHost("[::1]")).toBe("::1");
    });
});
