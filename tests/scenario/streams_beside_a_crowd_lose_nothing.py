"""Ten thousand idle connections, a thousand that send a byte a second, five hundred handshakes that are never
finished, from many addresses, and one source that floods by UDP, all at once: fifty quiet sources by UDP and TCP and
good senders by all ways lose nothing, the receiver's memory stays below 512 MiB, every message is accounted for, and
who never finishes a message is stored as far as it came."""

import contextlib
import pathlib
import resource
import socket
import threading

from azk import TLS, Product, raise_receive_buffer, run, wait_for
from flood import Flood, Quiet

IDLE, SLOW, HALF_OPEN = 10000, 1000, 500
GOOD = 20000
FLOOD_S = 4  # of the quiet ones' own time
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


class Memory(threading.Thread):
    """The most that the receiver has, in MiB: RSS has mapped files in it that the kernel can drop, PSS its share of
    what it shares with others."""

    def __init__(self, box):
        super().__init__(daemon=True)
        self.path = pathlib.Path(f"/proc/{box.pid('receiver')}/smaps_rollup")
        self.is_over, self.rss, self.pss = threading.Event(), 0, 0

    def run(self):
        while True:
            kib = {l.split()[0]: int(l.split()[1]) for l in self.path.read_text(encoding="ascii").splitlines()[1:]}
            self.rss = max(self.rss, kib["Rss:"] / 1024)
            self.pss = max(self.pss, kib["Pss:"] / 1024)
            if self.is_over.wait(0.5):
                return

    def end(self):
        self.is_over.set()
        self.join()


def detail(box):
    return box.api("GET", "/receiver")["detail"]


def good_senders(box):
    """Some thousands by TCP and TLS, of senders that come and go.  How many."""
    sent = 0
    for i in range(5):
        good = [b"<13>1 - - good - - - round %d number %d" % (i, k) for k in range(GOOD // 5)]
        sent += box.send_tcp(good[:GOOD // 10]) + box.send_tls(good[GOOD // 10:])
    return sent


def main():
    raise_receive_buffer()
    part = scale()
    idle_n, slow_n, half_n = int(IDLE * part), int(SLOW * part), int(HALF_OPEN * part)
    # so long that a slow machine does not end them by itself
    with Product(TLS | {"receiver.tcp_max_connections": "12000", "receiver.handshake_seconds": "300"}) as box:
        idle = [dial(box, "tcp", i) for i in range(idle_n)]
        slow = [dial(box, "tcp", 20000 + i) for i in range(slow_n)]
        half = [dial(box, "tls", 30000 + i) for i in range(half_n)]
        wait_for(lambda: detail(box)["connections"]["open"] == idle_n + slow_n, "the crowd is there")
        memory, trickle = Memory(box), Slow(slow)
        memory.start()
        trickle.start()
        quiet = Quiet(box, rate=20, by_tcp=True)
        quiet.start()
        try:
            wait_for(lambda: quiet.rounds >= quiet.rate, "a second of the quiet ones before the flood")
            flood, sent = Flood(box), good_senders(box)
            wait_for(lambda: quiet.rounds >= FLOOD_S * quiet.rate and trickle.rounds >= 3, "the flood has lasted")
            flooded = flood.end(must_stop=True)
        finally:
            quiet.end()
        sent += flooded + quiet.sent()
        sums = box.assert_ledger(sent=sent)
        quiet.assert_lost_nothing(box)
        assert box.value("select count(*) from azekura.logs where app_name = 'good'") == str(GOOD), sums
        assert box.value("select sum(refused) from azekura.ledger") == "0", sums
        found = detail(box)
        assert found["connections"]["open"] >= idle_n + slow_n, found["connections"]
        assert found["tls"]["half_open"] <= 256, found["tls"]
        memory.end()
        if not box.is_sanitized():
            assert memory.rss < 512, f"{memory.rss:.0f} MiB"
        print(f"{idle_n} idle, {slow_n} slow, {half_n} half open, {flooded} of a flood, of which the kernel dropped "
              f"{sums['kernel']}, beside {quiet.sources} x {quiet.rounds} by UDP and TCP each and {GOOD} more: RSS "
              f"{memory.rss:.0f}, PSS {memory.pss:.0f} MiB at most")

        trickle.is_over.set()
        trickle.join()
        # a message begun and not finished is stored when it takes too long, its connection ended
        box.api("PATCH", "/settings", {"receiver.unfinished_seconds": 1})
        box.wait_for_stored(sums["stored"] + slow_n)
        wait_for(lambda: detail(box)["connections"]["slow_closed"] == slow_n, "the slow ones are ended")
        for s in idle + slow + half:
            with contextlib.suppress(OSError):
                s.close()
        wait_for(lambda: detail(box)["connections"]["open"] == 0, "all have gone")
        box.assert_ledger(sent=sent + slow_n)


if __name__ == "__main__":
    run(main)
