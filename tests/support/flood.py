"""Senders for scenarios in which somebody sends as fast as it goes beside others who do not."""

import json
import signal
import socket
import subprocess
import threading
import time

QUIET_NETWORK = "127.0.1.0/24"


class Quiet(threading.Thread):
    """Up to 250 quiet sources with `rate` messages a second each by UDP, and with `by_tcp` as many by a connection of
    their own, until told to end."""

    def __init__(self, box, sources=50, rate=50, by_tcp=False):
        super().__init__()
        self.sources, self.rate, self.by_tcp = sources, rate, by_tcp
        self.ended, self.rounds = threading.Event(), 0
        self.senders = []
        for i in range(sources):
            self.senders.append(self.source(socket.SOCK_DGRAM, i, box.address("udp")))
            if by_tcp:
                self.senders.append(self.source(socket.SOCK_STREAM, i, box.address("tcp")))

    @staticmethod
    def source(kind, i, address):
        s = socket.socket(socket.AF_INET, kind)
        s.bind((f"127.0.1.{i + 1}", 0))
        s.connect(address)
        return s

    def run(self):
        begin = time.monotonic()
        while not self.ended.is_set():
            for i, s in enumerate(self.senders):
                s.sendall(b"<13>Mar 10 11:46:00 quiet%d app: %d\n" % (i, self.rounds))
            self.rounds += 1
            # pacing is the senders' part, not a wait for the product
            time.sleep(max(0, begin + self.rounds / self.rate - time.monotonic()))

    def end(self):
        """How many messages each has sent by each way."""
        self.ended.set()
        self.join()
        for s in self.senders:
            s.close()
        return self.rounds

    def sent(self):
        """By all of them."""
        return self.rounds * len(self.senders)

    def assert_lost_nothing(self, box):
        """Once they have ended and their messages are in the ledger."""
        rows = box.psql("select host(source), listener, sum(stored) from azekura.ledger"
                        f" where source <<= '{QUIET_NETWORK}' group by 1, 2")
        lost = [row for row in rows if int(row[2]) != self.rounds]
        assert lost == [], f"of {self.rounds} messages each: {lost}; {box.ledger()}"
        assert len(rows) == len(self.senders), f"{len(rows)} of {len(self.senders)} are in the ledger"


class Flood:
    """Datagrams as fast as loopback takes them, `number` of them or until told to end; no longer than this process."""

    def __init__(self, box, number=None):
        host, port = box.address("udp")
        limit = ["--number", str(number)] if number else ["--permanent"]
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["setpriv", "--pdeathsig", "KILL", "--", box.program / "bin" / "azekura-bench", "load", "--mix", "--dgram", "--rate", "0",
             *limit, "--json", "--quiet", host, str(port)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def end(self, must_stop=False):
        """How many were sent."""
        if must_stop:
            self.process.send_signal(signal.SIGINT)
        said, _ = self.process.communicate()
        return json.loads(said)["sent"]
