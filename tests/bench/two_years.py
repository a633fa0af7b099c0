#!/usr/bin/env python3
"""What a box costs that 1,000 sources have sent to for two years: its pages, its keeper, its searches.

Fills a private box in bulk (two_years_store.py), starts the real daemons, and prints: each request that a page of the
console makes, the page as a whole (its requests at once, as a browser makes them), what keeper and database burn while
nothing comes in and a dashboard is open, and what many pieces cost: a search and a store in a new session, the pieces of
a new day, a deletion.  Beside each time stands its ratio to a reference taken in the same run (PostgreSQL adds up a
million numbers), so that two machines can be compared.  A page should be there in less than a second, the keeper should
take less than 1 % of a core; exits with 1 where that is not so.

    AZEKURA_BUILD=build tests/bench/two_years.py [--sources 1000] [--days 731] [--minutes-days 14] [--runs 3] [--idle 60]

With the defaults about fifteen minutes and 12 GB under /tmp; with `--sources 100 --days 200` about three.
"""

import argparse
import concurrent.futures
import datetime
import os
import pathlib
import statistics
import sys
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE)]
import two_years_store as store  # noqa: E402
from azk import Product, wait_for  # noqa: E402
from cluster import SOURCE  # noqa: E402

PAGE_S = 1.0
KEEPER_PERCENT = 1.0
UTC = datetime.timezone.utc
TICKS = os.sysconf("SC_CLK_TCK")
# as charts/catalog.ts asks for them
LOAD = "load1,load5,load15,cpu_syslog,cpu_database,used_bytes,capacity_bytes,month_bytes,budget_bytes"
RANGES = {"1 h": (3600, 10), "24 h": (86400, 120), "30 d": (30 * 86400, 3600), "2 y": (730 * 86400, 86400)}


def at(seconds_ago):
    moment = datetime.datetime.now(UTC) - datetime.timedelta(seconds=seconds_ago)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def query(path, **params):
    return path + "?" + urllib.parse.urlencode({k.rstrip("_"): v for k, v in params.items()})


def span(path, seconds, **params):
    return query(path, from_=at(seconds), to=at(0), **params)


def shell():
    """What every page asks for in its head."""
    return ["/session", span("/ledger", 60, limit=0), span("/ledger", 86400, limit=0), "/retention"]


def dashboard(seconds, step):
    rates = [span("/rates", seconds, step=step)] + ([span("/rates", seconds, step=60)] if step < 60 else [])
    return rates + [span("/load", seconds, metrics=LOAD), span("/events", seconds, limit=500), span("/events", 730 * 86400, limit=8),
                    span("/sources", 3600, order="busiest", limit=1000), span("/sources", 3600, order="silent", limit=20),
                    span("/rates", 729 * 86400, step=86400)]


def by(field, **params):
    return query("/rates/by", field=field, sort=params.pop("sort", "now"), order="desc", limit=100, **params)


def pages():
    """Page → its requests when it is opened."""
    today = datetime.datetime.now(UTC).date()
    first = today.replace(day=1)
    found = {f"Dashboard {name}": dashboard(*how) for name, how in RANGES.items()}
    found |= {f"Sources {field}": [by(field), by(field, sort="last_heard")] for field in store.rates.FIELDS}
    found["Sources, filtered, by change"] = [by("source", sort="change_percent", filter="1.2")]
    found |= {
        "Retention": ["/retention", query("/retention/days", from_=first, to=today)],
        "Retention, rule": ["/retention", "/retention/preview"],
        "Retention, receipts": ["/retention", "/retention/deletions?limit=50"],
        "Retention, size and cost": ["/retention", "/retention/size", "/retention/cost?by=hostname", "/retention/cost?by=app_name"],
        "Events": [span("/events", 7 * 86400, limit=100)],
        "Events 2 y": [span("/events", 730 * 86400, limit=100)],
        "Receiver 24 h": [span("/ledger", 86400, limit=200)],
        "Receiver 30 d": [span("/ledger", 30 * 86400, limit=200)],
        "Receiver 2 y": [span("/ledger", 730 * 86400, limit=200)],
        "Logs 1 h": [span("/logs", 3600, query="", limit=200), span("/logs/histogram", 3600, query="", buckets=120)],
        "Logs 2 y": [span("/logs", 730 * 86400, query="message", limit=200)],
    }
    return found


