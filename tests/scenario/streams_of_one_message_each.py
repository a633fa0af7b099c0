"""Senders that open a connection for each message, and datagrams without a byte: each message is stored, and nothing
grows: no descriptors, no threads, no lines in the log."""

import os
import socket

from azk import Product, run, wait_for

CYCLES = 10000


def held(box):
    pid = box.pid("receiver")
    return len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))


def one_each(box, first, n):
    address = box.address("tcp")
    for i in range(first, first + n):
        with socket.create_connection(address, 60) as s:
            s.sendall(b"<13>Mar 10 11:45:00 h1 t: n=%d" % i)
    return n


def main():
    with Product() as box:
        sent = one_each(box, 0, 10)
        box.wait_for_stored(sent)
        descriptors, threads = held(box)
        lines = len(box.log_text("receiver").splitlines())
        sent += one_each(box, 10, CYCLES - 10)
        box.wait_for_stored(sent)
        numbers = int(box.value("select count(distinct message) from azekura.logs where app_name = 't'"))
        assert numbers == CYCLES, f"{numbers} of {CYCLES}"
        wait_for(lambda: held(box)[0] <= descriptors, "no descriptor is left behind")
        assert held(box)[1] <= threads, "threads have grown"
        assert len(box.log_text("receiver").splitlines()) == lines, "the log has grown"

        # empty datagrams are messages that say nothing: counted, and the next one is heard
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.connect(box.address("udp"))
            for i in range(CYCLES):
                s.send(b"")
                if i % 500 == 499:
                    wait_for(lambda: box.udp_unread() == 0, "datagrams are read")
            s.send(b"<13>Mar 10 11:46:00 h1 alive: still")
        box.wait_for_stored(sent + CYCLES + 1)
        assert box.value("select count(*) from azekura.logs where app_name = 'alive'") == "1"
        box.assert_ledger(sent=sent + CYCLES + 1)


if __name__ == "__main__":
    run(main)
