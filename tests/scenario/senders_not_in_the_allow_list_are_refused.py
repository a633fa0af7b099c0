"""Who is not in the allow-list is refused, by IPv4, IPv6 and IPv4 mapped into IPv6: counted exactly (not_allowed), named with
the first of its messages, a connection of it not taken.  Two senders that claim the same host stay two.  The list holds
without restart, and a receiver that starts without its database remembers it."""

import json
import socket

from azk import Product, run, wait_for

OFFICE, LAB, BRANCH = "127.0.0.2", "127.0.0.3", "127.0.0.4"
MADE_UP = 3000


def send(box, source, n, text):
    """Datagrams to the one socket of both families: an IPv4 sender's address comes mapped into IPv6."""
    is_v6 = ":" in source
    with socket.socket(socket.AF_INET6 if is_v6 else socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind((source, 0))
        s.connect(("::1" if is_v6 else "127.0.0.1", box.address("udp")[1]))
        for i in range(n):
            s.send(f"<13>Mar 10 12:00:00 fw1 app: {text} {i}".encode())
    return n


def counts(box):
    """{(listener, sender): (stored, not_allowed)}; nothing else may have been refused."""
    rows = box.psql("select listener, host(source), sum(stored), sum(not_allowed), sum(refused) - sum(not_allowed)"
                    " from azekura.ledger group by 1, 2")
    assert all(row[4] == "0" for row in rows), rows
    return {(row[0], row[1]): (int(row[2]), int(row[3])) for row in rows}


def allow(box, *rows):
    entries = json.dumps([{"network": network, "listener": listener} for network, listener in rows])
    faults = box.psql(f"select * from azekura.set_allow_list('{entries}', true, 'scenario')")
    assert not faults, faults


def send_until(box, source, is_refused):
    """Single datagrams until one is refused, or stored: then the list is in force.  How many."""
    sent, before = 0, counts(box).get(("udp", source), (0, 0))
    while True:
        sent += send(box, source, 1, "probe")

        def named(sent=sent):
            now = counts(box).get(("udp", source), (0, 0))
            return now if sum(now) - sum(before) == sent else None
        now = wait_for(named, f"the probe of {source} is named by the ledger")
        if now[is_refused] > before[is_refused]:
            return sent


def refused_senders(box):
    return {(row[0], row[1]): (int(row[2]), row[3]) for row in
            box.psql("select address, listener, count, first_text from azekura.refused_senders(100)")}


def connect(box, source, text):
    """Whether the box takes the message: it closes a connection that it does not want."""
    with socket.create_connection(("127.0.0.1", box.address("tcp")[1]), 30, (source, 0)) as s:
        try:
            s.sendall(text + b"\n")
            s.shutdown(socket.SHUT_WR)
            s.recv(1)
        except OSError:  # also "not connected": it may be closed before we end our side
            pass


def main():
    settings = {"listen.udp": "[::]:0", "listen.tcp": "[::]:0", "store.flush_ms": "50"}
    with Product(settings, daemons=("receiver",)) as box:
        # an empty list: everybody; two senders that claim one host are two
        sent = send(box, OFFICE, 10, "claimed") + send(box, LAB, 10, "claimed") + send(box, "::1", 10, "claimed")
        box.assert_ledger(sent=sent)
        assert box.psql("select host(source), count(*) from azekura.logs where hostname = 'fw1' and listener = 'udp'"
                        " group by 1 order by 1") == [(OFFICE, "10"), (LAB, "10"), ("::1", "10")]

        allow(box, (f"::ffff:{OFFICE}", None), ("2001:db8::/32", None), (BRANCH, "tcp"))
        sent += send_until(box, LAB, is_refused=True)
        before = counts(box)
        for source in (OFFICE, LAB, BRANCH, "::1"):
            sent += send(box, source, 100, "second")
        box.assert_ledger(sent=sent)
        now = counts(box)
        for source, is_refused in ((OFFICE, 0), (LAB, 1), (BRANCH, 1), ("::1", 1)):
            then = before.get(("udp", source), (0, 0))
            difference = tuple(a - b for a, b in zip(now["udp", source], then))
            assert difference == ((0, 100) if is_refused else (100, 0)), (source, difference)

        # connections: the branch may, the lab may not
        connect(box, BRANCH, b"<13>by the branch")
        connect(box, LAB, b"<13>by the lab")
        wait_for(lambda: box.value("select count(*) from azekura.logs where message = 'by the branch'") == "1",
                 "the branch's message is stored")
        sent += 1
        names = wait_for(lambda: len(r := refused_senders(box)) == 4 and r, "the refused senders are named")
        assert set(names) == {(LAB, "udp"), (BRANCH, "udp"), ("::1", "udp"), (LAB, "tcp")}, names
        assert names[BRANCH, "udp"] == (100, "<13>Mar 10 12:00:00 fw1 app: second 0"), names
        assert names["::1", "udp"][0] == 100 and names[LAB, "udp"][0] > 100, names
        assert box.value("select count(*) from azekura.logs where message = 'by the lab'") == "0"

        # made-up addresses: counted exactly, and not each a row for ever
        rows = int(box.value("select count(*) from azekura.source"))
        sent += sum(send(box, f"127.9.{i // 250}.{1 + i % 250}", 1, "made up") for i in range(MADE_UP))
        box.assert_ledger(sent=sent)
        assert box.value("select sum(not_allowed) from azekura.ledger where source <<= '127.9.0.0/16'"
                         " or source = '0.0.0.0'") == str(MADE_UP)
        assert int(box.value("select sum(not_allowed) from azekura.ledger where source = '0.0.0.0'")) > 0
        assert int(box.value("select count(*) from azekura.source")) - rows < MADE_UP // 2

        # remembered without the database
        box.allow_errors(r"terminating|database system|shut ?down|connection to client|connection to server")
        box.stop("receiver")
        box.cluster.halt()
        box.start("receiver")
        sent += send(box, "::1", 20, "without") + send(box, OFFICE, 20, "without")
        box.cluster.start()
        box.assert_ledger(sent=sent)
        assert box.psql("select host(source), count(*) from azekura.logs where message like 'without%'"
                        " group by 1") == [(OFFICE, "20")]

        # an empty list again
        allow(box)
        sent += send_until(box, LAB, is_refused=False)
        sent += send(box, "::1", 20, "free")
        box.assert_ledger(sent=sent)
        assert box.value("select count(*) from azekura.logs where message like 'free%'") == "20"
        assert "are not in the allow-list were refused" in box.log_text("receiver")


run(main)
