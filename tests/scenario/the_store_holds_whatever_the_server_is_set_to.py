"""Cases of the corpus about the database: sessions of it that are ended leave no flood of warnings, numbers of messages beyond 2^53
stay apart, thousands of different words are stored and found, quotes and backslashes are text however the server reads strings,
and an instant is the same whatever zones receiver, session and reader have.  And a log-in under a name with markup is data."""

import base64
import datetime
import json
import random
import urllib.parse

from azk import Product, run, wait_for

QUOTES = "O'Brien said \"x\" \\ '' \\' ; DROP TABLE messages; -- $1 %s E'\\x41'"
SHIFT_JIS = b"<13>1 - h quotes - - - " + "表示 ソ".encode("shift_jis") + b"\\"
NAME = "<script>alert(1)</script>"
WORDS = 200_000


def found(box, query):
    return box.api("GET", f"/logs?limit=100&order=asc&query={urllib.parse.quote(query)}")["entries"]


def quotes(box):
    """With strings as the standard says, and as PostgreSQL once took them."""
    sent = 0
    for setting in ("off", "on"):
        box.psql(f"alter database {box.cluster.database} set standard_conforming_strings = {setting}")
        for daemon in ("receiver", "web"):
            box.stop(daemon)
            box.start(daemon)
        sent += box.send_udp([f"<13>1 - h quotes - - - {setting} {QUOTES}".encode(), SHIFT_JIS], source="127.0.33.1")
        wait_for(lambda: len(found(box, "source:127.0.33.1")) == sent, "both are found")
        typed = QUOTES.replace("\\", "\\\\").replace('"', '\\"')
        got = found(box, f'source:127.0.33.1 "{setting} {typed}"')
        assert [e["message"] for e in got] == [f"{setting} {QUOTES}"], got
    raws = [box.api("GET", f"/logs/{e['id']}/raw") for e in found(box, "source:127.0.33.1")]
    assert raws.count(SHIFT_JIS) == 2 and len(raws) == 4, raws
    return sent


def words(box):
    """As many different words as break a text index, in one block: messages of just under the limit."""
    names = [f"w{i:06}" for i in range(WORDS)]
    parts = [names[i:i + 8000] for i in range(0, WORDS, 8000)]
    sent = box.send_tcp([b"<13>1 - h words - - - " + " ".join(p).encode() for p in parts], True, source="127.0.31.1")
    wait_for(lambda: len(found(box, "source:127.0.31.1")) == len(parts), "they are found")
    for word in random.Random(1).sample(names, 5) + names[-1:]:
        assert len(found(box, f"app_name:words {word}")) == 1, word
    return sent


def numbers(box):
    """Ids are text in JSON, so no reader makes a double of them; the numbers behind them are beyond 2^53 from the first day on."""
    assert int(box.value("select min(first_seq) from azekura.log_block")) > 2**53
    sent = box.send_udp([b"<13>1 - h numbers - - - %d" % i for i in range(3)], source="127.0.28.1")
    wait_for(lambda: len(found(box, "source:127.0.28.1")) == 3, "they are found")
    ids = [e["id"] for e in found(box, "source:127.0.28.1")]
    assert len(set(ids)) == 3 and all(isinstance(i, str) for i in ids), ids
    assert [box.api("GET", f"/logs/{i}")["entry"]["message"] for i in ids] == ["0", "1", "2"]
    return sent


def zones(box):
    sent = box.send_udp([b"<13>1 2026-03-10T12:00:00Z h zones - - - with a zone", b"<13>2026-03-10 21:00:00 h zones: without one"], source="127.0.35.1")
    wait_for(lambda: len(found(box, "source:127.0.35.1")) == 2, "they are found")
    got = [e["reported_at"] for e in found(box, "source:127.0.35.1")]
    assert [datetime.datetime.fromisoformat(t) for t in got] == [datetime.datetime(2026, 3, 10, 12, tzinfo=datetime.timezone.utc)] * 2, got
    for zone in ("America/New_York", "Europe/Berlin"):
        got = box.value(f"set timezone = '{zone}'; select count(*) from azekura.logs where source = '127.0.35.1'"
                        " and reported_at = '2026-03-10 12:00Z' and received_at > now() - interval '5 min'")
        assert got == "2", (zone, got)
    return sent


def ended_sessions(box):
    """While messages come in, every session of the receiver is ended, again and again."""
    sent = 0
    for _ in range(10):
        sent += box.send_udp([b"<13>1 - h ended - - - %d" % i for i in range(200)])
        box.psql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'azekura_receiver'")
        wait_for(lambda: box.ledger()["stored"] >= sent + box.before, "they are stored")
    log = box.cluster.log_text()
    for flood in ("already a transaction in progress", "current transaction is aborted", "no transaction in progress", "WARNING"):
        assert flood not in log, flood
    return sent


def markup(box):
    body = json.dumps({"name": NAME, "password": base64.b64encode(NAME.encode()).decode()})
    reply = box.request("POST", "/api/v1/session", body=body, headers={"Content-Type": "application/json"})
    assert reply.status == 401 and reply.headers["Content-Type"].startswith("application/json"), (reply.status, reply.headers)
    assert NAME not in reply.body.decode(), "the name is given back"
    assert "script-src" in (reply.headers["Content-Security-Policy"] or "") or reply.headers["X-Content-Type-Options"] == "nosniff"


def main():
    with Product({"time.zone": "Asia/Tokyo"}, daemons=("receiver", "web")) as box:
        box.allow_errors(r"terminating|connection lost|closed the connection|server closed")
        box.psql(f"alter database {box.cluster.database} set timezone = 'America/New_York'")
        sent = quotes(box)
        sent += words(box) + numbers(box) + zones(box)
        box.wait_for_stored(sent)
        box.before = sent
        sent += ended_sessions(box)
        markup(box)
        box.assert_ledger(sent=sent)


if __name__ == "__main__":
    run(main)
