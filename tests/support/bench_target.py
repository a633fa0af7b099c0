"""azekura-bench target, as scenarios drive it: a collector that is started, asked and stopped."""

import json
import os
import pathlib
import socket
import subprocess
import tempfile

from azk import BUILD, ScenarioFailure, wait_for
from cluster import SOURCE

BENCH = BUILD / "bin" / "azekura-bench"
PEERS = pathlib.Path(os.environ.get("AZEKURA_BENCH_PEERS", SOURCE / "build" / "peers"))
RUN = "0123456789abcdef"
AGAIN = "fedcba9876543210"  # each trial has a run of its own


def processes_of(word):
    """The pids whose command line or working folder names it; not those that end at this moment."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            text = (path / "cmdline").read_bytes().decode("utf-8", "replace") + os.readlink(path / "cwd")
            state = (path / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            continue
        if word in text and state != "Z" and int(path.name) != os.getpid():
            found.append(int(path.name))
    return found


class Target:
    """`with Target("syslog-ng:maxperf") as t: …`; its folder is removed at the end."""

    def __init__(self, spec, options=(), prefix=()):
        self.folder = tempfile.TemporaryDirectory(prefix="azk-target-")
        os.chmod(self.folder.name, 0o755)
        self.dir = pathlib.Path(self.folder.name) / "target"
        argv = [*prefix, BENCH, "target", spec, "--dir", self.dir, "--peers", PEERS, *options]
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [str(a) for a in argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.facts = None

    def __enter__(self):
        line = self.process.stdout.readline()
        if not line:
            words, code = self.process.stderr.read(), self.process.wait()
            self.folder.cleanup()
            raise ScenarioFailure(f"the target ended with {code}: {words}")
        self.facts = json.loads(line)
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise
        if kind is None and self.process.returncode != 0:
            raise ScenarioFailure(f"the target ended with {self.process.returncode}: {self.process.stderr.read()}")
        self.process.stdout.close()
        self.process.stderr.close()
        self.folder.cleanup()

    def ask(self, line):
        """The answer to a line; ScenarioFailure when it is an error."""
        answer = self.try_ask(line)
        if "error" in answer:
            raise ScenarioFailure(f"{self.facts['name']}: {line}: {answer['error']}")
        return answer

    def try_ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise ScenarioFailure(f"the target ended at \"{line}\": {self.process.stderr.read()}")
        return json.loads(answer)

    # ---- sending ----

    def source(self):
        return "127.66.0.1" if self.facts["source_network"] else "127.0.0.1"

    def address(self, transport, n=0):
        host, _, port = self.facts[transport][n].rpartition(":")
        return host.strip("[]"), int(port)

    def send_udp(self, messages):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind((self.source(), 0))
            s.connect(self.address("udp"))
            for message in messages:
                s.send(message)

    def send_tcp(self, messages, port=0):
        with socket.create_connection(self.address("tcp", port), 60, (self.source(), 0)) as s:
            s.sendall(b"".join(m + b"\n" for m in messages))

    def wait_for_visible(self, n, run=RUN):
        wait_for(lambda: self.ask(f"visible {run}")["visible"] == n, f"{n} messages in {self.facts['name']}")


def marked(stream, n, first=0, run=RUN):
    """n messages of a stream of a run."""
    return [f"<38>Nov 30 12:00:00 host{i % 20} prog[{i}]: a message of ordinary length about port {1024 + i} "
            f"seq={run}-{stream}-{i}".encode() for i in range(first, first + n)]


def canaries(n):
    return [f"<38>Nov 30 12:00:00 host prog[1]: canary={RUN}-{i}".encode() for i in range(n)]
