#!/usr/bin/env python3
"""200,000 datagrams as fast as loopback takes them, with the settings and the kernel's limit as delivered: none is lost,
whatever time the receiver needs to read them."""

import json
import subprocess

from azk import Product, Skipped, raise_receive_buffer, run, wait_for

MESSAGES = 200_000
ASKED_BYTES = 128 << 20  # receiver.udp_buffer_bytes


def burst(box):
    host, port = box.address("udp")
    said = subprocess.run([box.program / "bin" / "azekura-bench", "load", "--mix", "--dgram", "--rate", "0", "--number", str(MESSAGES), "--json",
                           "--quiet", host, str(port)], check=True, capture_output=True, text=True)
    return json.loads(said.stdout)


def main():
    allowed = raise_receive_buffer()
    if allowed < ASKED_BYTES:
        raise Skipped(f"net.core.rmem_max is {allowed}, the receiver asks for {ASKED_BYTES}")
    with Product(daemons=("receiver",)) as box:
        wait_for(lambda: box.value("select count(*) from azekura.receiver_status") == "1", "the receiver's first report")
        granted = int(box.value("select udp_buffer_bytes from azekura.receiver_status"))
        assert granted == ASKED_BYTES, f"{granted} bytes of buffer"
        said = burst(box)
        sums = box.assert_ledger(sent=said["sent"])
        assert sums["stored"] == said["sent"] == MESSAGES, (said, sums)
        print(f"{MESSAGES} datagrams in {said['seconds']} s, all of them stored")


if __name__ == "__main__":
    run(main)
