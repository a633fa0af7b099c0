"""PostgreSQL hangs (all its processes are stopped): thousands of TCP connections stay, their messages wait, and a
receiver that is told to stop obeys within ten seconds; the next start counts what was not stored."""

import resource
import socket
import time

from azk import Product, run, wait_for

CONNECTIONS = 3_000


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with Product(daemons=("receiver",)) as box:
        box.allow_errors(r"terminating|connection to client|did not take \d+ units with 100 messages")
        connections = []
        for i in range(CONNECTIONS):
            connections.append(socket.create_connection(box.address("tcp")))
            connections[i].sendall(b"<13>hello from %d\n" % i)
        box.wait_for_stored(CONNECTIONS)
        wait_for(lambda: box.value("select connections from azekura.receiver_status") == str(CONNECTIONS),
                 "all connections are served")
        with box.cluster.hung():
            for connection in connections[:100]:
                connection.sendall(b"<13>not stored\n")
            begin = time.monotonic()
            box.stop("receiver")
            took = time.monotonic() - begin
            assert took < 11, f"the stop took {took:.1f} s"
        box.start("receiver")
        wait_for(lambda: box.ledger()["refused"] == 100, "the next start counts what was not stored")
        sums = box.ledger()
        assert sums["arrived"] == CONNECTIONS + 100 and sums["stored"] == CONNECTIONS, sums
        assert box.value("select sum(queue_full) from azekura.ledger") == "100"
        assert box.value("select sum(messages) from azekura.log_block") == str(CONNECTIONS)


if __name__ == "__main__":
    run(main)
