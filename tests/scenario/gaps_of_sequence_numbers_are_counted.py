"""Numbers that senders give their messages (RFC 5424's sequenceId, Cisco's counters, the benchmark's marks) show what was lost
before the box: gaps and repeats are counted by sender and minute, by UDP and TCP.  What changes its order is no gap, a
device that is restarted has none, and after kill -9 the numbers go on where they were."""

import os

from azk import Product, run, wait_for


def meta(n):
    return f'<14>1 2026-03-10T12:00:00Z h app - - [meta sequenceId="{n}"] text'.encode()


def cisco(n):
    return f"<189>{n:06d}: Mar 10 12:00:00.123: %SYS-5-CONFIG_I: Configured from console".encode()


def mark(n):
    return f"<14>Mar 10 12:00:00 h app: some text seq={0xfeed:016x}-00003-{n:010d}".encode()


KINDS = {meta: "127.0.0.2", cisco: "127.0.0.3", mark: "127.0.0.4"}


def numbers(*ranges):
    return [n for first, last in ranges for n in range(first, last + 1)]


def gaps(box, listener):
    rows = box.psql("select host(source), missing, repeated from azekura.gap_totals(now() - interval '1 day',"
                    f" now() + interval '1 day') where listener = '{listener}' order by 1")
    return {row[0]: (int(row[1]), int(row[2])) for row in rows}


def main():
    with Product({"store.flush_ms": "50"}, daemons=("receiver",)) as box:
        send = {"udp": lambda *a, **k: box.send_udp(*a, rate=5000, **k), "tcp": box.send_tcp}
        sent = 0

        def each(*ranges):
            return sum(send[listener]([kind(n) for n in numbers(*ranges)], source=source)
                       for listener in send for kind, source in KINDS.items())

        # 3 missing, 2 repeated, 2 that change places
        sent += each((1, 49), (51, 60), (62, 62), (61, 61), (63, 100), (103, 110), (105, 106), (111, 300))
        box.assert_ledger(sent=sent)
        for listener in send:
            assert gaps(box, listener) == {s: (3, 2) for s in KINDS.values()}, gaps(box, listener)

        # killed: the numbers are known to the next run
        box.kill("receiver")
        box.start("receiver")
        sent += each((301, 310), (315, 500))
        box.assert_ledger(sent=sent)
        for listener in send:
            assert gaps(box, listener) == {s: (7, 2) for s in KINDS.values()}, gaps(box, listener)

        # stopped in order, and the devices are restarted meanwhile: they count from 1 again
        box.stop("receiver")
        box.start("receiver")
        for kind in (meta, cisco):
            for listener, to in send.items():
                sent += to([kind(n) for n in numbers((1, 200))], source=KINDS[kind])
        box.assert_ledger(sent=sent)
        for listener in send:
            assert gaps(box, listener) == {s: (7, 2) for s in KINDS.values()}, gaps(box, listener)

        # a great loss, and then silence: seen all the same
        sent += box.send_tcp([mark(n) for n in numbers((100501, 100501))], source=KINDS[mark])
        wait_for(lambda: gaps(box, "tcp")[KINDS[mark]] == (100007, 2), "the loss is counted when nothing follows")
        box.assert_ledger(sent=sent)
        rows = box.psql("select source, sum(missing), sum(repeated) from azekura.gaps(date_trunc('minute', now()) - interval"
                        f" '1 h', now() + interval '1 min', 60, '{KINDS[mark]}') group by 1")
        assert rows == [(KINDS[mark], str(100007 + 7), "4")], rows
        assert os.path.exists(box.state / "receiver" / "sequences")


run(main)
