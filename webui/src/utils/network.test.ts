import { describe, expect, it } from "vitest";
import { isInNetwork } from "./network";

describe("an address in a network", () => {
    it.each([
        ["127.66.0.0", "127.66.0.0/16", true],
        ["127.66.255.255", "127.66.0.0/16", true],
        ["127.67.0.0", "127.66.0.0/16", false],
        ["127.65.255.255", "127.66.0.0/16", false],
        ["::ffff:127.66.1.2", "127.66.0.0/16", true],
        ["192.0.2.7", "192.0.2.7/32", true],
        ["192.0.2.8", "192.0.2.7/32", false],
        ["203.0.113.9", "0.0.0.0/0", true],
        ["2001:db8::1", "127.66.0.0/16", false],
        ["127.66.0.256", "127.66.0.0/16", false],
        ["127.66.0.1", "127.66.0.0", false],
        ["127.66.0.1", "127.66.0.0/33", false],
        ["", "", false],
    ])("%s in %s: %s", (address, network, is) => {
        expect(isInNetwork(address, network)).toBe(is);
    });
});
