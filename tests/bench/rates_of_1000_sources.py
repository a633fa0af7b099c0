#!/usr/bin/env python3
"""How long do the receive-rate pages take on a box that 1,000 sources have sent to for two years?

Fills the rings of a private PostgreSQL as the keeper would have (every source in every minute: more than a real box has),
and the last minutes' units; then asks the real web server for /rates, /rates/by of each field and /retention/cost, and
prints the times, how long a fold of one minute takes, and the bytes of the rings.  Each page should take less than 1 s.

    AZEKURA_BUILD=build tests/bench/rates_of_1000_sources.py [--sources 1000] [--days 731] [--runs 5]
"""

import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from azk import Product  # noqa: E402

FIELDS = ("source", "hostname", "app_name", "severity", "listener")
SEVERITIES = (3, 4, 6, 7)
ZONE = "Asia/Tokyo"
APPS = 50

NAMES = """
insert into azekura.rate_name (id, dimension, name, first_heard, last_heard, messages) overriding system value
select i, 1, '=10.0.' || i / 250 || '.' || i % 250, now() - interval '2 years', now(), 1000000 from generate_series(1, {sources}) i
union all select 100000 + i, 2, '=switch-' || i || '.example.net', now() - interval '2 years', now(), 1000000 from generate_series(1, {sources}) i
union all select 200000 + i, 3, '=program' || i, now() - interval '2 years', now(), 1000000 from generate_series(1, {apps}) i
union all select 300000 + i, 4, '=' || (array['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'])[i + 1],
                 now() - interval '2 years', now(), 1000000 from generate_series(0, 7) i
union all select 300100 + i, 5, '=' || (array['udp', 'tcp', 'tls'])[i + 1], now() - interval '2 years', now(), 1000000 from generate_series(0, 2) i
union all select 300200, 6, '=kernel', now() - interval '2 years', now(), 1
"""

# a source's share is its own (few send most), what a step brings varies about it
SAMPLES = """
insert into azekura.rate_sample (step, dimension, slot, at, disk, total, keys, messages, bytes)
select {step}, {dimension}, azekura.rate_slot({step}, {dimension}::smallint, at, '{zone}'), at, 1000000, (select sum(b) from unnest(x.b) b), x.k, x.m, x.b
  from (select {at} as at from generate_series(0, {n} - 1) i) t,
       lateral (select array_agg(k order by k) k, array_agg(m order by k) m, array_agg(m * (90 + (m + k) % 60) order by k) b
                  from (select k, 1 + ((0.7 + 0.6 * random()) * {scale} * 40.0 / (1 + k % 997))::bigint as m
                          from unnest('{keys}'::int[]) k where at is not null) y) x
"""

UNITS = """
select azekura.count_rates(now() - make_interval(secs => u), 50000, array_agg(d::smallint), array_agg(n), array_agg(s::smallint), array_agg(m::bigint), array_agg(m * 100::bigint))
  from generate_series(0, 134) u,
       lateral (select 1 as d, '=10.0.' || i / 250 || '.' || i % 250 as n, 0 as s, 3 as m from generate_series(1, {sources}) i
                union all select 7, '=switch-' || i || '.example.net', 3 + i % 4, 3 from generate_series(1, {sources}) i
                union all select 8, '=program' || i, 3 + i % 4, 60 from generate_series(1, {apps}) i
                union all select 5, '=udp', 0, 3 * {sources}) r group by u
"""


def keys_of(sources):
    hosts, apps = range(100001, 100001 + sources), range(200001, 200001 + APPS)
    return {
        1: range(1, 1 + sources), 2: hosts, 3: apps, 4: range(300000, 300008), 5: range(300100, 300103), 6: [300200],
        7: [h * 8 + s for h in hosts for s in SEVERITIES], 8: [a * 8 + s for a in apps for s in SEVERITIES],
    }


def fill_rings(box, sources, days):
    box.psql(NAMES.format(sources=sources, apps=APPS))
    for dimension, keys in keys_of(sources).items():
        begin = time.monotonic()
        small = dimension > 6
        ring = {60: min(days * 1440, 4320 if small else 20160), 3600: min(days * 24, 336 if small else 17568), 86400: min(days, 798)}
        for step, n in ring.items():
            at = {60: "date_trunc('minute', now()) - make_interval(mins => i + 2)",
                  3600: "date_trunc('hour', now()) - make_interval(hours => i + 1)",
                  86400: f"azekura.rate_day(now() - make_interval(days => i + 1), '{ZONE}')"}[step]
            box.psql(SAMPLES.format(step=step, dimension=dimension, zone=ZONE, at=at, n=n, scale=step / 60,
                                    keys="{" + ",".join(map(str, keys)) + "}"))
        print(f"  dimension {dimension}: {len(keys)} keys, filled in {time.monotonic() - begin:.0f} s", flush=True)
    box.psql(UNITS.format(sources=sources, apps=APPS) if days else "select 1")
    box.psql("vacuum analyze azekura.rate_sample")
    box.psql("vacuum analyze azekura.rate_unit")


def make_up_pieces(box, days):
    box.psql(f"""insert into azekura.day_partition (name, source_group, day, lower, upper, messages, raw_bytes)
        select 'made_up_' || i, 0, (now() at time zone '{ZONE}')::date - 5000 - i, now() - make_interval(days => 5000 + i),
               now() - make_interval(days => 4999 + i), 1, 1 from generate_series(1, {days}) i""")
    box.psql("insert into azekura.piece_size (name, bytes, changed_at) select name, 1000000, changed_at from azekura.day_partition on conflict do nothing")


def seconds(box, path, runs):
    times = []
    for _ in range(runs):
        begin = time.monotonic()
        box.api("GET", path, role="viewer")
        times.append(time.monotonic() - begin)
    return statistics.median(times)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sources", type=int, default=1000)
    options.add_argument("--days", type=int, default=731)
    options.add_argument("--runs", type=int, default=5)
    args = options.parse_args()
    with Product({"time.zone": ZONE}, daemons=("web",)) as box:
        fill_rings(box, args.sources, args.days)
        make_up_pieces(box, args.days)
        size = box.psql("select dimension, step, count(*), sum(pg_column_size(keys) + pg_column_size(messages) + pg_column_size(bytes))"
                        " from azekura.rate_sample group by 1, 2 order by 1, 2")
        for dimension, step, rows, data in size:
            print(f"dimension {dimension} step {step:>5}: {rows:>6} samples, {int(data) / 1e6:8.1f} MB")
        total = int(box.value("select pg_total_relation_size('azekura.rate_sample')"))
        print(f"the rings take {total / 1e6:.0f} MB")
        slow = []
        year = "from=" + box.value("select to_char(now() at time zone 'UTC' - interval '730 days', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
        paths = ["/rates", f"/rates?{year}", f"/rates?{year}&step=86400"] + [f"/rates/by?field={f}" for f in FIELDS]
        for path in paths + ["/retention/cost", "/retention/cost?by=app_name"]:
            took = seconds(box, path, args.runs)
            print(f"{took * 1000:7.0f} ms  GET {path}")
            if took >= 1:
                slow.append(path)
        box.psql("update azekura.rate_unit set minute = minute - interval '3 minutes'")
        for what in ("a minute", "nothing"):
            begin = time.monotonic()
            rows = box.value(f"select azekura.fold_rates('{ZONE}', 400)")
            print(f"{(time.monotonic() - begin) * 1000:7.0f} ms  fold of {what}: {rows} rows")
        print("slower than a second: " + (", ".join(slow) or "none"))


if __name__ == "__main__":
    main()
