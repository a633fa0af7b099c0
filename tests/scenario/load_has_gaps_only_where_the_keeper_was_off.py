"""PostgreSQL is stopped, killed and started again, the keeper too: samples go on while the database is away and are stored
afterwards, a keeper that is off leaves a gap, nothing that begins anew makes a spike or falls below zero, and events tell
who ended without saying so."""

import datetime
import json
import os
import signal
import time

from azk import Product, numbered, run, wait_for

BEAT_S = 5


def samples(box):
    return int(box.value("select count(*) from azekura.load_sample where step = 5"))


def wait_until(wall):
    wait_for(lambda: time.time() >= wall, "the scenario's time", every=0.05)


def bring_back(cluster):
    def starts():
        try:
            cluster.start()
            return True
        except RuntimeError:
            return False
    wait_for(starts, "the database starts again")


def series(box, begin):
    """name → {time: mean} of all beats since."""
    text = datetime.datetime.fromtimestamp(begin, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    headers = {"Authorization": f"Bearer {box.token()}"}

    def ask():
        reply = box.request("GET", f"/api/v1/load?from={text}&step={BEAT_S}", headers=headers)
        return json.loads(reply.body) if reply.status == 200 else None
    load = wait_for(ask, "the console has its database again")
    first = int(datetime.datetime.fromisoformat(load["from"].replace("Z", "+00:00")).timestamp())
    return {s["name"]: {first + BEAT_S * i: v for i, v in enumerate(s["mean"])} for s in load["series"]}


def check_values(by_name):
    cores = os.cpu_count()
    for name, values in by_name.items():
        known = [v for v in values.values() if v is not None]
        assert all(v >= 0 for v in known), (name, known)
        if name.startswith("cpu_"):
            limit = 105 * cores if name in ("cpu_syslog", "cpu_database", "cpu_web", "cpu_keeper") else 100.01
            assert all(v <= limit for v in known), (name, known)


def main():
    with Product() as box:
        box.allow_errors(r"terminating connection|database system|shut ?down|starting up|connection to client|"
                         r"pre-existing shared memory|lock file|the database went away")
        box.token()
        begin = int(time.time()) // BEAT_S * BEAT_S
        box.send_udp(numbered(2000))
        wait_for(lambda: samples(box) >= 3, "three samples")

        # the database is away for three beats: stopped, then killed
        box.cluster.halt()
        away = time.time()
        wait_until(away + 3 * BEAT_S)
        back = time.time()
        box.cluster.start()
        box.send_udp(numbered(2000))
        wait_for(lambda: series(box, begin)["pg_commits_s"].get(int(time.time()) // BEAT_S * BEAT_S - 2 * BEAT_S) is not None,
                 "the rate of commits is known again")
        box.cluster.halt(signal.SIGKILL)
        bring_back(box.cluster)
        wait_for(lambda: series(box, begin)["pg_commits_s"].get(int(time.time()) // BEAT_S * BEAT_S - 2 * BEAT_S) is not None,
                 "the rate of commits is known again, after the kill")

        # the keeper is off for six beats: more than it fills in for a late one
        box.kill("keeper")
        off = time.time()
        wait_until(off + 6 * BEAT_S)
        on = time.time()
        box.start("keeper")
        seen = samples(box)
        wait_for(lambda: samples(box) >= seen + 3, "samples of the new keeper")

        by_name = series(box, begin)  # [t, t + 5 s) is sampled at its end
        check_values(by_name)
        load1, connections = by_name["load1"], by_name["pg_connections"]
        during = [t for t in load1 if away < t and t + BEAT_S < back]
        assert during and all(load1[t] is not None for t in during), f"samples go on without a database: {load1}"
        assert all(connections[t] is None for t in during), f"what only the database knows is unknown: {connections}"
        gap = [t for t in load1 if off < t + BEAT_S < on]
        assert len(gap) >= 3 and all(load1[t] is None for t in gap), f"a keeper that is off is a gap: {load1}"
        outside = [t for t in load1 if begin + BEAT_S < t < off - 2 * BEAT_S]
        assert all(load1[t] is not None for t in outside), f"and there is no other: {load1}"

        events = box.api("GET", "/events?kind=daemon.")["entries"]
        failed = [e["params"]["daemon"] for e in events if e["kind"] == "daemon.failed"]
        assert failed == ["keeper"], events
        started = sorted(e["params"]["daemon"] for e in events if e["kind"] == "daemon.started")
        assert started == ["keeper", "keeper", "receiver", "web"], "a database that was away is no start of a daemon"

        # an orderly stop is said, and then a start is no failure
        for name in ("web", "keeper", "receiver"):
            box.stop(name)
        stopped = box.psql("select params[2] from azekura.event where kind = 'daemon.stopped' order by 1")
        assert stopped == [("keeper",), ("receiver",), ("web",)], stopped
        assert box.value("select count(*) from azekura.daemon where stopped_at is null") == "0"
        for name in ("web", "keeper", "receiver"):
            box.start(name)
        wait_for(lambda: box.value("select count(*) from azekura.daemon where stopped_at is null") == "3", "all run again")
        assert box.value("select count(*) from azekura.event where kind = 'daemon.failed'") == "1"


if __name__ == "__main__":
    run(main)
