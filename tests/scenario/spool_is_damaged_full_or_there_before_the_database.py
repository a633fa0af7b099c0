"""The spool in trouble (cases C215, C221, C223, C224 of the corpus): a receiver that starts before its database, a spool
file of random bytes, numbered messages around an outage, and a spool on a small disk that is full: senders by TCP are
held back and new ones wait to be taken, what comes by UDP is refused and counted, one event tells of it, and it recovers by itself."""

import itertools
import os
import pathlib
import random
import re
import socket
import subprocess
import threading

from azk import Product, run, wait_for


CONNECTIONS = 20  # at once


def numbers(box, prefix):
    return sorted(int(r[0]) for r in box.psql(
        f"select split_part(message, ' ', 2) from azekura.logs where message like '{prefix} %'"))


def memory_bytes(box):
    """Without the pages of its mapped files, which are the kernel's to drop."""
    for line in pathlib.Path(f"/proc/{box.pid('receiver')}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no RssAnon")


def start_before_the_database(box, spool):
    """C221 and C223."""
    box.cluster.halt()
    bad = spool / "00000000000000aa.spool"
    bad.write_bytes(random.Random(1).randbytes(4096))
    box.start("receiver")
    assert not bad.exists() and (spool / f"{bad.name}.aside").exists(), list(spool.iterdir())
    n = box.send_tcp([f"<13>early {i}".encode() for i in range(50)])
    n += box.send_udp([f"<13>early {i}".encode() for i in range(50, 100)])
    wait_for(lambda: any(p.stat().st_size > 64 for p in spool.glob("*.spool")), "a unit is in the spool")
    box.cluster.start()
    box.wait_for_stored(n)
    assert numbers(box, "early") == list(range(100))
    wait_for(lambda: box.value("select count(*) from azekura.event where kind = 'spool.aside'") == "1", "the event is kept")


def around_an_outage(box):
    """C215: 1…100, the database stopped after 30 and back after 70, in the order of the connection."""
    with socket.create_connection(box.address("tcp")) as s:
        for i in range(100):
            s.sendall(f"<13>outage {i}\n".encode())
            if i == 29:
                wait_for(lambda: len(numbers(box, "outage")) == 30, "the first are stored")
                box.cluster.halt()
            if i == 69:
                wait_for(lambda: any(p.stat().st_size > 64 for p in (box.state / "spool").glob("*.spool")),
                         "a unit is in the spool")
                box.cluster.start()
    wait_for(lambda: numbers(box, "outage") == list(range(100)), "all are stored once")
    in_order = [int(r[0]) for r in box.psql("select split_part(message, ' ', 2) from azekura.logs"
                                            " where message like 'outage %' order by received_at, id")]
    assert in_order == list(range(100)), in_order


def noise(n, prefix):
    """Messages that compression cannot make small."""
    source = random.Random(prefix)
    for i in range(n):
        yield f"<13>{prefix} {i} ".encode() + source.randbytes(4000).hex().encode()


def kinds(box):
    return [row[0] for row in box.psql("select kind from azekura.event where kind like 'spool.%' order by id")]


def full_disk(box, spool):
    """C224: a spool of 20 MiB."""
    box.stop("receiver")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m,mode=777", "tmpfs", spool], check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        print(f"without a small disk: this machine does not mount ({done.stderr.strip()})")
        box.start("receiver")
        return
    try:
        box.start("receiver")
        before = box.assert_ledger()
        events = len(kinds(box))
        box.cluster.halt()
        log = len(box.log_text("receiver"))
        sent = []
        is_full = threading.Event()
        big = itertools.chain(itertools.takewhile(lambda _: not is_full.is_set(), noise(100_000, "fill")),
                              noise(12_000, "held"))
        sender = threading.Thread(target=lambda: sent.append(box.send_tcp(big)))
        sender.start()
        wait_for(lambda: "No space left" in box.log_text("receiver"), "the disk of the spool is full")
        wait_for(lambda: "is used up" in box.log_text("receiver")[log:], "memory is used up too")
        is_full.set()
        udp = 0
        for _ in range(10):
            udp += box.send_udp(noise(125, "datagram"), rate=20_000)
            wait_for(lambda: box.udp_unread() == 0, "what came by UDP is read")
        assert sender.is_alive(), "TCP is not held back"
        # more than there may be at once: they wait for their turn, and none is turned away
        late = [box.send_tcp([b"<13>late %d" % i]) for i in range(2 * CONNECTIONS)]
        assert box.is_sanitized() or memory_bytes(box) < 512 << 20, memory_bytes(box)
        assert len(box.log_text("receiver")) - log < 20_000, "its own log must not grow with what it refuses"
        box.cluster.start()
        sender.join()
        sent[0] += sum(late)
        box.wait_for_arrived(before["arrived"] + sent[0] + udp)
        sums = box.assert_ledger()
        print(f"small disk: {sent[0]} by TCP and {udp} by UDP: {sums}")
        assert sums["arrived"] + sums["kernel"] == before["arrived"] + sent[0] + udp, sums
        assert numbers(box, "late") == list(range(2 * CONNECTIONS)), numbers(box, "late")
        assert box.value("select sum(refused) from azekura.ledger where listener = 'tcp'") == "0"
        assert box.value("select sum(refused - queue_full) from azekura.ledger") == "0"
        wait_for(lambda: kinds(box)[events:][-1:] == ["spool.drained"], "an event says that it is empty")
        told = " ".join(kinds(box)[events:])
        # TCP may bring more at the end than a slow machine stores: then it is a further time, with an end of its own
        assert re.fullmatch(r"(spool\.filling( spool\.full)? spool\.drained ?)+", told), f"not one event each time: {told}"
        assert told.startswith("spool.filling spool.full"), told
        wait_for(lambda: not any(spool.glob("*.spool")), "the spool is empty again")
        box.stop("receiver")
    finally:
        subprocess.run(["umount", "-l", spool], check=False)


def main():
    with Product({"store.queue_bytes": "16777216", "receiver.tcp_max_connections": CONNECTIONS}, daemons=()) as box:
        box.allow_errors(r"terminating|canceling|database system|shut ?down|starting up|connection to client|"
                         r"could not (send|receive)|unexpected EOF|No space left")
        spool = box.state / "spool"
        start_before_the_database(box, spool)
        around_an_outage(box)
        full_disk(box, spool)


if __name__ == "__main__":
    run(main)
