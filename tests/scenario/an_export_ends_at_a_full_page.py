#!/usr/bin/env python3
"""An export whose very last message fills a page of the server's memory ends there, and does not look for more for ever."""

import http.client

from azk import Product, run

SIZE = 65_000
MESSAGES = 130  # with the 130th a page of 8 MiB is full


def main():
    with Product() as box:
        head = b"<13>host app: "
        sent = [head + b"%05d" % i + b"x" * (SIZE - len(head) - 5) for i in range(MESSAGES)]
        assert SIZE * (MESSAGES - 1) + MESSAGES < 8 << 20 < SIZE * MESSAGES
        box.send_tcp(sent)
        box.assert_ledger(sent=MESSAGES)
        connection = http.client.HTTPConnection("127.0.0.1", box.http_port, timeout=30)
        connection.request("GET", "/api/v1/logs/export?format=raw", headers={"Authorization": f"Bearer {box.token()}"})
        got = connection.getresponse().read().splitlines()
        connection.close()
        assert got == sent, f"{len(got)} messages in place of {MESSAGES}"


if __name__ == "__main__":
    run(main)
