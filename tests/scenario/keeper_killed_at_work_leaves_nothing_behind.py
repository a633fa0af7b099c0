#!/usr/bin/env python3
"""The keeper is killed, and its server processes are ended, in the middle of splits, deletions and rewrites, while senders move
between groups that are renamed and whose quotas are more than there is: every message is stored or in a receipt, no table
is left over, and the month comes within its budget."""

import collections
import itertools
import random
import threading
import time

from azk import Product, run, wait_for
from noise import TABLE

CAPACITY = 200_000_000
BUDGET = CAPACITY // 5
SOURCES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
ROUNDS = 12
AT_WORK = ("select count(pg_terminate_backend(pid)) from pg_stat_activity where usename = 'azekura_keeper'"
           " and state <> 'idle' and query ~ '{}'")


class Sender(threading.Thread):
    def __init__(self, box, source):
        super().__init__(daemon=True)
        self.box, self.source = box, source
        self.sent = 0
        self.is_over = False

    def run(self):
        noise = random.Random(self.source)
        while not self.is_over:
            self.sent += self.box.send_tcp(
                (b"<%d>host app: %d %s" % (8 + i % 8, i, noise.randbytes(4000).translate(TABLE)) for i in range(200)),
                rate=400, source=self.source)


def pieces_bytes(box):
    return int(box.value("select coalesce(sum(bytes), 0) from azekura.piece_size"))


def group(name, sources):
    """80 % of the month for each of three."""
    return {"name": name, "quota_percent": 80, "keep_days": None, "members": [f"{s}/32" for s in sources]}


def assert_pieces(box):
    wrong = box.psql("""
        select coalesce(d.name, c.relname) from azekura.day_partition d full join
            (select relname from pg_class where relnamespace = 'azekura'::regnamespace and relkind = 'r'
                and (relname like 'log_block\\_%')) c on c.relname = d.name
         where d.name is null or c.relname is null""")
    assert not wrong, f"tables and pieces do not agree: {wrong}"
    wrong = box.psql("select relname from pg_class where relname like 'log_block\\_%' and relkind = 'r' and not relispartition")
    assert not wrong, f"not attached: {wrong}"
    wrong = box.psql("""
        select d.name, d.messages, b.n, d.raw_bytes, b.r from azekura.day_partition d left join
            (select tableoid::regclass::text as part, sum(messages) n, sum(raw_bytes) r from azekura.log_block group by 1) b
            on b.part = 'azekura.' || d.name
         where (d.messages, d.raw_bytes) is distinct from (coalesce(b.n, 0), coalesce(b.r, 0))""")
    assert not wrong, f"counted is not what is there: {wrong}"


def main():
    with Product({"storage.capacity_bytes": CAPACITY, "store.compact_after_seconds": 5}) as box:
        box.allow_errors("terminating connection|canceling statement|connection to client lost|database went away"
                         "|could not send data to client")
        for i, source in enumerate(SOURCES):
            box.api("POST", "/retention/groups", group(f"group {i}", [source]), expect=201)
        ids = [g["id"] for g in box.api("GET", "/retention")["groups"] if g["id"]]
        senders = [Sender(box, s) for s in SOURCES]
        for s in senders:
            s.start()
        done = collections.Counter()
        what = itertools.cycle(["split_piece", "drop_pieces", "rewrite_piece|compact"])
        wait_for(lambda: pieces_bytes(box) > BUDGET // 2, "half a budget")
        for n in range(ROUNDS):
            kind = next(what)
            until = time.monotonic() + 2.5
            hit = 0
            while not hit and time.monotonic() < until:
                hit = int(box.value(AT_WORK.format(kind)))
            done[kind] += hit
            box.kill("keeper")
            box.start("keeper")
            order = SOURCES[n % 3:] + SOURCES[:n % 3]
            for members in ([], order):  # a sender is of one group at a time
                for i, g in enumerate(ids):
                    box.api("PUT", f"/retention/groups/{g}", group(f"renamed {n} {i}", members[i:i + 1]))
            if n % 4 == 3:
                assert_pieces(box)
        for s in senders:
            s.is_over = True
        for s in senders:
            s.join()
        sent = sum(s.sent for s in senders)
        box.wait_for_arrived(sent)
        wait_for(lambda: box.queued() == 0, "nothing is queued")
        wait_for(lambda: pieces_bytes(box) <= BUDGET, "within the budget")
        box.stop("keeper")
        sums = box.ledger()
        kept = int(box.value("select count(*) from azekura.logs"))
        gone = int(box.value("select coalesce(sum((detail ->> 'messages')::bigint), 0) from azekura.audit"
                             " where action = 'retention.delete'"))
        assert sums["stored"] == kept + gone, f"{sums}: {kept} are kept, {gone} in receipts"
        assert sums["stored"] + sums["refused"] + sums["kernel"] == sent, f"{sent} sent: {sums}"
        assert_pieces(box)
        print(f"{sent} messages, {gone} of them in receipts; ended in the middle: {dict(done)}")


if __name__ == "__main__":
    run(main)
