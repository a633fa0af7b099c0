"""The generator counts whole messages that the kernel took, no more and no fewer: under partial writes, when it is stopped
in the middle of one, when the peer closes in mid-stream, and when nobody is there."""

import json
import pathlib
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading

from azk import run, wait_for
from sink import PROGRAM, RUN, Sink, generate

MARK = re.compile(rb"seq=%s-(\d+)-(\d+)" % RUN.encode())


def listen(buffer_bytes=0):
    s = socket.socket()
    if buffer_bytes:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
    s.bind(("127.0.0.1", 0))
    s.listen(64)
    return s


def start(listener, *arguments):
    argv = [PROGRAM, "load", "--sequence", "--run", RUN, "--json", "--quiet", *map(str, arguments), "127.0.0.1", str(listener.getsockname()[1])]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process, code=0):
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, f"exit code {process.returncode}: {err}"
    return json.loads(out), err


def marks(text):
    """Every line is a whole message; (stream, number) of each, in order."""
    assert text.endswith(b"\n") or not text, f"torn: {text[-100:]!r}"
    lines = text.split(b"\n")[:-1]
    assert all(line.startswith(b"<") and MARK.search(line) for line in lines), "a line is no message"
    return [tuple(map(int, MARK.search(line).groups())) for line in lines]


def read_slowly(connection, into):
    """Few bytes at a time, of changing number."""
    n, sizes = 0, (1, 700, 13, 4096, 257, 65536)
    while True:
        part = connection.recv(sizes[n % len(sizes)])
        if not part:
            return
        into.append(part)
        n += 1


def partial_writes_are_counted_exactly():
    for arguments in (["--mix"], ["-s", "3000"], ["--layout", "compact", "--sizes", "100:5,5000:1"]):
        with listen(4096) as listener:
            process = start(listener, "-r", "0", "-n", "400", "--active-connections", "3", "--threads", "2", *arguments)
            texts, threads = [[], [], []], []
            for into in texts:
                connection = listener.accept()[0]
                threads.append(threading.Thread(target=read_slowly, args=(connection, into)))
                threads[-1].start()
            said, _ = end(process)
            for t in threads:
                t.join()
            streams = [marks(b"".join(text)) for text in texts]
            assert sorted(s[0][0] for s in streams) == [0, 1, 2]
            assert all([number for _, number in s] == list(range(400)) for s in streams), "each stream is whole and in order"
            assert said["sent"] == 1200 and said["errors"] == 0, said
            assert said["bytes"] == sum(len(b"".join(text)) for text in texts), said


def a_message_begun_is_finished_when_it_is_stopped():
    with listen(4096) as listener:
        process = start(listener, "-r", "0", "-I", "600", "-s", "60000")
        with listener.accept()[0] as connection:
            first = connection.recv(100)
            process.send_signal(signal.SIGINT)
            rest = []
            read_slowly(connection, rest)
        said, _ = end(process)
        text = first + b"".join(rest)
        assert said["sent"] == len(marks(text)), said
        assert said["bytes"] == len(text), said


def sockets_to(port, state):
    """How many TCP sockets to the port are in a state, as the kernel numbers them."""
    rows = [row.split() for row in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[2].endswith(f":{port:04X}") and row[3] == state for row in rows)


def a_peer_that_does_not_answer_does_not_hold_up_a_signal():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        with socket.socket() as first, socket.socket() as second:
            for s in (first, second):  # its queue is full with them
                s.setblocking(False)
                s.connect_ex(("127.0.0.1", port))
            # ten seconds each
            process = start(listener, "-n", "1", "--active-connections", "40", "--threads", "2")
            wait_for(lambda: sockets_to(port, "02") >= 2, "it connects")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
            assert process.returncode == 1 and "stopped while it connected" in err, err


def a_peer_that_does_not_read_does_not_hold_up_a_signal():
    with listen(4096) as listener:
        process = start(listener, "-r", "0", "-n", "20", "-s", "10000", "--active-connections", "3")
        connections = [listener.accept()[0] for _ in range(3)]
        wait_for(lambda: sockets_to(listener.getsockname()[1], "04") == 3, "it has sent all and waits for the peers")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)  # without the signal, 30 s
        assert process.returncode == 0 and json.loads(out)["sent"] == 60, err
        for c in connections:
            c.close()


def a_peer_that_closes_is_an_error_and_is_found_again():
    with listen(4096) as listener:
        process = start(listener, "-r", "0", "-n", "3000", "-s", "1000")
        connection = listener.accept()[0]
        got = connection.recv(5000)
        # with a reset, as a killed process does
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        said, err = end(process, 1)
        assert got.count(b"\n") <= said["sent"] < 3000, said
        assert said["errors"] <= 1 and said["failed_connections"] == 1, said
        assert "1 of 1 connections failed" in err, err
    with listen(4096) as listener:
        process = start(listener, "-r", "0", "-n", "3000", "-s", "1000", "--reconnect")
        connection = listener.accept()[0]
        connection.recv(5000)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        rest = []
        with listener.accept()[0] as connection:
            read_slowly(connection, rest)
        out, err = process.communicate(timeout=60)
        said = json.loads(out)
        again = [number for _, number in marks(b"".join(rest))]
        assert said["sent"] == 3000 and again[-1] == 2999, said
        assert again == list(range(again[0], 3000)), "it goes on with the message that was not taken whole"
        assert process.returncode == (1 if said["errors"] else 0), err


