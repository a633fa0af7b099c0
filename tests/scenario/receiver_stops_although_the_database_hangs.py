"""PostgreSQL hangs (all its processes are stopped): thousands of TCP connections stay, their messages wait, and a
receiver that is told to stop obeys within ten seconds; the next start stores what was not."""

import resource
import socket
import time

from azk import Product, run, wait_for, within

CONNECTIONS = 3_000


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with Product({"receiver.tcp_max_per_source": "10000"}, daemons=("receiver",)) as box:
        box.allow_errors(r"terminating|connection to client")
        connections = []
        for i in range(CONNECTIONS):
            connections.append(socket.create_connection(box.address("tcp")))
            connections[i].sendall(b"<13>hello from %d\n" % i)
        box.wait_for_stored(CONNECTIONS)
        wait_for(lambda: box.value("select connections from azekura.receiver_status") == str(CONNECTIONS),
                 "all connections are served")
        with box.cluster.hung():
            for connection in connections[:100]:
                connection.sendall(b"<13>not stored yet\n")
            begin = time.monotonic()
            box.stop("receiver")
            took = time.monotonic() - begin
            assert took < within(11), f"the stop took {took:.1f} s"
        box.start("receiver")
        sums = box.assert_ledger(sent=CONNECTIONS + 100)
        assert sums["refused"] == 0, sums


if __name__ == "__main__":
    run(main)
