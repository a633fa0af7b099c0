import { describe, expect, it } from "vitest";
import { contains, readAddress, readNetwork, usualNetwork, writeNetwork } from "./cidr";

const net = (text: string) => {
    const n = readNetwork(text);
    if (!n) throw new Error(text);
    return n;
};

describe("networks", () => {
    it.each([
        ["192.0.2.7", "192.0.2.7"],
        ["192.0.2.7/24", "192.0.2.0/24"],
        [" 10.0.0.0/8 ", "10.0.0.0/8"],
        ["0.0.0.0/0", "0.0.0.0/0"],
        ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
        ["2001:db8::1/32", "2001:db8::/32"],
        ["::/0", "::/0"],
        ["::1", "::1"],
        ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
        ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
        ["::ffff:192.0.2.1", "192.0.2.1"],
    ])("%s is written as %s", (text, written) => expect(writeNetwork(net(text))).toBe(written));

    it.each(["", "192.0.2", "192.0.2.256", "192.0.2.0/33", "192.0.2.0/", "192.0.2.0/24/3", "fw01", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "::/129", "1:2:3:4:5:6:7::8"])(
        "%j is none",
        (text) => expect(readNetwork(text)).toBeNull(),
    );

    it("contain the addresses within and no others", () => {
        expect(contains(net("192.0.2.0/24"), net("192.0.2.255"))).toBe(true);
        expect(contains(net("192.0.2.0/24"), net("192.0.3.0"))).toBe(false);
        expect(contains(net("192.0.2.0/24"), net("192.0.0.0/16"))).toBe(false);
        expect(contains(net("0.0.0.0/0"), net("2001:db8::1"))).toBe(false);
        expect(contains(net("2001:db8::/32"), net("2001:db8:1::/48"))).toBe(true);
        expect(contains(net("192.0.2.1"), net("::ffff:192.0.2.1"))).toBe(true);
    });

    it("of an address are called by what is usual", () => {
        expect(writeNetwork(usualNetwork(net("192.0.2.77")))).toBe("192.0.2.0/24");
        expect(writeNetwork(usualNetwork(net("2001:db8:1:2:3::9")))).toBe("2001:db8:1:2::/64");
    });

    it("are no addresses", () => expect(readAddress("192.0.2.0/24")).toBeNull());
});
