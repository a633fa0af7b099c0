"""The sink counts every message, and drops, cuts, doubles, exchanges and closes exactly what it was told to."""

import collections
import contextlib
import itertools
import re
import socket
import subprocess

from azk import run, wait_for
from sink import PROGRAM, RUN, Sink, connect, generate, numbered, send

MESSAGES = 6000
FAULTS = {"drop": 100, "truncate": 300, "reorder": 70, "duplicate": 500}
TRANSPORTS = ("udp", "tcp", "tls", "unix-dgram", "unix-stream")
FOR_EVER = 604800


def where(transport):
    return "{dir}/socket" if transport.startswith("unix") else "127.0.0.1:0"


def ranges(numbers):
    """[{"stream": 0, "from": …, "to": …}] of sorted numbers, as the sink writes them."""
    found = []
    for n in numbers:
        if found and found[-1]["to"] == n - 1:
            found[-1]["to"] = n
        else:
            found.append({"stream": 0, "from": n, "to": n})
    return found


def expected(messages):
    """What the faults make of the messages, and the lines of the log: the rules of the command's help."""
    stored, log, held, kept = [], [], None, 0
    for arrived, message in enumerate(messages, 1):
        mark = re.search(rb"seq=(\S+)", message)[1].decode()
        if arrived % FAULTS["drop"] == 0:
            log.append(f"drop {mark}")
            continue
        kept += 1
        if kept % FAULTS["truncate"] == 0:
            log.append(f"truncate {mark}")
            message = message[:len(message) // 2]
        is_twice = kept % FAULTS["duplicate"] == 0
        if is_twice:
            log.append(f"duplicate {mark if b'seq=' in message else '-'}")
        if kept % FAULTS["reorder"] == 0 and held is None:
            log.append(f"reorder {mark if b'seq=' in message else '-'}")
            if is_twice:
                stored.append(message)
            held = message
            continue
        stored += [message] * (2 if is_twice else 1)
        if held is not None:
            stored.append(held)
        held = None
    return stored + ([held] if held is not None else []), log


def check_faults(transport, is_counted):
    """To the message: the file, the log, the counts and the ranges."""
    messages = [numbered(i) for i in range(MESSAGES)]
    stored, log = expected(messages)
    faults = [a for name, every in FAULTS.items() for a in (f"--{name}-every", every)]
    with Sink(transport, where(transport), *faults, "--threads", 1, "--store", "{dir}/store", "--fault-log", "{dir}/log") as sink:
        send(sink.listeners[0], messages, is_counted)
        result = sink.stop()
        assert sink.read("store").encode().split(b"\n")[:-1] == stored, f"{transport}: what was stored"
        assert sink.read("log").split("\n")[:-1] == log, f"{transport}: the log of the faults"
    assert result["messages"] == MESSAGES and result["bytes"] == sum(map(len, messages)) and result["kernel_dropped"] == 0, result
    assert result["stored"] == len(stored) and result["stored_bytes"] == sum(map(len, stored)), result
    for name, member in (("drop", "dropped"), ("truncate", "truncated"), ("reorder", "reordered"), ("duplicate", "duplicated")):
        assert result["faults"][member] == sum(line.startswith(name) for line in log), (name, result)
    [marks] = result["runs"]
    assert marks["run"] == RUN and marks["received"]["found"] == MESSAGES and marks["received"]["missing"] == 0, marks
    found = [int(m[1]) for s in stored if (m := re.search(rb"seq=\w+-0-(\d+) ", s))]
    missing = sorted(set(range(MESSAGES)) - set(found))
    twice = sorted(n for n, times in collections.Counter(found).items() if times > 1)
    assert missing[-1] == MESSAGES - 1, "the last message is dropped"
    assert marks["stored"]["missing_ranges"] == ranges(missing[:-1]), "all but the last, of which nothing can be seen"
    assert marks["stored"]["duplicated_ranges"] == ranges(twice) and marks["stored"]["found"] == len(set(found)), marks["stored"]
    assert marks["stored"]["duplicated"] == len(found) - len(set(found)), marks["stored"]
    first = list(dict.fromkeys(found))
    late = sum(n < greatest for n, greatest in zip(first[1:], itertools.accumulate(first, max)))
    assert marks["stored"]["reordered"] == late > 0, marks["stored"]


def check_generated(transport, connections, number):
    """What the generator says it sent is what has come, over several connections and threads."""
    with Sink(transport, where(transport), "--threads", 3) as sink:
        sent = generate(sink.listeners[0], "--rate", 0, "--number", number, "--active-connections", connections)
        result = sink.stop()
    assert sent["sent"] == number * connections, sent
    assert result["messages"] + result["kernel_dropped"] == sent["sent"], (transport, result, sent)
    [marks] = result["runs"]
    got = marks["received"]
    assert got["found"] == result["messages"] and got["duplicated"] == got["unexpected"] == 0, (transport, got)
    if transport != "udp":
        assert got["streams"] == connections and got["missing"] == 0 and got["reordered"] == 0, (transport, got)


def check_stopped():
    """A sink that does not read: what the kernel had no room for is known to the message."""
    with Sink("udp", "127.0.0.1:0", "--stop-for", f"{FOR_EVER}@0", "--buffer", 20000, "--threads", 1) as sink, connect(sink.listeners[0]) as s:
        s.send(numbered(0))
        wait_for(lambda: sink.status()["messages"] == 1, "the first message is taken")
        for i in range(1, 3000):
            s.send(numbered(i))
        result = sink.stop()
    held = result["messages"] - 1
    assert 0 < held < 2999 and result["kernel_dropped"] == 2999 - held, result
    # they were lost when the buffer was full: what was taken is the beginning, without a gap
    assert result["runs"][0]["received"]["missing"] == 0 and result["runs"][0]["received"]["found"] == held + 1, result
    assert result["elapsed_s"] > 0 and result["listeners"][0]["kernel_dropped"] == result["kernel_dropped"], result


def check_closed():
    """--close-every: the connection ends behind the message, and what was behind it is lost."""
    with Sink("tcp", "127.0.0.1:0", "--close-every", 300) as sink:
        for first in (0, 1000, 2000):
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                send(sink.listeners[0], (numbered(i) for i in range(first, first + 700)))
        result = sink.stop()
    assert result["messages"] == 900 and result["faults"]["closed"] == 3 and result["connections"] == 3, result
    assert result["runs"][0]["received"]["missing_ranges"] == [{"stream": 0, "from": 300, "to": 999}, {"stream": 0, "from": 1300, "to": 1999}]


def check_forwarded(transport):
    """A relay that loses every tenth: what remains is what the next one gets."""
    with Sink(transport, where(transport), "--threads", 1) as last:
        to = last.listeners[0]["address"]
        with Sink("tcp", "127.0.0.1:0", "--drop-every", 10, "--threads", 1, "--forward", f"{transport}:{to}") as relay:
            send(relay.listeners[0], (numbered(i) for i in range(995)))
            passed = relay.stop()
        result = last.stop()
    assert passed["messages"] == 995 and passed["stored"] == 896 == passed["forwarded"] and passed["forward_failed"] == 0, passed
    assert result["messages"] + result["kernel_dropped"] == 896, (transport, result)
    if result["kernel_dropped"] == 0:
        assert result["runs"][0]["received"] == passed["runs"][0]["stored"], (transport, result)
        assert result["runs"][0]["received"]["missing_ranges"] == [{"stream": 0, "from": n, "to": n} for n in range(9, 994, 10)]


def check_nobody_behind():
    """A next receiver that is not there: everything is counted as failed, and the sink goes on."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with Sink("tcp", "127.0.0.1:0", "--forward", f"127.0.0.1:{nobody.getsockname()[1]}") as sink:
            send(sink.listeners[0], (numbered(i) for i in range(500)))
            result = sink.stop()
    assert result["stored"] == 500 == result["forward_failed"] and result["forwarded"] == 0, result


def check_hostile():
    """Garbage, torn handshakes and cut messages cost their own connection and nothing else."""
    with Sink("tls", "127.0.0.1:0", "tcp", "127.0.0.1:0", "--threads", 2) as sink:
        tls, tcp = sink.listeners
        for garbage in (b"", b"\x16\x03\x01", b"<13>no handshake\n" * 1000, bytes(range(256)) * 300):
            with contextlib.suppress(ConnectionError), connect(tls | {"transport": "tcp"}) as s:
                s.sendall(garbage)
        for cut in (b"5 <1>", b"<13>without an end", b"12345678901 x", b"1x", b"0 "):
            with contextlib.suppress(ConnectionError), connect(tcp) as s:
                s.sendall(cut)
                s.shutdown(socket.SHUT_WR)
                s.recv(1)
        send(tls, (numbered(i, 0) for i in range(100)))
        send(tcp, (numbered(i, 1) for i in range(100)))
        result = sink.stop()
    assert result["messages"] == 200 and result["connections"] == 11, result
    assert result["bad_frames"] == 3 and result["unfinished"] == 2, result
    assert result["runs"][0]["received"]["found"] == 200, result


def check_out_of_descriptors():
    """As many connections as there may be files; the others are turned away, and the sink goes on."""
    with Sink("tcp", "127.0.0.1:0", limit=40) as sink:
        connections = [connect(sink.listeners[0]) for _ in range(60)]
        for c in connections:
            c.settimeout(60)
        wait_for(lambda: sink.status()["connections"] + sink.status()["turned_away"] == 60, "all are taken or turned away")
        taken = sink.status()["connections"]
        assert 0 < taken < 40, taken
        for i, c in enumerate(connections[:taken]):
            c.sendall(numbered(i) + b"\n")
        for c in connections:
            c.close()
        result = sink.stop()
    assert result["messages"] == result["found"] == taken and result["turned_away"] == 60 - taken, result


def check_several_sockets():
    """Many sockets in one sink, ended by itself; two runs are told apart."""
    every = [a for t in TRANSPORTS for a in (t, f"{{dir}}/{t}" if t.startswith("unix") else "127.0.0.1:0")]
    with Sink(*every, "udp", "[::1]:0", "--messages", 600, "--threads", 2) as sink:
        for stream, listener in enumerate(sink.listeners):
            send(listener, [numbered(i, stream).replace(RUN.encode(), b"%016x" % (stream % 2)) for i in range(100)])
        result = sink.result()
    runs = {r["run"]: r["received"] for r in result["runs"]}
    assert result["messages"] == 600 and set(runs) == {"0" * 16, "0" * 15 + "1"}, result
    assert all(r["streams"] == 3 and r["found"] == 300 and r["missing"] == 0 for r in runs.values()), runs


def check_usage():
    """What is wrong is named."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        for arguments, code, said in (
                (["udp"], 2, "TRANSPORT ADDRESS"),
                (["upd", "127.0.0.1:1"], 2, "upd: udp, tcp, tls"),
                (["udp", "localhost"], 2, "localhost: ADDR:PORT"),
                (["unix-dgram", "x" * 104], 2, "a path of 1..103 bytes"),
                (["udp", "127.0.0.1:0", "--drop-every", "0"], 2, "--drop-every 0: a whole number in 1.."),
                (["udp", "127.0.0.1:0", "--stop-for", "3"], 2, "--stop-for 3: SECONDS@SECONDS"),
                (["udp", "127.0.0.1:0", "--threads", "65"], 2, "--threads 65: a whole number in 1..64"),
                (["tls", "127.0.0.1:0", "--key", "x"], 2, "--certificate and --key"),
                (["udp", "127.0.0.1:0", "--forward", "tls:127.0.0.1:1"], 2, "tls is not sent"),
                (["tcp", address], 3, f"cannot listen on {address}: Address already in use"),
                (["udp", "127.0.0.1:0", "--store", "/nowhere/store"], 3, "/nowhere/store: No such file"),
        ):
            done = subprocess.run([PROGRAM, "sink", *arguments], capture_output=True, text=True, check=False, timeout=60)
            assert done.returncode == code and said in done.stderr, (arguments, done)
    with Sink("udp", "127.0.0.1:0", "--store", "/dev/full") as sink:
        send(sink.listeners[0], [numbered(0)])
        sink.process.wait(60)
        assert sink.process.returncode == 1, "a full disk ends it"


def scenario():
    for transport in TRANSPORTS:
        check_faults(transport, is_counted=transport in ("tls", "unix-stream"))
    check_faults("tcp", is_counted=True)
    check_stopped()
    check_closed()
    for transport in ("udp", "tcp", "unix-dgram", "unix-stream"):
        check_forwarded(transport)
    check_nobody_behind()
    check_hostile()
    check_out_of_descriptors()
    check_several_sockets()
    check_usage()
    check_generated("tcp", 4, 50000)
    check_generated("udp", 4, 20000)
    for transport in ("tls", "unix-dgram", "unix-stream"):
        check_generated(transport, 3, 10000)


if __name__ == "__main__":
    run(scenario)
