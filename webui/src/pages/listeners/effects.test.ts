import { describe, expect, it } from "vitest";
import settingsDef from "../../../../firmware/config/settings.def?raw";
import type { Setting } from "../../api/types";
import { effectsOf } from "./effects";
import { countDifferent } from "./useListForm";

const t = (key: string, values?: Record<string, string | number>) => (values ? `${key} ${Object.values(values).join(" ")}` : key);
const setting = (name: string, value: string | number, scope: Setting["scope"] = "live"): Setting => ({
    name, value, scope, type: "string", default: value, min: 0, max: 255, unit: "", choices: [], help_en: "", help_ja: "", changed_at: null, changed_by: null,
});

describe("what saving does", () => {
    it("names the addresses that are opened and closed", () => {
        expect(effectsOf([setting("listen.udp", "0.0.0.0:514")], { "listen.udp": "[::]:514" }, t)).toEqual([
            { text: "does.opens UDP [::]:514", isWarning: false },
            { text: "does.closesUdp UDP 0.0.0.0:514", isWarning: true },
        ]);
        expect(effectsOf([setting("listen.tls", "")], { "listen.tls": "[::]:6514" }, t).map((e) => e.text)).toContain("does.firstTls");
    });

    it("tells of a restart once, and of what is the same for two settings once", () => {
        const two = [setting("receiver.tcp_max_connections", 1, "restart"), setting("receiver.tcp_framing", "auto"), setting("receiver.tls_framing", "auto")];
        const draft = { "receiver.tcp_max_connections": "2", "receiver.tcp_framing": "counted", "receiver.tls_framing": "counted" };
        expect(effectsOf(two, draft, t).map((e) => e.text)).toEqual(["does.maxConnections", "does.restart", "does.framing"]);
    });

    it("warns of what cuts somebody off", () => {
        const rate = [setting("receiver.rate_limit", 0)];
        expect(effectsOf(rate, { "receiver.rate_limit": "10" }, t)[0]?.isWarning).toBe(true);
        expect(effectsOf(rate, { "receiver.rate_limit": "0" }, t)[0]?.isWarning).toBe(false);
    });

    it("is known of every setting that the page shows", () => {
        const names = ["tcp_framing", "tls_framing", "tcp_max_connections", "tcp_max_per_source", "tls_max_half_open", "tcp_idle_seconds", "unfinished_seconds", "handshake_seconds", "rate_limit", "rate_burst", "tls_clients", "tls_min_version"];
        for (const name of names.map((n) => `receiver.${n}`)) {
            expect(settingsDef, name).toContain(`"${name}"`);
            expect(effectsOf([setting(name, "")], { [name]: "x" }, t), name).toHaveLength(1);
        }
    });
});

describe("rows that differ", () => {
    it("count once when they are changed", () => {
        expect(countDifferent([{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 3 }])).toBe(1);
        expect(countDifferent([{ a: 1 }], [])).toBe(1);
        expect(countDifferent([], [{ a: 1 }, { a: 2 }])).toBe(2);
        expect(countDifferent([{ a: 1 }], [{ a: 1 }])).toBe(0);
    });
});
