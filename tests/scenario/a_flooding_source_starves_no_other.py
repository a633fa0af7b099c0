#!/usr/bin/env python3
"""One source sends datagrams as fast as loopback takes them beside 50 quiet ones: the quiet ones lose nothing, and what
the flooding one lost is counted to the datagram.  Once with the buffer as delivered, once with one that overflows."""

import subprocess
import socket
import threading
import time

from azk import Product, raise_receive_buffer, run, wait_for

FLOOD = 400_000
QUIET, RATE = 50, 50
SMALL_BYTES = 4 << 20


class Quiet(threading.Thread):
    """QUIET sources with RATE datagrams a second each, until told to end."""

    def __init__(self, address):
        super().__init__()
        self.address, self.ended, self.rounds = address, threading.Event(), 0
        self.sockets = [self.source(i) for i in range(QUIET)]

    @staticmethod
    def source(i):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind((f"127.0.1.{i + 1}", 0))
        return s

    def run(self):
        begin = time.monotonic()
        while not self.ended.is_set():
            for i, s in enumerate(self.sockets):
                s.sendto(b"<13>Mar 10 11:46:00 quiet%d app: %d" % (i, self.rounds), self.address)
            self.rounds += 1
            # pacing is the senders' part, not a wait for the product
            time.sleep(max(0, begin + self.rounds / RATE - time.monotonic()))

    def end(self):
        self.ended.set()
        self.join()
        for s in self.sockets:
            s.close()
        return self.rounds


def flood(box):
    host, port = box.address("udp")
    subprocess.run([box.program / "bin" / "azekura-bench", "load", "--mix", "--dgram", "--rate", "0", "--number", str(FLOOD), "--quiet",
                    host, str(port)], check=True, stdout=subprocess.DEVNULL)


def one_floods(settings, must_overflow):
    with Product(settings, daemons=("receiver",)) as box:
        wait_for(lambda: box.value("select count(*) from azekura.receiver_status") == "1", "the receiver's first report")
        quiet = Quiet(box.address("udp"))
        quiet.start()
        try:
            flood(box)
        finally:
            rounds = quiet.end()
        sums = box.assert_ledger(sent=FLOOD + QUIET * rounds)
        lost = box.psql(f"select host(source), sum(arrived), sum(stored) from azekura.ledger where source <<= '127.0.1.0/24'"
                        f" group by 1 having sum(stored) <> {rounds}")
        assert lost == [], f"of {rounds} datagrams each: {lost}; {sums}"
        assert box.value("select count(distinct source) from azekura.ledger where source <<= '127.0.1.0/24'") == str(QUIET)
        apart = "floods: its datagrams are read apart" in box.log_text("receiver")
        assert apart or not must_overflow, sums
        print(f"{settings or 'as delivered'}: {QUIET} x {rounds} quiet ones stored; of {FLOOD} of the flood the kernel dropped {sums['kernel']}"
              f"{', read apart' if apart else ''}")


def main():
    raise_receive_buffer()
    one_floods({}, False)
    one_floods({"receiver.udp_buffer_bytes": SMALL_BYTES}, True)


if __name__ == "__main__":
    run(main)
