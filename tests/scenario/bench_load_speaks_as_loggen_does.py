"""The same options given to syslog-ng's loggen and to azekura-bench load give the same bytes on the wire and the same lines on
the terminal, times and drawn numbers aside; and ours is no slower against a peer that only reads."""

import os
import re
import socket
import subprocess
import tempfile
import threading

from azk import Skipped, run
from bench_target import PEERS
from sink import PROGRAM

LOGGEN = PEERS / "usr" / "bin" / "loggen"
CHANGING = (
    (rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", b"TIME"),
    (rb"[A-Z][a-z][a-z] [ \d]\d \d\d:\d\d:\d\d", b"TIME"),
    (rb"runid: (?=[\d ]{10},)\d+ *,", b"runid: N,"),  # ten places, filled up with blanks
    (rb"PROXY TCP4 192\.168\.1\.\d+ 192\.168\.1\.\d+ \d{4}", b"PROXY"),
)
FILE = (
    b"<13>Feb 10 10:11:12 hosta sshd[77]: hello world\n"
    b'<14>1 2024-01-02T03:04:05Z h5 app 12 id [a b="c"] \xef\xbb\xbftext here\n'
)
BARE = (
    b"<15>1 2024-01-02T03:04:05Z h5 app - - - no mark\n"
    b"<13>Feb  1 10:11:12 hosta app: without number\n"
    b"<13>Feb  1 10:11:12 hosta without colon\n"
    b"<16>Feb 10 10:11:12 hostb last: without line feed"
)
SECONDS = 1


def environment():
    libraries = f"{PEERS}/usr/lib/syslog-ng:{PEERS}/usr/lib/{os.uname().machine}-linux-gnu"
    return {**os.environ, "LD_LIBRARY_PATH": libraries, "SYSLOGNG_PREFIX": str(PEERS / "usr")}


def loggen(*arguments):
    return [str(LOGGEN), *arguments], environment()


def ours(*arguments):
    return [str(PROGRAM), "load", *arguments], None


def take_all(connection, into):
    while part := connection.recv(1 << 20):
        into.append(part)
    connection.close()


def talk(command, is_dgram, connections=1, keep=True):
    """(what arrived by connection, exit code, standard error); keep=False: its bytes are only counted."""
    argv, env = command
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM if is_dgram else socket.SOCK_STREAM) as s:
        s.bind(("127.0.0.1", 0))
        texts = [[] for _ in range(connections)]
        threads = []
        if not is_dgram:
            s.listen(64)

            def serve():
                for text in texts:
                    connection = s.accept()[0]
                    threads.append(threading.Thread(target=take_all if keep else count, args=(connection, text)))
                    threads[-1].start()

            server = threading.Thread(target=serve)
            server.start()
        done = subprocess.run([*argv, "127.0.0.1", str(s.getsockname()[1])], capture_output=True, env=env, timeout=60, check=False)
        if is_dgram:
            s.setblocking(False)
            try:
                while True:
                    texts[0].append(s.recv(65536) + b"\0")
            except BlockingIOError:
                pass
        else:
            server.join()
            for t in threads:
                t.join()
    return [b"".join(t) if keep else t for t in texts], done.returncode, done.stderr


def count(connection, into):
    buffer = bytearray(1 << 18)
    n = 0
    while part := connection.recv_into(buffer):
        n += part
    into.append(n)
    connection.close()


def plain(text):
    for pattern, word in CHANGING:
        text = re.sub(pattern, word, text)
    return text


def same(name, arguments, compat=True, is_dgram=False, connections=1):
    theirs, their_code, their_words = talk(loggen(*arguments), is_dgram, connections)
    own, code, words = talk(ours(*arguments, *(["--loggen-compat"] if compat else [])), is_dgram, connections)
    assert sorted(map(plain, own)) == sorted(map(plain, theirs)), f"{name}: {own!r}\n{theirs!r}"
    assert code == their_code, f"{name}: {code}, loggen {their_code}"
    last, their_last = words.splitlines()[-1], their_words.splitlines()[-1]
    pattern = rb"average rate = ([\d.]+) msg/sec, count=(\d+), time=([\d.e+-]+), \(average\) msg size=(\d+), bandwidth=([\d.]+) kB/sec"
    said, their = re.fullmatch(pattern, last), re.fullmatch(pattern, their_last)
    assert said and their and said[2] == their[2] and said[4] == their[4], f"{name}: {last!r}, loggen {their_last!r}"


def messages_are_the_same():
    same("lines", ["-i", "-S", "-n", "3", "-Q"], compat=False)
    same("lines of a size", ["-i", "-S", "-n", "3", "-Q", "-s", "300"], compat=False)
    same("the smallest lines", ["-i", "-S", "-n", "2", "-Q", "-s", "127"], compat=False)
    same("syslog protocol", ["-i", "-S", "-P", "-n", "3", "-Q"], compat=False)
    same("syslog protocol without framing", ["-i", "-S", "-P", "-F", "-n", "2", "-Q"], compat=False)
    same("structured data", ["-i", "-S", "-P", "-n", "2", "-Q", "-p", '[test name="value"]'], compat=False)
    same("two connections", ["-i", "-S", "-n", "3", "-Q", "--active-connections", "2"], compat=False, connections=2)
    same("datagrams", ["-i", "-D", "-n", "2", "-Q"], compat=False, is_dgram=True)


def quirks_are_the_same_when_asked_for():
    same("too short", ["-i", "-S", "-n", "2", "-Q", "-s", "100"])
    same("too short, counted", ["-i", "-S", "-P", "-n", "2", "-Q", "-s", "120"])
    same("too long, counted", ["-i", "-S", "-P", "-n", "3", "-Q", "-s", "8190"])
    same("counted datagrams", ["-i", "-D", "-P", "-n", "2", "-Q"], is_dgram=True)
    same("PROXY", ["-i", "-S", "-H", "-n", "3", "-Q"])
    with tempfile.NamedTemporaryFile() as f, tempfile.NamedTemporaryFile() as g:
        f.write(FILE)
        f.flush()
        g.write(BARE)
        g.flush()
        same("a file", ["-i", "-S", "-Q", "-R", f.name])
        same("a file as syslog protocol", ["-i", "-S", "-P", "-Q", "-R", f.name])
        same("a file without process numbers", ["-i", "-S", "-Q", "-R", g.name])
        same("a file without process numbers as syslog protocol", ["-i", "-S", "-P", "-Q", "-R", g.name])
        same("a file as it is", ["-i", "-S", "-d", "-Q", "-R", f.name])


def ours_is_no_slower():
    arguments = ["-i", "-S", "-Q", "-r", "3000000", "-I", str(SECONDS), "--active-connections", "4"]
    theirs, own = 0, 0
    for _ in range(5):  # once is enough, unless the machine had no time for ours
        theirs += sum(t[0] for t in talk(loggen(*arguments), False, 4, keep=False)[0])
        own += sum(t[0] for t in talk(ours(*arguments), False, 4, keep=False)[0])
        if own >= theirs:
            break
    print(f"against a peer that only reads: {own / theirs:.1f} times loggen's messages")
    assert own >= theirs, f"{own} bytes, loggen {theirs}"


def main():
    if not LOGGEN.exists():
        raise Skipped(f"loggen is not in {PEERS}")
    messages_are_the_same()
    quirks_are_the_same_when_asked_for()
    ours_is_no_slower()


if __name__ == "__main__":
    run(main)
