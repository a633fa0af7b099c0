"""20,000 datagrams in 5 s from 200 addresses (case C237): all are stored with their address, and the receiver asks no name
server for any of them."""

import os
import pathlib
import re
import socket
import time

from azk import Product, run

MESSAGES, SOURCES, SECONDS = 20_000, 200, 5
NAME_SERVICE = 53


def remote_ports(pid):
    """Of the internet sockets that the process has."""
    inodes = set()
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            found = re.match(r"socket:\[(\d+)\]", os.readlink(fd))
        except OSError:
            continue  # closed meanwhile
        if found:
            inodes.add(found[1])
    ports = set()
    for table in ("udp", "udp6", "tcp", "tcp6"):
        for line in pathlib.Path("/proc/net", table).read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            if fields[9] in inodes:
                ports.add(int(fields[2].rpartition(":")[2], 16))
    return ports


def main():
    with Product(daemons=("receiver",)) as box:
        sockets = []
        for i in range(SOURCES):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.bind((f"127.0.1.{i + 1}", 0))
            s.connect(box.address("udp"))
            sockets.append(s)
        begin, asked = time.monotonic(), set()
        for n in range(MESSAGES):
            sockets[n % SOURCES].send(f"<13>Nov 30 12:00:00 name-of-{n % SOURCES}.example app: number {n}".encode())
            if n % 500 == 0:
                asked |= remote_ports(box.pid("receiver"))
                time.sleep(max(0, begin + SECONDS * n / MESSAGES - time.monotonic()))  # the sender's pace
        sums = box.assert_ledger(sent=MESSAGES)
        assert sums["stored"] == MESSAGES, sums
        assert NAME_SERVICE not in asked, asked
        rows = box.psql("select count(distinct source), min(n), max(n) from"
                        " (select source, count(*) as n from azekura.logs group by 1) x")
        each = str(MESSAGES // SOURCES)
        assert rows == [(str(SOURCES), each, each)], rows


if __name__ == "__main__":
    run(main)
