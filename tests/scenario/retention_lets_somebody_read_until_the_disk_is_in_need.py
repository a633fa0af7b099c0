#!/usr/bin/env python3
"""Somebody reads the messages for long in a transaction of his own (a dump, a forgotten psql) while the month is over its
budget: the rule lets him, and waiting for him never holds up reception.  When the disk itself gets short of room he is
ended, and the month is brought back within its budget."""

import subprocess
import threading
import time

from azk import Product, run, wait_for, within
from noise import Sender

CAPACITY = 300_000_000
BUDGET = CAPACITY // 5
WAITING = ("select exists (select from pg_locks where not granted and mode = 'AccessExclusiveLock'"
           " and relation = 'azekura.log_block'::regclass);\n")


class Reader:
    """A session in a transaction that has read the messages."""

    def __init__(self, box):
        self.psql = subprocess.Popen(  # pylint: disable=consider-using-with
            box.cluster.psql_argv() + ["-A", "-t"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)
        self.psql.stdin.write("begin; select pg_backend_pid() from (select count(*) from azekura.log_block) n;\n")
        self.psql.stdin.flush()
        self.pid = int(self.psql.stdout.readline())

    def close(self):
        self.psql.kill()
        self.psql.wait()


class LockWatch(threading.Thread):
    """For how long somebody waits for the messages to be his alone."""

    def __init__(self, box):
        super().__init__(daemon=True)
        self.box = box
        self.waited = 0
        self.is_over = False

    def run(self):
        with subprocess.Popen(self.box.cluster.psql_argv() + ["-A", "-t"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as psql:
            last = time.monotonic()
            while not self.is_over:
                psql.stdin.write(WAITING)
                psql.stdin.flush()
                is_waiting = psql.stdout.readline() == "t\n"
                now = time.monotonic()
                self.waited += (now - last) if is_waiting else 0
                last = now
                time.sleep(0.01)  # the pace of looking, not a wait for the product
            psql.stdin.close()


def pieces_bytes(box):
    return int(box.value("select coalesce(sum(bytes), 0) from azekura.piece_size"))


def main():
    with Product({"storage.capacity_bytes": CAPACITY}) as box:
        box.allow_errors("canceling statement due to (user request|lock timeout)")
        sender = Sender(box, 2000)
        sender.start()
        wait_for(lambda: box.value("select count(*) from azekura.audit where action = 'retention.delete'") != "0",
                 "the month is trimmed")
        reader = Reader(box)
        watch = LockWatch(box)
        watch.start()
        begin = time.monotonic()
        wait_for(lambda: pieces_bytes(box) > BUDGET + BUDGET // 2, "the month grows while somebody reads")
        took, waited = time.monotonic() - begin, watch.waited
        there = box.value(f"select count(*) from pg_stat_activity where pid = {reader.pid}")
        wait_for(lambda: box.value(f"select count(*) from pg_stat_activity where pid = {reader.pid}") == "0",
                 "the reader is ended when the disk is in need")
        wait_for(lambda: pieces_bytes(box) <= BUDGET, "the month is within its budget again")
        watch.is_over = sender.is_over = True
        watch.join()
        sender.join()
        reader.close()
        assert there == "1", "the reader was ended although there was room"
        # the first try, before it is known that he reads for long
        assert waited < within(1), f"the rule waited {waited:.1f} of {took:.1f} s for the reader, and reception behind it"
        box.wait_for_arrived(sender.sent)
        wait_for(lambda: box.queued() == 0, "nothing is queued")
        sums = box.ledger()
        assert sums["stored"] == sender.sent, f"{sender.sent} sent, {sums}"
        assert f"process {reader.pid} " in box.log_text("keeper"), "the keeper's log does not name him"
        print(f"reception waited {waited:.2f} of {took:.1f} s; {sender.sent} messages")


if __name__ == "__main__":
    run(main)
