"""20,000 messages a second by UDP and TCP while PostgreSQL is stopped, then killed with -9: each time everything that was
sent is stored once after it returns, reception has no gap, and the events tell of it.  AZEKURA_AWAY_S makes each
absence longer than its 4 s."""

import contextlib
import os
import signal
import threading
import time

from azk import Product, numbered, run, wait_for

RATE = 20_000
AWAY_S = float(os.environ.get("AZEKURA_AWAY_S", "4"))


class Senders:
    """Half by UDP and half by TCP, for as long as the database is away and a second before and after."""

    def __init__(self, box, prefix):
        self.sent = []
        n = int((AWAY_S + 2) * RATE / 2)
        self.threads = [
            threading.Thread(target=lambda: self.sent.append(box.send_tcp(numbered(n, f"{prefix} tcp"), rate=RATE / 2))),
            threading.Thread(target=lambda: self.sent.append(box.send_udp(numbered(n, f"{prefix} udp"), rate=RATE / 2)))]
        for t in self.threads:
            t.start()

    def join(self):
        for t in self.threads:
            t.join()
        return sum(self.sent)


def spool_bytes(box):
    return sum(p.stat().st_size for p in (box.state / "spool").glob("*.spool"))


def wait_away():
    end = time.monotonic() + AWAY_S
    wait_for(lambda: time.monotonic() > end, "the time of the absence", AWAY_S + 5)


def bring_back(cluster):
    """After kill -9 the server's children may hold its memory for a moment more."""
    def starts():
        with contextlib.suppress(RuntimeError):
            cluster.start()
            return True
        return False
    wait_for(starts, "the database starts again")


def stop_database(box, how):
    box.cluster.halt(*how)
    wait_away()
    assert spool_bytes(box) > 0, "nothing is in the spool"
    bring_back(box.cluster)


def one(box, prefix, away):
    before = box.ledger()["stored"]
    senders = Senders(box, prefix)
    box.wait_for_stored(before + RATE // 10)
    away()
    return senders.join()


def check(box, sent):
    sums = box.assert_ledger(sent=sent)
    assert sums["refused"] == 0 and sums["kernel"] == 0, sums
    assert box.value("select count(*) - count(distinct message) from azekura.logs") == "0", "a message is there twice"
    wait_for(lambda: spool_bytes(box) == 0, "the spool's files are gone")
    return sums


def main():
    with Product(daemons=("receiver",)) as box:
        box.allow_errors(r"terminating|canceling|database system|shut ?down|starting up|connection to client|lock file|"
                         r"pre-existing shared memory|could not (send|receive)|unexpected EOF")
        sent = one(box, "stopped", lambda: stop_database(box, ()))
        sums = check(box, sent)
        print(f"stopped for {AWAY_S} s: {sums}")
        sent += one(box, "killed", lambda: stop_database(box, (signal.SIGKILL,)))
        sums = check(box, sent)
        print(f"killed: {sums}")
        kinds = [row[0] for row in box.psql("select kind from azekura.event where kind like 'spool.%' order by id")]
        assert kinds == ["spool.filling", "spool.drained"] * 2, kinds


if __name__ == "__main__":
    run(main)
