#!/usr/bin/env python3
"""What is left of a burst is stored soon after its last message, however long a block may wait; what trickles in after
it makes a block a message for a few of them, and then waits for its time."""

from azk import Product, run, wait_for

BLOCK = 65_536
BURST = BLOCK + 1_500
TRICKLE = 8
EARLY = 4  # small blocks that may follow a full one
FLUSH_MS = 60_000


def arrived(box):
    return int(box.value("select coalesce(max(arrived), 0) from azekura.receiver_status"))


def main():
    with Product({"store.flush_ms": FLUSH_MS}, daemons=("receiver",)) as box:
        box.send_tcp([b"<13>Mar 10 00:00:00 host app: message %d" % i for i in range(BURST)])
        box.wait_for_stored(BURST, seconds=FLUSH_MS // 2000)  # its time would be later
        for n in range(1, TRICKLE + 1):
            box.send_tcp([b"<13>one that trickles in"])
            wait_for(lambda n=n: arrived(box) >= BURST + n, f"message {n} after the burst is known")
        box.stop("receiver")
        box.assert_ledger(sent=BURST + TRICKLE)
        blocks = int(box.value("select count(*) from azekura.log_block"))
        print(f"{blocks} blocks of {BURST} messages and {TRICKLE} more")
        assert blocks <= 1 + EARLY + 1, f"{blocks} blocks: what trickles in makes too many"


if __name__ == "__main__":
    run(main)
