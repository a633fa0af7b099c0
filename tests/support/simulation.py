"""Months of the 20 % rule in seconds: real blocks in a real PostgreSQL, the keeper's own step, an injected clock.

    with Simulation({"retention.over_budget": "trim"}) as box:
        box.write(at, messages=500, size=2000)
        seen = box.step(at)

Every step is checked: what was deleted is what the preview just before said, the ledger adds up, and
what is used is within the capacity.  Times are aware datetimes.
"""

import datetime
import json
import pathlib
import subprocess
import tempfile

from cluster import BUILD, TEST_PROGRAMS, Cluster

UTC = datetime.timezone.utc
SEGMENT = 16 << 20
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = datetime.timedelta(microseconds=1)
CAPACITY = 300_000_000


def us(at):
    return (at - EPOCH) // MICROSECOND


class Simulation:
    def __init__(self, settings=None):
        self.settings = {"storage.capacity_bytes": CAPACITY, "time.zone": "UTC"} | (settings or {})
        self.cluster = Cluster(build=BUILD, settings={"autovacuum": "off", "synchronous_commit": "off"})
        self.folder = tempfile.TemporaryDirectory(prefix="azk-sim-", dir="/tmp")
        self.driver = None
        self.boot = None
        self.written = 0
        self.refused = 0
        self.wal = 0
        self.receipts = []
        self.was_doubted = False

    def __enter__(self):
        try:
            self.cluster.start()
            self.cluster.apply_migrations()
            config = pathlib.Path(self.folder.name) / "azekura.conf"
            lines = {"database": self.cluster.conninfo(), "state.dir": self.folder.name} | self.settings
            config.write_text("".join(f"{n} = {v}\n" for n, v in lines.items()), encoding="utf-8")
            self.log = open(pathlib.Path(self.folder.name) / "log", "w+", encoding="utf-8")
            self.driver = subprocess.Popen([TEST_PROGRAMS / "retention_sim", config], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, stderr=self.log, text=True)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.driver:
            self.driver.stdin.close()
            self.driver.wait()
            if self.driver.returncode != 0:
                self.log.seek(0)
                print(self.log.read()[-3000:])
            self.log.close()
        self.cluster.stop()
        self.folder.cleanup()

    def log_text(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text(encoding="utf-8")

    def tell(self, line):
        self.driver.stdin.write(line + "\n")
        self.driver.stdin.flush()
        answer = self.driver.stdout.readline()
        if not answer:
            raise AssertionError(f"the driver ended at: {line}\n{self.log_text()[-2000:]}")
        return json.loads(answer)

    def set(self, name, value):
        self.tell(f"set {name} {value}")

    def write(self, at, messages=100, size=2000, group=0):
        """A unit of random messages; how many were stored."""
        answer = self.tell(f"write {us(at)} {group} {messages} {size}")
        assert answer["stored"] + answer["refused"] == messages, answer
        self.written += answer["stored"]
        self.refused += answer["refused"]
        self.wal += messages * size
        return answer["stored"]

    def step(self, at, boot="boot-1", elapsed=None):
        """The keeper's step at `at`; the monotonic clock agrees unless `elapsed` (a timedelta since the first
        step) says otherwise."""
        if self.boot is None:
            self.boot = at
        if self.wal > SEGMENT:
            # the server's checkpoints, which have minutes in the simulated time, and here next to none
            self.cluster.psql("checkpoint")
            self.wal = 0
        since_boot = (at - self.boot) if elapsed is None else elapsed
        # the box had been up for an hour when the simulation began
        before = datetime.timedelta(hours=1 if boot == "boot-1" else 0)
        seen = self.tell(f"step {us(at)} {(before + since_boot) // MICROSECOND} {boot}")
        self.receipts += seen["receipts"]
        self.check(seen, at)
        return seen

    def check(self, seen, at):
        def key(p):
            return p[0]
        # the keeper sees first that the clock is wrong, or right again: the preview just before could not know
        is_clock_news = seen["doubted"] != self.was_doubted
        self.was_doubted = seen["doubted"]
        assert is_clock_news or sorted(seen["preview"], key=key) == sorted(seen["receipts"], key=key), \
            f"{at}: deleted is not what the preview said\n{seen['preview']}\n{seen['receipts']}\n{self.log_text()[-1500:]}"
        assert seen["stored"] == self.written, f"{at}: {seen['stored']} in the ledger, {self.written} written"
        assert seen["kept"] + seen["deleted"] == seen["stored"], f"{at}: the ledger does not add up: {seen}"
        assert seen["used"] < seen["capacity"], f"{at}: the guard did not hold: {seen}"

    def value(self, sql):
        return self.cluster.value(sql)
