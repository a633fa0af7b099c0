"""What GET /load says of 75 s under load is what the machine's own tools saw: pidstat for the receiver, sar for the cores,
/proc/loadavg, and for PostgreSQL the postmaster's accounts, since hundreds of backends come and go that pidstat misses."""

import datetime
import os
import pathlib
import re
import subprocess
import threading
import time

from azk import Product, numbered, run, wait_for

BEAT_S, BEATS = 5, 15
SECONDS = BEAT_S * BEATS
RATE = 4_000
TICKS = os.sysconf("SC_CLK_TCK")
POINTS = 2.0  # percent
WORK = "select sum(sqrt(i)) from generate_series(1, 60000) i"


def stat(pid):
    """Fields of /proc/PID/stat after the name: [0] is field 3."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def own_s(pid):
    fields = stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS


def server_s(box):
    """CPU time of the postmaster with all its children, those included that ended, by the kernel's accounts.  A child
    that ends while they are read would be counted twice or not at all: then they are read again."""
    pid = box.cluster.process.pid
    while True:
        before = stat(pid)
        total = sum(map(int, before[11:15]))
        for child in box.cluster.children():
            try:
                total += sum(map(int, stat(child)[11:15]))
            except FileNotFoundError:
                break
        else:
            if stat(pid)[13:15] == before[13:15]:
                return total / TICKS


def wait_for_beat():
    """Until the clock stands at a multiple of 5 s, when the keeper samples; that time."""
    beat = int(time.time()) // BEAT_S * BEAT_S + BEAT_S
    wait_for(lambda: time.time() >= beat, "the next beat", every=0.005)
    return beat


def tool(*argv):
    return subprocess.Popen(argv, env={"PATH": os.environ["PATH"], "LC_ALL": "C", "S_TIME_FORMAT": "ISO"},
                            stdout=subprocess.PIPE, text=True)


class ShortBackends:
    """psql in a loop: each one a server process that lives some milliseconds.  Several clients, so that together they
    have a share of a machine that is busy with something else."""

    CLIENTS = 5

    def __init__(self, box, rate):
        self.box, self.pause, self.n, self.ends = box, self.CLIENTS / rate, 0, threading.Event()
        self.threads = [threading.Thread(target=self.work) for _ in range(self.CLIENTS)]
        for thread in self.threads:
            thread.start()

    def work(self):
        while not self.ends.wait(self.pause):  # pacing is the client's part
            self.box.cluster.psql(WORK)
            self.n += 1

    def stop(self):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def measure(box):
    """75 s by the other tools: CPU of receiver, web, keeper and PostgreSQL in % of a core, sar's line, load averages."""
    pids = {name: box.pid(name) for name in ("receiver", "web", "keeper")}
    begin = wait_for_beat()
    pidstat = tool("pidstat", "-h", "-u", "-p", ",".join(map(str, pids.values())), str(SECONDS), "1")
    sar = tool("sar", "-u", "ALL", str(SECONDS), "1")
    first = {name: own_s(pid) for name, pid in pids.items()} | {"database": server_s(box)}
    averages = []
    for _ in range(BEATS):
        wait_for_beat()
        averages.append(tuple(map(float, pathlib.Path("/proc/loadavg").read_text(encoding="ascii").split()[:3])))
    last = {name: own_s(pid) for name, pid in pids.items()} | {"database": server_s(box)}
    percent = {name: (last[name] - first[name]) / SECONDS * 100 for name in last}
    rows = [line.split() for line in pidstat.communicate()[0].splitlines()]
    head = next(r for r in rows if r[:2] == ["#", "Time"])
    by_pid = {int(r[head.index("PID") - 1]): float(r[head.index("%CPU") - 1]) for r in rows if r and r[0][0].isdigit()}
    lines = [line.split() for line in sar.communicate()[0].splitlines() if re.match(r"Average:|\S+ +CPU", line)]
    cores = dict(zip(lines[0][2:], map(float, lines[-1][2:])))
    return begin, percent, {name: by_pid[pid] for name, pid in pids.items()}, cores, averages


def time_text(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def ask(box, begin):
    """Our samples of the same time: name → values of the 15 beats."""
    query = f"/load?from={time_text(begin)}&to={time_text(begin + SECONDS)}&step={BEAT_S}"
    wait_for(lambda: all(s["mean"][-1] is not None for s in box.api("GET", query)["series"] if s["name"] == "load1"),
             "the last sample is stored")
    load = box.api("GET", query)
    assert load["n"] == BEATS and load["hardware_threads"] == os.cpu_count(), load["n"]
    return {s["name"]: s["mean"] for s in load["series"]}


def compare(ours, name, theirs, what, points=POINTS):
    values = ours[name] if isinstance(name, str) else [sum(v) for v in zip(*(ours[n] for n in name))]
    assert None not in values, f"{name} has a gap: {values}"
    mean = sum(values) / len(values)
    print(f"{str(name):40} ours {mean:7.2f} %, {what} {theirs:7.2f} %")
    assert abs(mean - theirs) <= points, f"{name}: {mean:.2f} % and {what} {theirs:.2f} %: {values}"


def check_averages(ours, averages):
    """Each of our load averages is what the file said then, or a beat before or after."""
    for k, name in enumerate(("load1", "load5", "load15")):
        for i, value in enumerate(ours[name]):
            near = [a[k] for a in averages[max(i - 1, 0):i + 2]]
            assert min(abs(value - a) for a in near) < 0.006, f"{name} at beat {i}: {value}, the file {near}"


def main():
    with Product() as box:
        box.token()
        wait_for(lambda: box.value("select count(*) from azekura.daemon") == "3", "the daemons have said that they run")
        sender = threading.Thread(target=lambda: box.send_udp(numbered(RATE * (SECONDS + 3 * BEAT_S)), rate=RATE))
        sender.start()
        backends = ShortBackends(box, rate=15)
        try:
            box.wait_for_stored(RATE)
            wait_for_beat()  # from here on each beat has one before it
            begin, percent, pidstat, cores, averages = measure(box)
        finally:
            backends.stop()
            sender.join()
        ours = ask(box, begin)
        print(f"{backends.n} short-lived backends, {RATE} messages/s")
        compare(ours, "cpu_syslog", pidstat["receiver"], "pidstat")
        compare(ours, "cpu_syslog", percent["receiver"], "/proc")
        compare(ours, "cpu_web", pidstat["web"], "pidstat")
        compare(ours, "cpu_keeper", pidstat["keeper"], "pidstat")
        compare(ours, "cpu_database", percent["database"], "the postmaster's accounts")
        compare(ours, "cpu_user", cores["%usr"] + cores["%nice"] + cores["%guest"] + cores["%gnice"], "sar")
        compare(ours, ("cpu_system", "cpu_irq"), cores["%sys"] + cores["%irq"] + cores["%soft"], "sar")
        compare(ours, "cpu_iowait", cores["%iowait"], "sar")
        compare(ours, "cpu_steal", cores["%steal"], "sar")
        compare(ours, "cpu_idle", cores["%idle"], "sar")
        check_averages(ours, averages)
        assert backends.n > 100 and percent["database"] > 5, "there was something to see"
        assert percent["keeper"] < 1, f"the keeper itself takes {percent['keeper']:.2f} % of a core"
        assert all(c is None or c >= 3 for c in ours["pg_connections"]) and sum(ours["pg_commits_s"]) > BEATS


if __name__ == "__main__":
    run(main)
