"""NUL bytes, invalid UTF-8, 64 KiB, nothing at all, markup: stored, found, shown as text, and the raw bytes
come back exactly."""

from azk import Product, run, wait_for

CASES = [
    ("nul", b"<13>Nov 30 12:34:56 h a: nul before\x00after"),
    ("broken", b"<13>Nov 30 12:34:56 h a: broken \xff\xfe\xc3( \xed\xa0\x80 text"),
    ("script", b"<13>Nov 30 12:34:56 h a: script <script>alert(1)</script>&amp;\"'"),
    ("plain", b"plain text without any priority"),
    ("brackets", b"<999999999999999999999>brackets"),
    ("long", b"<13>Nov 30 12:34:56 h a: long " + b"x" * (65000 - 30)),
    ("control", b"<13>Nov 30 12:34:56 h a: control \x1b[31m\x07\x08 red"),
    ("crlf", b"<13>Nov 30 12:34:56 h a: crlf first\r\nsecond\r\n"),
]
TCP_ONLY = [
    ("sixtyfour", b"<13>1 2026-11-30T12:34:56Z h a - - - sixtyfour " + b"y" * (65536 - 48)),
]


def entry_of(box, word):
    entries = box.api("GET", f"/logs?query={word}")["entries"]
    assert len(entries) == 1, f"{word}: {len(entries)} entries"
    return entries[0]


def raw_of(box, entry):
    reply = box.request("GET", f"/api/v1/logs/{entry['id']}/raw", headers={"Authorization": f"Bearer {box.token()}"})
    assert reply.status == 200, f"{entry['id']}: {reply.status}"
    return reply.body


def check(box, cases, listener):
    for word, raw in cases:
        entry = entry_of(box, f"{word} listener:{listener}".replace(" ", "%20"))
        got = raw_of(box, entry)
        assert got == raw, f"{word} by {listener}: {len(got)} raw bytes, begins {got[:80]!r}"
        assert entry["message"].isprintable() or word in ("control", "crlf"), f"{word}: {entry['message'][:80]!r}"
        assert "\0" not in entry["message"], word


def check_texts(box):
    for listener in ("udp", "tcp"):
        def text(word, listener=listener):
            return entry_of(box, f"{word}%20listener:{listener}")["message"]
        assert text("nul") == "nul before\u2400after", repr(text("nul"))
        assert "\ufffd" in text("broken") and text("broken").endswith("text"), repr(text("broken"))
        assert text("script") == "script <script>alert(1)</script>&amp;\"'", repr(text("script"))
        assert text("plain") == "plain text without any priority"


def check_nothing_at_all(box):
    """A datagram may hold nothing; a frame of TCP cannot (RFC 6587: the count does not begin with 0)."""
    rows = box.psql("select id, facility, severity, format from azekura.logs where message = ''")
    assert len(rows) == 1, f"one empty datagram was sent, found {rows}"
    assert rows[0][1:] == ("1", "5", "raw"), rows
    assert raw_of(box, {"id": rows[0][0]}) == b"", rows


def main():
    with Product() as box:
        box.send_udp([raw for _, raw in CASES] + [b""])
        box.send_tcp([raw for _, raw in CASES + TCP_ONLY], is_counted=True)
        sent = 2 * len(CASES) + len(TCP_ONLY) + 1
        box.assert_ledger(sent=sent)
        wait_for(lambda: box.ledger()["stored"] == sent, "all are stored")
        check(box, CASES, "udp")
        check(box, CASES + TCP_ONLY, "tcp")
        check_texts(box)
        check_nothing_at_all(box)
        page = box.request("GET", "/api/v1/logs?query=script", headers={"Authorization": f"Bearer {box.token()}"})
        assert page.headers["Content-Type"].startswith("application/json"), page.headers["Content-Type"]
        assert page.headers["X-Content-Type-Options"] == "nosniff"


if __name__ == "__main__":
    run(main)
