#!/usr/bin/env python3
"""Datagrams half a millisecond apart do not wake the receiver one by one, and one that comes after a silence is read at
once; none is lost by it."""

import pathlib
import subprocess

from azk import Product, Skipped, run, wait_for

RATE, MESSAGES = 2_000, 6_000
BUFFER_BYTES = 10 << 20  # with less the receiver reads each datagram as soon as it can


def switches(pid):
    """How often the receiver's threads have waited for something."""
    waits = 0
    for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                waits += int(line.split()[1])
    return waits


def main():
    with Product(daemons=("receiver",)) as box:
        wait_for(lambda: box.value("select count(*) from azekura.receiver_status") == "1", "the receiver's first report")
        granted = int(box.value("select udp_buffer_bytes from azekura.receiver_status"))
        host, port = box.address("udp")
        before = switches(box.pid("receiver"))
        subprocess.run([box.program / "bin" / "azekura-bench", "load", "--mix", "--dgram", "--rate", str(RATE), "--number", str(MESSAGES), "--quiet",
                        host, str(port)], check=True, stdout=subprocess.DEVNULL)
        waits = switches(box.pid("receiver")) - before
        for _ in range(5):
            box.send_udp([b"<13>alone"])
            wait_for(lambda: box.udp_unread() == 0, "it is read")
        box.assert_ledger(sent=MESSAGES + 5)
        print(f"{waits} waits for {MESSAGES} datagrams, buffer {granted} bytes")
        if granted < BUFFER_BYTES:
            raise Skipped(f"the kernel grants {granted} bytes of buffer, it takes {BUFFER_BYTES}")
        assert waits < MESSAGES / 2, f"{waits} waits for {MESSAGES} datagrams"


if __name__ == "__main__":
    run(main)
