"""1,000,000 messages over four TCP connections and, at the same time, 200,000 by UDP at 20,000 a second:
the ledger names every one, and azekura.logs holds what it says is stored."""

import threading
import time

from azk import Product, numbered, run

TCP_CONNECTIONS, TCP_EACH, UDP, UDP_RATE = 4, 250_000, 200_000, 20_000


def main():
    with Product() as box:
        begin = time.monotonic()
        threads = [threading.Thread(target=box.send_tcp, args=(numbered(TCP_EACH, f"tcp{n}"), n % 2 == 1))
                   for n in range(TCP_CONNECTIONS)]
        threads.append(threading.Thread(target=box.send_udp, args=(numbered(UDP, "udp"), UDP_RATE)))
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        sent = TCP_CONNECTIONS * TCP_EACH + UDP
        print(f"{sent} sent in {time.monotonic() - begin:.1f} s")
        sums = box.assert_ledger(sent=sent, seconds=180)
        print(f"named after {time.monotonic() - begin:.1f} s: {sums}")
        assert sums["refused"] == 0, sums
        tcp = int(box.value("select sum(stored) from azekura.ledger where listener = 'tcp'"))
        assert tcp == TCP_CONNECTIONS * TCP_EACH, f"{tcp} stored of those sent by TCP"
        distinct = int(box.value("select count(distinct message) from azekura.logs"))
        assert distinct == sums["stored"], f"{distinct} distinct messages of {sums['stored']} stored"
        live = box.psql("select arrived, stored + refused + queued from azekura.receiver_status")
        assert len(live) == 1 and live[0][0] == live[0][1], live


if __name__ == "__main__":
    run(main)