def nobody_there_is_said():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    done = subprocess.run([PROGRAM, "load", "-D", "-Q", "-n", "20", "127.0.0.1", str(port)], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "nobody listened there" in done.stderr, done
    done = subprocess.run([PROGRAM, "load", "-Q", "-n", "20", "127.0.0.1", str(port)], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and f"connection 0: cannot connect to 127.0.0.1:{port}: Connection refused" in done.stderr, done
    done = subprocess.run([PROGRAM, "load", "-D", "-Q", "-n", "20", "--loggen-compat", "127.0.0.1", str(port)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, "as loggen"


def what_of_a_file_is_not_sent_is_said():
    good = "<13>Feb 10 10:11:12 h app: good\n"
    for text, code, sent, said in (("no message\n" + good, 0, 1, "1 lines are no syslog messages of at most 65000 bytes and were left out, first line 1"),
                                   (good + "no\nno\n", 0, 1, "2 lines are no syslog messages of at most 65000 bytes and were left out, first line 2"),
                                   ("\0\xff" * 40000, 1, 0, "1 lines are no syslog messages")):
        with listen() as listener, tempfile.NamedTemporaryFile("w", encoding="latin-1") as f:
            f.write(text)
            f.flush()
            process = start(listener, "-R", f.name)
            with listener.accept()[0] as connection:
                read_slowly(connection, [])
            summary, err = end(process, code)
            assert summary["sent"] == sent and said in err, err


def an_input_that_is_silent_or_endless_does_not_hold_up_its_end():
    with listen() as listener:
        process = start(listener, "-R", "/dev/zero", "-I", "0.2")
        with listener.accept()[0] as connection:
            read_slowly(connection, [])
        summary, _ = end(process)
        assert summary["sent"] == 0
    with listen() as listener:
        argv = [PROGRAM, "load", "-Q", "--json", "-R", "-", "-n", "5", "127.0.0.1", str(listener.getsockname()[1])]
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with listener.accept()[0] as connection:
            process.stdin.write(b"<13>Feb 10 10:11:12 h app: one\n<13>Feb 10 10:11:12 h app: t")
            process.stdin.flush()
            assert connection.recv(1000).endswith(b"one\n")
            process.send_signal(signal.SIGTERM)
            assert connection.recv(1000) == b"", "half a line is no message"
        assert json.loads(process.stdout.read())["sent"] == 1
        process.stdin.close()
        process.wait()


def every_transport_arrives_exactly():
    for transport, address in (("udp", "127.0.0.1:0"), ("udp", "[::1]:0"), ("tcp", "[::1]:0"), ("tls", "127.0.0.1:0"),
                               ("unix-stream", "{dir}/stream"), ("unix-dgram", "{dir}/dgram")):
        with Sink(transport, address) as sink:
            said = generate(sink.listeners[0], "--mix", "--total-rate", 20000, "-n", 1000, "--active-connections", 3,
                            *(["-6"] if "[" in address else []))
            result = sink.stop()
            assert said["sent"] == 3000 and said["errors"] == 0, f"{transport}: {said}"
            assert result["messages"] + result["kernel_dropped"] == 3000 and result["bad_frames"] == 0, f"{transport}: {result}"
            assert result["found"] == result["messages"], f"{transport}: {result}"


def a_low_rate_costs_nothing():
    with Sink("tcp", "127.0.0.1:0") as sink:
        said = generate(sink.listeners[0], "-r", 4, "-n", 5, "--threads", 1)
        assert sink.stop()["messages"] == said["sent"] == 5
        assert said["cpu_s"] < 0.2 * said["seconds"], f"{said['cpu_s']} s of CPU in {said['seconds']} s"


def steps_and_bursts_come_to_their_sum():
    with Sink("tcp", "127.0.0.1:0") as sink:
        said = generate(sink.listeners[0], "--steps", "0:1000,0.5:3000,1:0", "--burst", "700@0.2", "-n", "2700", "--layout", "compact")
        assert said["sent"] == said["wanted"] == 2700, said
        assert sink.stop()["messages"] == 2700


def signals_change_the_rate():
    with listen() as listener:
        process = start(listener, "-r", "10", "-n", "200")
        with listener.accept()[0] as connection:
            connection.recv(10)
            for _ in range(7):
                process.send_signal(signal.SIGUSR1)
            rest = []
            read_slowly(connection, rest)
        said, _ = end(process)
        assert said["sent"] == 200 and said["seconds"] < 19, f"200 messages at 10/s are 20 s: {said}"


def main():
    partial_writes_are_counted_exactly()
    a_message_begun_is_finished_when_it_is_stopped()
    a_peer_that_does_not_answer_does_not_hold_up_a_signal()
    a_peer_that_does_not_read_does_not_hold_up_a_signal()
    a_peer_that_closes_is_an_error_and_is_found_again()
    nobody_there_is_said()
    what_of_a_file_is_not_sent_is_said()
    an_input_that_is_silent_or_endless_does_not_hold_up_its_end()
    every_transport_arrives_exactly()
    a_low_rate_costs_nothing()
    steps_and_bursts_come_to_their_sum()
    signals_change_the_rate()


if __name__ == "__main__":
    run(main)
