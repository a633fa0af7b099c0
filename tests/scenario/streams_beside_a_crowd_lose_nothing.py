"""Ten thousand idle connections, a thousand that send a byte a second and five hundred handshakes that are never
finished, from many addresses: good senders beside them lose nothing, the receiver's memory stays below 512 MiB, and
who never finishes a message is stored as far as it came."""

import contextlib
import pathlib
import resource
import socket
import threading

from azk import TLS, Product, run, wait_for

IDLE, SLOW, HALF_OPEN = 10000, 1000, 500
OTHERS = 600  # descriptors of the test and of good senders


def scale():
    """The crowd that this process may make: all of it, but where the system allows few open files."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    want = IDLE + SLOW + HALF_OPEN + OTHERS
    if hard != resource.RLIM_INFINITY:
        want = min(want, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (want, hard))
    return min(1, (want - OTHERS) / (IDLE + SLOW + HALF_OPEN))


def dial(box, listener, i):
    source = f"127.{1 + i // 50000}.{i // 200 % 250}.{i % 200 + 1}"
    return socket.create_connection(box.address(listener), 60, (source, 0))


class Slow(threading.Thread):
    """A byte a second by each connection, until told to stop."""

    def __init__(self, connections):
        super().__init__(daemon=True)
        self.connections, self.is_over, self.rounds = connections, threading.Event(), 0

    def run(self):
        text = b"<13>1 - - slow - - - a byte a second and never an end " + b"x" * 4096
        while not self.is_over.is_set() or self.rounds < 3:
            for s in self.connections:
                s.sendall(text[self.rounds:self.rounds + 1])
            self.rounds += 1
            self.is_over.wait(1)  # its pace


def peak_mib(box):
    status = pathlib.Path(f"/proc/{box.pid('receiver')}/status").read_text(encoding="ascii")
    return int(next(l for l in status.splitlines() if l.startswith("VmHWM")).split()[1]) / 1024


def detail(box):
    return box.api("GET", "/receiver")["detail"]


def main():
    part = scale()
    idle_n, slow_n, half_n = int(IDLE * part), int(SLOW * part), int(HALF_OPEN * part)
    # so long that a slow machine does not end them by itself
    with Product(TLS | {"receiver.tcp_max_connections": "12000", "receiver.handshake_seconds": "300"}) as box:
        idle = [dial(box, "tcp", i) for i in range(idle_n)]
        slow = [dial(box, "tcp", 20000 + i) for i in range(slow_n)]
        half = [dial(box, "tls", 30000 + i) for i in range(half_n)]
        wait_for(lambda: detail(box)["connections"]["open"] == idle_n + slow_n, "the crowd is there")
        trickle = Slow(slow)
        trickle.start()
        sent = 0
        for i in range(5):
            good = [b"<13>1 - - good - - - round %d number %d" % (i, k) for k in range(4000)]
            sent += box.send_tcp(good[:1500]) + box.send_tls(good[1500:3000])
            sent += box.send_udp(good[3000:])
            wait_for(lambda: box.udp_unread() == 0, "datagrams are read")
        wait_for(lambda: trickle.rounds >= 3, "the slow ones have sent")
        box.wait_for_stored(sent)
        found = detail(box)
        assert found["connections"]["open"] >= idle_n + slow_n, found["connections"]
        assert found["tls"]["half_open"] <= 256, found["tls"]
        if not box.is_sanitized():
            assert peak_mib(box) < 512, f"{peak_mib(box):.0f} MiB"
        print(f"{idle_n} idle, {slow_n} slow, {half_n} half open: {peak_mib(box):.0f} MiB at most")

        trickle.is_over.set()
        trickle.join()
        # a message begun and not finished is stored when it takes too long, its connection ended
        box.api("PATCH", "/settings", {"receiver.unfinished_seconds": 1})
        box.wait_for_stored(sent + slow_n)
        wait_for(lambda: detail(box)["connections"]["slow_closed"] == slow_n, "the slow ones are ended")
        for s in idle + slow + half:
            with contextlib.suppress(OSError):
                s.close()
        wait_for(lambda: detail(box)["connections"]["open"] == 0, "all have gone")
        box.assert_ledger(sent=sent + slow_n)


if __name__ == "__main__":
    run(main)
