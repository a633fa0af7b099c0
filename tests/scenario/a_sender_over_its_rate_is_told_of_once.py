"""A sender that sends more than its limit is refused what is beyond it, counted exactly (rate_limit), and one message of the
box tells how many that were; a quiet sender beside it loses nothing.  The limit of a network comes before the general
one, both without restart."""

import json
import re

from azk import Product, run, wait_for

LOUD, QUIET, FREE = "127.0.0.2", "127.0.0.3", "127.0.0.4"
BURST, LOUD_N = 50, 5000


def counts(box, source):
    """(stored of its own, refused for its rate)"""
    row = box.psql("select coalesce(sum(stored), 0), coalesce(sum(rate_limit), 0), coalesce(sum(refused), 0)"
                   f" from azekura.ledger where source = '{source}'")[0]
    assert row[1] == row[2], row
    return int(row[0]), int(row[1])


def messages(n, text):
    return [f"<13>Mar 10 12:00:00 h app: {text} {i}".encode() for i in range(n)]


def main():
    with Product({"store.flush_ms": "50"}, daemons=("receiver",)) as box:
        limits = json.dumps([{"network": "127.0.0.0/24", "rate": 1, "burst": BURST},
                             {"network": FREE, "rate": 0, "burst": 1}])
        assert not box.psql(f"select * from azekura.set_limit_list('{limits}', 'scenario')")
        sent = {LOUD: 0, QUIET: 0, FREE: 0}
        while counts(box, LOUD)[1] == 0:  # until the limit is in force
            sent[LOUD] += box.send_tcp(messages(BURST * 3, "probe"), source=LOUD)
            box.wait_for_arrived(sum(sent.values()))
        before = counts(box, LOUD)

        sent[LOUD] += box.send_tcp(messages(LOUD_N, "loud"), source=LOUD)
        sent[QUIET] += box.send_tcp(messages(BURST, "quiet"), source=QUIET)
        sent[FREE] += box.send_tcp(messages(LOUD_N, "free"), source=FREE)
        box.assert_ledger(sent=sum(sent.values()))
        stored, refused = counts(box, LOUD)
        assert stored + refused == sent[LOUD], (stored, refused, sent)
        # a burst at most, and a message for each second that it took
        assert refused - before[1] >= LOUD_N // 2, (before, stored, refused)
        assert counts(box, QUIET) == (BURST, 0) and counts(box, FREE) == (LOUD_N, 0)

        # the general limit is for who has none of a network
        limits = json.dumps([{"network": LOUD, "rate": 1, "burst": BURST}])
        assert not box.psql(f"select * from azekura.set_limit_list('{limits}', 'scenario')")
        box.psql("insert into azekura.setting (name, value, changed_by) values ('receiver.rate_limit', '1', 'x'),"
                 " ('receiver.rate_burst', '7', 'x')")
        while counts(box, FREE)[1] == 0:
            sent[FREE] += box.send_tcp(messages(100, "limited"), source=FREE)
            box.wait_for_arrived(sum(sent.values()))

        # what was refused is told when the minute is over, or the receiver stops: in all exactly what the ledger counts
        box.stop("receiver")
        box.start("receiver")
        told = {}
        rows = box.psql("select host(source), listener, severity, hostname, message from azekura.logs"
                        " where app_name = 'azekura' and msgid = 'RATELIMIT'")
        for source, listener, severity, hostname, message in rows:
            m = re.fullmatch(r"(\d+) messages from (\S+) by tcp were refused in the minute since \S+Z: over 1 messages/s",
                             message)
            assert m and m[2] == source and listener == "tcp" and severity == "4", (source, message)
            told[source] = told.get(source, 0) + int(m[1])
        assert told == {s: counts(box, s)[1] for s in (LOUD, FREE)}, (told, rows)
        summaries = len(rows)
        box.assert_ledger(sent=sum(sent.values()) + summaries)
        wait_for(lambda: box.value("select sum(rate_limit) from azekura.ledger_total") == str(sum(told.values())),
                 "the total has the same number")


run(main)
