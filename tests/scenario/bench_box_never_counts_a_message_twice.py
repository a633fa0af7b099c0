"""GET /bench/box while messages are queued and stored: what has arrived is stored, refused or queued, each message in
one of them; never more than was sent, and never fewer than a moment before."""

import socket
import time

from azk import Product, run

BURST = 2005
BURSTS = 4


def counts(box, since):
    return box.api("GET", f"/bench/box?since={since}")["benchmark"]


def main():
    with Product() as box, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
        sender.bind(("127.66.3.4", 0))
        sender.connect(box.address("udp"))
        before = 0
        for sent in range(BURST, BURSTS * BURST + 1, BURST):
            for i in range(BURST):
                sender.send(b"<13>message %d" % i)
                if i % 100 == 99:
                    time.sleep(0.001)  # the socket's buffer is not what is tested
            deadline = time.monotonic() + 60
            while (now := counts(box, since))["stored"] < sent:
                arrived = now["arrived"]
                assert arrived == now["stored"] + now["queued"] + sum(now["refused"].values()), now
                assert before <= arrived <= sent, (before, now, sent)
                before = arrived
                assert time.monotonic() < deadline, f"{now} of {sent}"
            assert now["arrived"] == sent, (now, sent)


if __name__ == "__main__":
    run(main)
