#!/usr/bin/env python3
"""Under shed, near the budget, the real receiver refuses the least severe messages and counts them, and takes what is
severe; with another policy all are stored again."""

import random

from azk import Product, run, wait_for
from noise import TABLE

CAPACITY = 300_000_000
BUDGET = CAPACITY * 2 // 100
NOISE = random.Random(3)


def message(severity):
    return b"<%d>host app: %s" % (8 + severity, NOISE.randbytes(8000).translate(TABLE))


def refused(box):
    return int(box.value("select coalesce(sum(over_budget), 0) from azekura.ledger"))


def main():
    settings = {"storage.capacity_bytes": CAPACITY, "retention.month_share_percent": 2, "retention.over_budget": "shed"}
    with Product(settings) as box:
        box.allow_errors("canceling statement due to")
        sent = 0

        def send(severity, n, rate=100):
            nonlocal sent
            sent += box.send_tcp((message(severity) for _ in range(n)), rate=rate)

        def debug_is_refused():
            send(7, 50)
            return refused(box) > 0

        wait_for(debug_is_refused, "debug messages are refused near the budget")
        wait_for(lambda: int(box.value("select count(*) from azekura.event where kind = 'retention.shed'")) > 0, "an event")
        before = int(box.value("select count(*) from azekura.logs where severity = 1"))
        assert before == 0
        send(1, 20)
        box.wait_for_arrived(sent)
        assert int(box.value("select count(*) from azekura.logs where severity = 1")) == 20, "an alert was refused"
        # between two looks a severe burst may be over it for a moment; then the oldest part goes
        wait_for(lambda: int(box.value("select sum(pg_total_relation_size(inhrelid)) from pg_inherits"
                                       " where inhparent = 'azekura.log_block'::regclass")) <= BUDGET,
                 "the month is within its budget")
        box.api("PATCH", "/settings", {"retention.over_budget": "warn"})
        wait_for(lambda: box.value("select count(*) from azekura.shed") == "0", "nothing is to be refused any more")

        def debug_is_stored():
            at = refused(box)
            send(7, 10)
            box.wait_for_arrived(sent)
            return refused(box) == at

        wait_for(debug_is_stored, "debug messages are stored again")
        assert box.value("select count(*) from azekura.event where kind = 'retention.shed_ended'") == "1"
        sums = box.ledger()
        deleted = int(box.value("select coalesce(sum((detail ->> 'messages')::bigint), 0) from azekura.audit"
                                " where action = 'retention.delete'"))
        assert sums["arrived"] == sent and sums["arrived"] == sums["stored"] + sums["refused"], (sent, sums)
        assert int(box.value("select count(*) from azekura.logs")) + deleted == sums["stored"]
        print(f"{sent} sent, {sums}, {deleted} deleted")


if __name__ == "__main__":
    run(main)
