import { describe, expect, it } from "vitest";
import { addClause, byteToIndex, clause, insideWords, notThis, onlyThis, pairField, quote, wantedTexts } from "./query";

describe("a clicked value", () => {
    it.each([
        ["fw01", "fw01"],
        ["192.0.2.1", "192.0.2.1"],
        ["2001:db8::1", "2001:db8::1"],
        ["postfix/smtpd", "postfix/smtpd"],
        ["a b", '"a b"'],
        ["", '""'],
        ["-x", '"-x"'],
        ['say "hi"\\', '"say \\"hi\\"\\\\"'],
        ["fw*", '"fw*"'],
        ["%LINK-3", '"%LINK-3"'],
    ])("%s is written %s", (value, text) => expect(quote(value)).toBe(text));

    it("joins the query once, however often it is clicked", () => {
        expect(onlyThis("", "hostname", "fw01")).toBe("hostname:fw01");
        expect(onlyThis("link down", "hostname", "fw01")).toBe("link down hostname:fw01");
        expect(onlyThis("link hostname:fw01 down", "hostname", "fw01")).toBe("link down hostname:fw01");
    });

    it("replaces its opposite", () => {
        expect(notThis("link hostname:fw01", "hostname", "fw01")).toBe("link -hostname:fw01");
        expect(onlyThis("-hostname:fw01", "hostname", "fw01")).toBe("hostname:fw01");
    });

    it("does not fall under one side of OR", () => {
        expect(addClause("a OR b", clause("severity", "err"))).toBe("(a OR b) severity:err");
        expect(addClause("(a OR b) c", clause("severity", "err"))).toBe("(a OR b) c severity:err");
    });

    it("leaves a phrase that contains the same text alone", () => {
        expect(onlyThis('"hostname:fw01 is down"', "hostname", "fw01")).toBe('"hostname:fw01 is down" hostname:fw01');
    });
});

describe("a clicked pair", () => {
    it.each([
        ["srcip", "10.0.0.7", "kv.srcip:10.0.0.7"],
        ["src zone", "Null", 'kv."src zone":Null'],
        ["Protocol(1001)", "TCP", 'kv."Protocol(1001)":TCP'],
        ['a"b', 'say "hi"', 'kv."a\\"b":"say \\"hi\\""'],
        ["msg", "", 'kv.msg:""'],
        ["ports", "1..5", 'kv.ports:"1..5"'],
        ["版", "値", "kv.版:値"],
    ])("%s = %s is asked for as it stands", (name, value, text) => expect(clause(pairField(name), value)).toBe(text));

    it("joins the query once and replaces its opposite", () => {
        const field = pairField("src zone");
        expect(onlyThis('kv."src zone":Null x', field, "Null")).toBe('x kv."src zone":Null');
        expect(notThis('x kv."src zone":Null', field, "Null")).toBe('x -kv."src zone":Null');
        expect(onlyThis("-kv.a:(b OR c)", "hostname", "h")).toBe("-kv.a:(b OR c) hostname:h");
    });
});

describe("searching inside words", () => {
    it.each([
        ["link down", "*link* *down*"],
        ['err "a phrase" hostname:fw01 -not', '*err* "a phrase" hostname:fw01 -not'],
        ["a OR (b c)", "*a* OR (*b* *c*)"],
    ])("widens %s to %s", (query, wide) => expect(insideWords(query)).toBe(wide));

    it.each(["", '"a phrase"', "*link*", "severity:err", "-x"])("has nothing to widen in %s", (query) => expect(insideWords(query)).toBeNull());
});

describe("what a found message contains", () => {
    it.each([
        ["link down", ["link", "down"]],
        ['"a phrase" x', ["a phrase", "x"]],
        ["fail* -skip NOT this", ["fail"]],
        ["hostname:fw01 message:port", ["port"]],
        ["(a OR b)", ["a", "b"]],
        ['kv.action:deny -kv.a:b kv."x y":"p q" kv.n:>5 kv.n:1..9 kv.f:*', ["deny", "p q"]],
        ["kv.host:fw-* kv.a:(b OR c) kv.http", ["fw-", "kv.http"]],
        ["10:41:07 http://x/y -> --force", ["10:41:07", "http://x/y", "->", "--force"]],
        ["-10.0.0.1 -%LINK", []],
        ["", []],
    ])("in %s", (query, texts) => expect(wantedTexts(query)).toEqual(texts));
});

describe("the place of an error", () => {
    it("is told in bytes of UTF-8 and shown in characters", () => {
        expect(byteToIndex("abc", 2)).toBe(2);
        expect(byteToIndex("障害 x", 7)).toBe(3);
        expect(byteToIndex("𠮷x", 4)).toBe(2);
        expect(byteToIndex("abc", 99)).toBe(3);
    });
});
