#!/usr/bin/env python3
"""The receiver is killed -9 while it deals with a batch of datagrams that it has taken from the kernel: before the first
of them, within the entry of one in the journal, after it, and before it notes that the datagram is done.  The next start
stores each of them once."""

import os
import signal

from azk import Product, numbered, run, wait_for

EACH = 200  # one batch takes them all

POINTS = ["datagrams.read", "journal.segment", "journal.entry:100", "journal.written:100", f"journal.written:{EACH}", "datagrams.taken:100",
          f"datagrams.done:{EACH}"]


def send_while_stopped(box, prefix):
    """All of them wait in the kernel before the receiver reads the first."""
    pid = box.pid("receiver")
    os.kill(pid, signal.SIGSTOP)
    try:
        box.send_udp(numbered(EACH, prefix))
    finally:
        os.kill(pid, signal.SIGCONT)


def kill_at(box, point, prefix):
    box.start("receiver", fault=point)
    send_while_stopped(box, prefix)
    process = box.processes["receiver"]
    wait_for(lambda: process.poll() is not None, f"the receiver reached {point}")
    assert process.returncode == -signal.SIGKILL, (point, process.returncode)
    box.processes.pop("receiver")


def main():
    with Product(daemons=()) as box:
        box.allow_errors("connection to client lost")
        for number, point in enumerate(POINTS):
            prefix = f"batch{number}"
            kill_at(box, point, prefix)
            box.start("receiver")
            box.wait_for_stored((number + 1) * EACH)
            box.stop("receiver")
            rows = box.psql(f"select count(*), count(distinct message) from azekura.logs where message like '{prefix} %'")
            assert rows == [(str(EACH), str(EACH))], f"{point}: {rows}"
        box.assert_ledger(sent=len(POINTS) * EACH)
        print(f"{len(POINTS)} times killed with a batch of {EACH}: each datagram is stored once")


if __name__ == "__main__":
    run(main)
