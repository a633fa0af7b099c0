"""Handshakes that are begun and not finished delay no good sender, are ended after receiver.handshake_seconds or when
there are too many, and cost no processor meanwhile.  A sender that closes as TLS wants it, a thousand times without a
line end, loses nothing and leaves no connection behind."""

import concurrent.futures
import contextlib
import os
import pathlib
import resource
import socket

from azk import TLS, Product, run, wait_for

HELLO_START = bytes((0x16, 0x03, 0x01, 0x02, 0x00))  # a record's header, nothing else


def allow_descriptors():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))


def open_descriptors(box):
    return len(os.listdir(f"/proc/{box.pid('receiver')}/fd"))


def processor_ticks(box):
    fields = pathlib.Path(f"/proc/{box.pid('receiver')}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def states(box, state):
    """Connections of the TLS port in a state of the kernel's table, on the receiver's side."""
    port = "%04X" % box.address("tls")[1]
    lines = pathlib.Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return sum(1 for l in lines if l.split()[1].endswith(f":{port}") and l.split()[3] == state)


def detail(box):
    return box.api("GET", "/receiver")["detail"]["tls"]


def crowd(box, n, start=b"", source="127.0.2.%d"):
    fds = []
    for i in range(n):
        s = socket.create_connection(box.address("tls"), 60, (source % (i % 250 + 1), 0))
        if start:
            s.sendall(start)
        fds.append(s)
    return fds


def ended(fds):
    """Each is closed by the receiver; a reset is an end, too."""
    for s in fds:
        s.settimeout(120)
        with contextlib.suppress(ConnectionError):
            while s.recv(100):
                pass
        s.close()


def half_open(box):
    before = open_descriptors(box)
    fds = crowd(box, 100) + crowd(box, 100, HELLO_START, "127.0.3.%d")
    wait_for(lambda: detail(box)["half_open"] == 200, "two hundred handshakes are under way")
    sent = box.send_tls([b"<13>1 - - good - - - beside the crowd"] * 10)
    box.wait_for_stored(sent)
    assert detail(box)["half_open"] == 200, "they were still there when the good one was done"
    # as many again: the oldest go, and good ones still come through
    more = crowd(box, 200, HELLO_START, "127.0.4.%d")
    sent += box.send_tls([b"<13>1 - - good - - - beside a larger crowd"] * 10)
    box.wait_for_stored(sent)
    tls = wait_for(lambda: (t := detail(box))["failed"]["timeout"] >= 144 and t, "the oldest went")
    assert tls["half_open"] <= 256, tls
    ticks = processor_ticks(box)
    ended(fds + more)
    # waiting for them is what the receiver did: a loop that spins takes a hundred ticks a second
    assert processor_ticks(box) - ticks < 250, "the receiver span while it waited"
    wait_for(lambda: open_descriptors(box) <= before + 2, "descriptors are back")
    tls = wait_for(lambda: (t := detail(box))["half_open"] == 0 and t, "no handshake is left")
    assert tls["failed"]["timeout"] + tls["failed"]["closed"] == 400, tls
    assert "too many handshakes at once" in box.log_text("receiver")
    return sent


def closed_in_order(box, times=1000):
    def once(i):
        with box.connect_tls() as s:
            s.sendall(b"<13>1 - - closing - - - number %d" % i)  # no line end
            # a reset is possible: the receiver has answered, ended and forgotten the connection already
            with contextlib.suppress(OSError):
                s.unwrap().close()
        return 1

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return sum(pool.map(once, range(times)))


def main():
    allow_descriptors()
    with Product(TLS | {"receiver.handshake_seconds": "6"}) as box:
        sent = half_open(box)
        before = open_descriptors(box)
        sent += closed_in_order(box)
        box.wait_for_stored(sent)
        wait_for(lambda: states(box, "08") == 0, "no CLOSE_WAIT is left")
        wait_for(lambda: open_descriptors(box) <= before, "descriptors are back")
        box.assert_ledger(sent=sent)
        numbers = int(box.value("select count(distinct message) from azekura.logs where app_name = 'closing'"))
        assert numbers == 1000, f"{numbers} of 1000 messages without line end"
        tls = wait_for(lambda: (t := detail(box))["handshakes"] == 1002 and t, "each handshake is counted")
        assert tls["open"] == 0, tls


if __name__ == "__main__":
    run(main)
