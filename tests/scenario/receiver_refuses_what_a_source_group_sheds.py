"""While a source group sheds, its messages of that severity and less severe ones are refused for over_budget and counted,
exactly; other groups and more severe ones are stored.  A receiver that starts without its database remembers it, and
when the level is gone everything is stored again."""

from azk import Product, run, wait_for

EACH = 200
LAB = "127.0.0.2"


def of_all_severities(n, text):
    for i in range(n):
        for severity in range(8):
            yield f"<{8 + severity}>1 2026-11-30T12:00:00Z host app - - - {text} {severity} {i}".encode()


def counts(box):
    """{(sender, over_budget, stored)} of the ledger; nothing else may have been refused."""
    rows = box.psql("select host(source), sum(over_budget), sum(stored), sum(refused) - sum(over_budget)"
                    " from azekura.ledger group by 1 order by 1")
    assert all(row[3] == "0" for row in rows), rows
    return {row[0]: (int(row[1]), int(row[2])) for row in rows}


def send_until(box, severity, is_refused):
    """Single messages of the lab until one is refused, or until one is stored; (refused, stored)."""
    refused = stored = 0
    before = counts(box).get(LAB, (0, 0))
    while (refused if is_refused else stored) == 0:
        sent = refused + stored + box.send_udp([b"<%d>1 - host app - - - probe" % (8 + severity)], source=LAB)

        def named(sent=sent):
            now = counts(box).get(LAB, (0, 0))
            return now if sum(now) - sum(before) == sent else None
        now = wait_for(named, "the probe is named by the ledger")
        refused, stored = now[0] - before[0], now[1] - before[1]
    return refused, stored


def send_to_both(box, text):
    box.send_tcp(of_all_severities(EACH, text))
    box.send_tcp(of_all_severities(EACH, text), source=LAB)


def main():
    with Product({"store.flush_ms": "50"}, daemons=("receiver",)) as box:
        box.psql("insert into azekura.source_group (id, name) values (5, 'lab')")
        box.psql(f"insert into azekura.source_group_member values ('{LAB}/32', 5)")
        box.psql("insert into azekura.shed values (5, 6, now())")
        refused, stored = send_until(box, 7, is_refused=True)

        send_to_both(box, "first")
        refused, stored = refused + 2 * EACH, stored + 6 * EACH
        office = 8 * EACH
        total = refused + stored + office
        box.assert_ledger(sent=total)
        assert counts(box) == {"127.0.0.1": (0, office), LAB: (refused, stored)}, counts(box)
        severities = box.psql("select severity, count(*) from azekura.logs where source = '127.0.0.2'"
                              " and message like 'first%' group by 1 order by 1")
        assert severities == [(str(s), str(EACH)) for s in range(6)], severities

        # remembered without the database; until it is back nothing else is known
        box.allow_errors(r"terminating|database system|shut ?down|connection to client|connection to server")
        box.stop("receiver")
        box.cluster.halt()
        box.start("receiver")
        send_to_both(box, "without")
        box.cluster.start()
        refused, stored, office = refused + 2 * EACH, stored + 6 * EACH, 2 * office
        box.assert_ledger(sent=refused + stored + office)
        assert counts(box) == {"127.0.0.1": (0, office), LAB: (refused, stored)}, counts(box)

        # another level, then none
        box.psql("update azekura.shed set severity = 4")
        more = send_until(box, 4, is_refused=True)
        box.psql("delete from azekura.shed")
        again = send_until(box, 7, is_refused=False)
        refused, stored = refused + more[0] + again[0], stored + more[1] + again[1]
        send_to_both(box, "after")
        stored, office = stored + 8 * EACH, office + 8 * EACH
        box.assert_ledger(sent=refused + stored + office)
        assert counts(box) == {"127.0.0.1": (0, office), LAB: (refused, stored)}, counts(box)
        live = box.psql("select sum(arrived) - sum(stored) - sum(refused) - sum(queued) from azekura.receiver_status")
        assert live == [("0",)], live


if __name__ == "__main__":
    run(main)
