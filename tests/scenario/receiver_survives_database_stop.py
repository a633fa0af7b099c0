"""The database stays away until the spool is full and the memory for waiting blocks used up: UDP is refused and
counted, TCP is held back and loses nothing.  A receiver that is told to stop meanwhile obeys, and the next start
stores what was left."""

import base64
import itertools
import random
import threading
import time
from pathlib import Path

from azk import Product, batches, run, wait_for, within

BIG = 8_000  # bytes of a message
UDP = 10_000  # more than one block of them
HELD = 2_000  # at least, and more than the kernel's buffers of a connection take
FILL_S = 300  # 110 MB are sent until all is full, on a machine that may be busy


def noise(n, prefix):
    """Messages that compression cannot make small."""
    source = random.Random(prefix)
    for i in range(n):
        yield f"<13>1 - host app - - - {prefix} {i} ".encode() + base64.b64encode(source.randbytes(BIG * 3 // 4))


def more_than_buffers():
    """Messages that cannot all wait in the kernel, between a sender and a receiver that does not read."""
    most = sum(int(Path(f"/proc/sys/net/ipv4/tcp_{kind}").read_text().split()[2]) for kind in ("rmem", "wmem"))
    return HELD + most // BIG


def main():
    with Product({"store.queue_bytes": "16777216", "spool.max_bytes": "67108864"}, daemons=("receiver",)) as box:
        box.allow_errors(r"terminating|canceling|database system|shut ?down|starting up|connection to client|The spool takes nothing more")
        wait_for(lambda: box.value("select count(*) from azekura.receiver_status") == "1", "the receiver has its database")
        box.cluster.halt()
        is_full = threading.Event()
        tcp = []
        held = itertools.chain(itertools.takewhile(lambda _: not is_full.is_set(), noise(100_000, "fill")),
                               noise(more_than_buffers(), "held"))
        sender = threading.Thread(target=lambda: tcp.append(box.send_tcp(held)))
        sender.start()
        wait_for(lambda: "memory for waiting blocks is used up" in box.log_text("receiver"), "the memory is used up", FILL_S)
        is_full.set()
        udp = 0
        for part in batches(noise(UDP, "refused"), 500):
            udp += box.send_udp(part)
            # what the receiver would read only when the database is back would not be refused
            wait_for(lambda: box.udp_unread() == 0, "what was sent by UDP is read")
        assert sender.is_alive(), "TCP is not held back"
        box.cluster.start()
        sender.join()
        box.wait_for_arrived(udp + tcp[0])
        wait_for(lambda: box.queued() == 0, "nothing is queued")
        sums = box.ledger()
        print(f"{udp} sent by UDP and {tcp[0]} by TCP: {sums}")
        assert sums["arrived"] + sums["kernel"] == udp + tcp[0], sums
        assert sums["arrived"] == sums["stored"] + sums["refused"], sums
        full, rest = box.psql("select sum(queue_full), sum(arrived - stored - queue_full) from azekura.ledger")[0]
        assert int(full) >= 1_000 and rest == "0", (full, rest)
        assert box.value("select sum(stored) from azekura.ledger where listener = 'tcp'") == str(tcp[0])
        assert box.value("select sum(messages) from azekura.log_block") == str(sums["stored"])

        box.cluster.halt()
        box.send_tcp(noise(100, "left"))
        begin = time.monotonic()
        box.stop("receiver")
        assert time.monotonic() - begin < within(11), "a stop takes longer than 10 s"
        box.start("receiver")
        box.cluster.start()
        box.wait_for_stored(sums["stored"] + 100)
        assert box.assert_ledger()["refused"] == sums["refused"], "what was left is stored by the next start"
        kinds = [row[0] for row in box.psql("select kind from azekura.event where kind like 'spool.%' order by id")]
        assert kinds.count("spool.filling") >= 1 and kinds.count("spool.full") == 1, kinds


if __name__ == "__main__":
    run(main)
