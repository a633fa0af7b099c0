"""azekura-bench sink as tests drive it, and a sender of numbered messages by each of its transports.

    with Sink("tcp", "127.0.0.1:0", "--drop-every", "1000") as sink:
        send(sink.listeners[0], range(20000))
        result = sink.stop()
"""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile

from azk import BUILD, wait_for

RUN = "00c0ffee00c0ffee"
PROGRAM = BUILD / "bin" / "azekura-bench"
DATAGRAMS_AT_ONCE = 100  # fewer than the smallest receive buffer holds


class Sink:
    """A running sink; `arguments` are its transports, addresses and options ("{dir}" stands for its folder); `limit`: files it may
    have."""

    def __init__(self, *arguments, limit=None):
        self.limit = limit
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="azk-sink-"))
        self.arguments = [str(a).replace("{dir}", str(self.dir)) for a in arguments]
        self.process = None

    def __enter__(self):
        argv = [PROGRAM, "sink", *self.arguments, "--json", "--quiet", "--status", self.dir / "status"]
        if self.limit:
            argv = ["prlimit", f"--nofile={self.limit}:{self.limit}", *argv]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)  # pylint: disable=consider-using-with
        try:
            wait_for(lambda: (self.dir / "status").exists() or self.process.poll() is not None, "the sink listens")
            assert self.process.poll() is None, f"the sink ended with {self.process.returncode}"
            self.listeners = self.status()["listeners"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.dir, ignore_errors=True)

    def status(self):
        return json.loads((self.dir / "status").read_text())

    def stop(self):
        """Its result, having taken what the kernel holds."""
        self.process.terminate()
        return self.result()

    def result(self):
        """The same when it ends by itself."""
        out, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, f"the sink ended with {self.process.returncode}"
        result = json.loads(out)
        last = self.status()
        assert last["state"] == "ended" and last["messages"] == result["messages"], "the status file has the result too"
        return result

    def read(self, name):
        return (self.dir / name).read_text()


def numbered(number, stream=0):
    return f"<13>Mar 10 12:00:00 host app[1]: some text in front of the mark seq={RUN}-{stream}-{number} and behind it".encode()


def host_port(address):
    host, port = address.rsplit(":", 1)
    return host.strip("[]"), int(port)


def connect(listener):
    """A connected socket to a listener of the status file."""
    transport, address = listener["transport"], listener["address"]
    kind = socket.SOCK_DGRAM if transport in ("udp", "unix-dgram") else socket.SOCK_STREAM
    if transport.startswith("unix"):
        s = socket.socket(socket.AF_UNIX, kind)
        s.connect(address)
        return s
    s = socket.socket(socket.AF_INET6 if address.startswith("[") else socket.AF_INET, kind)
    s.connect(host_port(address))
    if transport == "tls":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        s = context.wrap_socket(s)
    return s


def udp_waiting(port):
    """Bytes that the UDP sockets of a port hold unread."""
    waiting = 0
    for name in ("udp", "udp6"):
        for line in pathlib.Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if int(fields[1].rsplit(":", 1)[1], 16) == port:
                waiting += int(fields[4].split(":")[1], 16)
    return waiting


def send_datagrams(s, listener, messages):
    for i, message in enumerate(messages):
        s.send(message)
        if listener["transport"] == "udp" and i % DATAGRAMS_AT_ONCE == DATAGRAMS_AT_ONCE - 1:
            port = host_port(listener["address"])[1]
            wait_for(lambda: udp_waiting(port) == 0, "the sink reads", every=0.0005)


def send(listener, messages, is_counted=False):
    """All messages, over one connection, until the sink has taken them (a datagram sink: until the kernel has)."""
    with connect(listener) as s:
        if listener["transport"] in ("udp", "unix-dgram"):
            send_datagrams(s, listener, messages)
            return
        frames = ((b"%d %s" % (len(m), m) if is_counted else m + b"\n") for m in messages)
        s.sendall(b"".join(frames))
        if listener["transport"] == "tls":
            s = s.unwrap()
        s.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            assert s.recv(1) == b"", "the sink says nothing"


def generate(listener, *arguments, run=RUN):
    """The generator against a listener; the summary it prints."""
    transport, address = listener["transport"], listener["address"]
    how = {"udp": ["--dgram"], "tcp": ["--stream"], "tls": ["--use-ssl"], "unix-dgram": ["--unix", "--dgram"],
           "unix-stream": ["--unix", "--stream"]}[transport]
    where = [address] if transport.startswith("unix") else [*host_port(address)]
    done = subprocess.run([PROGRAM, "load", *how, "--sequence", "--run", run, "--json", "--quiet", *map(str, arguments), *map(str, where)],
                          stdout=subprocess.PIPE, check=True, timeout=120, env=os.environ)
    return json.loads(done.stdout)