# ---- measuring ----

def took(action):
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


class Report:
    def __init__(self, reference):
        self.reference = reference
        self.bad = []
        print(f"reference: {reference * 1000:.0f} ms")

    def line(self, seconds, what, limit=None):
        is_bad = limit is not None and seconds >= limit
        print(f"{seconds * 1000:9.1f} ms {seconds / self.reference:7.2f}×  {what}{'   TOO SLOW' if is_bad else ''}", flush=True)
        if is_bad:
            self.bad.append(what)

    def share(self, percent, what, limit=None):
        is_bad = limit is not None and percent >= limit
        print(f"{percent:9.2f} % of a core  {what}{'   TOO MUCH' if is_bad else ''}", flush=True)
        if is_bad:
            self.bad.append(what)


def reference(box):
    return statistics.median(took(lambda: box.value("select sum(i) from generate_series(1, 1000000) i")) for _ in range(5))


def ask(box, path):
    return took(lambda: box.api("GET", path, role="viewer"))


def measure_pages(box, report, runs):
    """Each request by itself, the shell's first, and each page with all its requests at once."""
    def median(action):
        return statistics.median(took(action) for _ in range(runs))

    for path in shell():
        report.line(median(lambda: ask(box, path)), f"     GET {path}")  # pylint: disable=cell-var-from-loop
    with concurrent.futures.ThreadPoolExecutor(6) as browser:  # as many connections as a browser opens
        for name, paths in pages().items():
            wanted = shell() + paths
            report.line(median(lambda: list(browser.map(lambda path: ask(box, path), wanted))), f"page {name}", PAGE_S)  # pylint: disable=cell-var-from-loop
            for path in paths:
                report.line(median(lambda: ask(box, path)), f"     GET {path}")  # pylint: disable=cell-var-from-loop


# ---- processes ----

def ticks(pid):
    """CPU ticks of a process, its ended children included."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


def server_ticks(postmaster):
    """CPU ticks of PostgreSQL: the postmaster with what has ended, and every process of it that runs."""
    with open(f"/proc/{postmaster}/task/{postmaster}/children", encoding="ascii") as children:
        pids = children.read().split()
    total = ticks(postmaster)
    for pid in pids:
        try:
            total += ticks(pid)
        except FileNotFoundError:  # ended meanwhile: the postmaster has it next time
            pass
    return total


def percent_over(seconds, counters):
    """Percent of one core of each counter of ticks over some seconds."""
    before = {name: read() for name, read in counters.items()}
    begin = time.monotonic()
    time.sleep(seconds)  # a measurement over time, nothing is waited for
    passed = time.monotonic() - begin
    return {name: (read() - before[name]) * 100 / TICKS / passed for name, read in counters.items()}


class OpenDashboard:
    """Asks what an open dashboard asks, as often as it does."""
    EVERY_S = {2: [span("/ledger", 60, limit=0)],
               5: [span("/rates", 60, step=10), span("/rates", 300, step=60), span("/load", 60, metrics=LOAD)],
               10: [span("/sources", 3600, order="silent", limit=20), span("/events", 730 * 86400, limit=8)],
               30: [span("/ledger", 86400, limit=0), span("/sources", 3600, order="busiest", limit=1000)],
               60: ["/retention", span("/events", 3600, limit=500)]}

    def __init__(self, box):
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.go, args=(box, every, paths)) for every, paths in self.EVERY_S.items()]

    def go(self, box, every, paths):
        while not self.stopped.wait(every):
            for path in paths:
                box.api("GET", path, role="viewer")

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join()


def measure_idle(box, report, seconds):
    """After the keeper has settled: its CPU, and the database's, without and with a dashboard."""
    wait_for(lambda: is_settled(box), "the keeper has looked at every piece", 300, 1)
    counters = {"database": lambda: server_ticks(box.cluster.process.pid)} | {n: (lambda n=n: ticks(box.pid(n))) for n in box.processes}
    for name, percent in percent_over(seconds, counters).items():
        report.share(percent, f"{name}, idle", KEEPER_PERCENT if name == "keeper" else None)
    with OpenDashboard(box):
        for name, percent in percent_over(seconds, counters).items():
            report.share(percent, f"{name}, a dashboard open")


