#!/usr/bin/env python3
"""One source sends datagrams as fast as loopback takes them beside 50 quiet ones: the quiet ones lose nothing, and what
the flooding one lost is counted to the datagram.  Once with the buffer as delivered, once with one that has overflowed."""

import os
import pathlib
import signal

from azk import Product, numbered, raise_receive_buffer, run, wait_for
from flood import Flood, Quiet

FLOOD = 250_000
SMALL_BYTES = 2 << 20
TURN = 4 * 256  # datagrams the receiver reads before it looks around
PROBE = "127.0.2.1"


def kernel_drops(box):
    port = box.address("udp")[1]
    lines = pathlib.Path("/proc/net/udp").read_text(encoding="ascii").splitlines()[1:]
    return sum(int(line.split()[-1]) for line in lines if int(line.split()[1].rpartition(":")[2], 16) == port)


def read_apart(box):
    """How many sources are, by the receiver's last report."""
    return int(box.value("select coalesce(sum((l->>'flooding_sources')::integer), 0) from azekura.receiver_detail,"
                         " jsonb_array_elements(detail->'listeners') l where l->>'flooding_sources' is not null"))


def as_delivered():
    """From the first datagram of the flood to the last nothing of the others is lost."""
    with Product(daemons=("receiver",)) as box:
        quiet = Quiet(box)
        quiet.start()
        try:
            flooded = Flood(box, FLOOD).end()
        finally:
            quiet.end()
        sums = box.assert_ledger(sent=flooded + quiet.sent())
        quiet.assert_lost_nothing(box)
        print(f"as delivered: {quiet.sources} x {quiet.rounds} quiet ones are stored; of a flood of {flooded} the kernel dropped {sums['kernel']}")


def wait_until_others_are_heard(box):
    """What the flood had filled before it was noticed is read by then.  How many datagrams were sent for it."""
    sent = 0

    def is_heard():
        nonlocal sent
        sent += box.send_udp([b"<13>probe"], source=PROBE)
        return box.value(f"select count(*) from azekura.ledger where source = '{PROBE}'") != "0"
    wait_for(is_heard, "another source is heard", every=0.05)
    return sent


def one_that_overflows(box, before):
    """The flood has filled a small buffer before the receiver could read any of it: then it fills its own only."""
    wait_for(lambda: read_apart(box) == 0, "nobody floods any more")
    pid = box.pid("receiver")
    dropped = kernel_drops(box)
    os.kill(pid, signal.SIGSTOP)
    try:
        flood = Flood(box)
        wait_for(lambda: kernel_drops(box) > dropped, "the buffer is full")
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: read_apart(box) > 0, "the flood is noticed")
    probes = wait_until_others_are_heard(box)
    quiet = Quiet(box)
    quiet.start()
    try:
        wait_for(lambda: quiet.rounds >= quiet.rate, "a second of the quiet ones")
    finally:
        quiet.end()
        flooded = flood.end(must_stop=True)
    sums = box.assert_ledger(sent=before + flooded + probes + quiet.sent())
    quiet.assert_lost_nothing(box)
    assert sums["kernel"] > 0, sums
    print(f"{SMALL_BYTES} bytes of buffer: {quiet.sources} x {quiet.rounds} quiet ones are stored; of a flood of {flooded} the kernel dropped {sums['kernel']}")


def the_last_turn_may_be_full(box):
    """A flood is noticed, and what had waited ends with a full turn: what the source sends next is read, although no
    read has found the first socket empty.  How many were sent."""
    pid = box.pid("receiver")
    os.kill(pid, signal.SIGSTOP)
    try:
        sent = box.send_udp(b"<13>" + b"%04d" % i + 300 * b"x" for i in range(3 * TURN))
    finally:
        os.kill(pid, signal.SIGCONT)
    box.wait_for_stored(sent)
    assert "floods: its datagrams are read apart" in box.log_text("receiver"), box.ledger()
    sent += box.send_udp(numbered(100))
    box.assert_ledger(sent=sent)
    assert box.ledger()["stored"] == sent
    return sent


def main():
    raise_receive_buffer()
    with Product({"receiver.udp_buffer_bytes": SMALL_BYTES, "store.flush_ms": 100}, daemons=("receiver",)) as box:
        one_that_overflows(box, the_last_turn_may_be_full(box))
    as_delivered()


if __name__ == "__main__":
    run(main)