def is_settled(box):
    """Nothing to merge, nothing to measure, no rates to fold, no statement that goes on."""
    return box.value("""select not exists (select from azekura.day_partition where upper < now() - interval '1 hour' and messages > 0
                                              and merged_at is distinct from changed_at)
                           and not exists (select from azekura.rate_unit where minute < now() - interval '4 minutes')
                           and not exists (select from pg_stat_activity where usename = 'azekura_keeper' and state = 'active')""") == "t"


# ---- many pieces ----

def new_session(box, sql, user="postgres", tries=3):
    """Seconds that a statement takes in a session of its own, less those of a session that does nothing; the shortest of
    some tries."""
    empty = min(took(lambda: box.psql("select 1", user=user)) for _ in range(3))
    return max(0.0, min(took(lambda: box.psql(sql, user=user)) for _ in range(tries)) - empty)


def measure_pieces(box, report):
    n = int(box.value("select count(*) from azekura.day_partition"))
    print(f"with {n} pieces, in a new session:")
    web = "azekura_web"
    day = "now() - interval '400 days'"
    report.line(new_session(box, f"select count(*) from azekura.search('message', {day}, {day} + interval '1 day')", web), "search of a day")
    report.line(new_session(box, "select count(*) from azekura.search('message', now() - interval '1 hour', now())", web), "search of the last hour")
    report.line(new_session(box, f"select count(*) from azekura.logs where received_at >= {day} and received_at < {day} + interval '1 day'", web),
                "azekura.logs of a day")
    block = store.history.block_rows(datetime.datetime.now(UTC), 0, 50, "192.0.2.10")[0]
    box.psql(f"select azekura.ensure_partition(now(), '{store.ZONE}', 0::smallint)")
    # rolled back: no piece has counted it
    copy = f"begin;\ncopy azekura.log_block from stdin;\n{block}\n\\.\nrollback"
    report.line(new_session(box, copy, "azekura_receiver"), "COPY of a block")
    ahead = "now() + interval '40 days'"
    report.line(new_session(box, f"select azekura.ensure_partition({ahead}, '{store.ZONE}', 0::smallint)", tries=1), "a new day's first piece")
    report.line(new_session(box, f"select azekura.ensure_partition({ahead}, '{store.ZONE}', 1::smallint)", tries=1), "a new day's second piece")
    report.line(new_session(box, "select azekura.measure_pieces()"), "measuring what has changed")
    oldest = "(select array_agg(name) from (select name from azekura.day_partition order by lower limit 1) x)"
    report.line(new_session(box, f"select azekura.drop_pieces({oldest}, null, 'bench', 'bench')", tries=1), "dropping a piece")
    box.psql("update azekura.rate_unit set minute = minute - interval '10 minutes'")
    report.line(took(lambda: box.value(f"select azekura.fold_rates('{store.ZONE}', 2000)")), "fold of two minutes of every source in every second")


def database_settings():
    """As a box has them."""
    lines = (SOURCE / "rootfs/usr/share/azekura/postgresql.conf").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("#")[0].partition("=") for line in lines)
    settings = {name.strip(): value.strip() for name, _, value in pairs if value}
    return settings | {"unix_socket_permissions": "0777", "shared_buffers": "512MB", "effective_cache_size": "1GB"}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {"sources": 1000, "days": 731, "minutes-days": 14, "hours-days": 386, "runs": 3, "idle": 60}.items():
        options.add_argument(f"--{name}", type=int, default=default)
    args = options.parse_args()
    with Product({"time.zone": store.ZONE}, daemons=(), database=database_settings()) as box:
        store.fill(box, store.Size(args.sources, args.days, args.minutes_days, args.hours_days))
        for name in ("receiver", "web"):
            box.start(name)
        wait_for(lambda: box.request("GET", "/healthz").status == 200, "the console has its database")
        report = Report(reference(box))
        measure_pages(box, report, args.runs)
        measure_pieces(box, report)
        box.start("keeper")
        measure_idle(box, report, args.idle)
    print("over their limit: " + (", ".join(report.bad) or "none"))
    sys.exit(1 if report.bad else 0)


if __name__ == "__main__":
    main()
