"""A box's store after two years: what the receiver and the keeper would have left, put there in bulk.

fill(box, size) makes pieces with a real block each, full rings of load and rates, the ledger at its bound (minutes of 14
days, hours before), events, receipts, senders.  Each part says how long it took and what it takes on disk.
"""

import dataclasses
import datetime
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "scenario")]
import history  # noqa: E402
import load_of_two_years_is_shown_at_once as load  # noqa: E402
import rates_of_1000_sources as rates  # noqa: E402

ZONE = rates.ZONE
GROUPS = ("switches", "servers")  # beside default


@dataclasses.dataclass
class Size:
    sources: int
    days: int           # of pieces and rings
    minutes_days: int   # of the ledger
    hours_days: int
    events: int = 10_000
    receipts: int = 1_000
    messages: int = 50  # of a piece


LEDGER = """
insert into azekura.{table} (minute, listener, source, arrived, stored, bytes, over_budget)
select m, 'udp', s, n + r, n, n * 120, r
  from generate_series({since}, {upto} - interval '{step}', interval '{step}') m,
       (select ('10.0.' || i / 250 || '.' || i % 250)::inet as s, {scale} * (1 + 2400 / (1 + i % 997)) as n, {scale} * (i % 7 / 6) as r from generate_series(1, {sources}) i) x
"""
# as sum_ledger() leaves them
SUMS = """
alter table azekura.ledger_sum alter step set default 3600;
{hours};
alter table azekura.ledger_sum alter step set default 86400;
{days};
alter table azekura.ledger_sum alter step drop default;
update azekura.ledger_summed set hours_from = date_trunc('day', {merged}, 'UTC'), hours_upto = date_trunc('hour', now()), days_upto = date_trunc('day', now(), 'UTC')
"""
SOURCES = """
insert into azekura.source (address, first_heard, last_heard, messages, bytes)
select ('10.0.' || i / 250 || '.' || i % 250)::inet, now() - interval '2 years', now() - make_interval(secs => i % 40 * i % 40), 1000000, 120000000
  from generate_series(1, {sources}) i
"""
EVENTS = """
insert into azekura.event (at, severity, kind, params)
select now() - i * interval '100 minutes', 4, 'retention.deleted',
       array['from', to_char(now() - i * interval '100 minutes', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'to', to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
             'group', 'default', 'messages', '100000', 'bytes', '3000000', 'reason', 'trim', 'actor', 'keeper']
  from generate_series({events}, 1, -1) i
"""
# of 64 pieces each, the most one receipt has
RECEIPTS = """
insert into azekura.audit (at, actor, action, detail)
select now() - i * interval '17 hours', 'keeper', 'retention.delete',
       jsonb_build_object('reason', 'trim', 'group', 'default', 'from', now() - i * interval '17 hours', 'to', now() - i * interval '16 hours',
                          'messages', 64000, 'raw_bytes', 6400000, 'bytes', 1600000, 'pieces', pieces)
  from generate_series({receipts}, 1, -1) i,
       (select jsonb_agg(jsonb_build_object('name', 'log_block_20250101_' || j, 'group', 'default', 'day', '2025-01-01', 'from', now(), 'to', now(),
                         'messages', 1000, 'raw_bytes', 100000, 'bytes', 25000)) as pieces from generate_series(1, 64) j) p
"""


def fill_pieces(box, size):
    """A real block in each day of each group, stored as the receiver stores it, so its piece is made on the way."""
    for name in GROUPS:
        box.psql(f"insert into azekura.source_group (id, name) select max(id) + 1, '{name}' from azekura.source_group")
    noon = datetime.datetime.now(datetime.timezone.utc).replace(hour=3, minute=0, second=0, microsecond=0)
    parts = [(noon - datetime.timedelta(days=back), group, size.messages)
             for back in range(size.days, 0, -1) for group in range(len(GROUPS) + 1)]
    history.fill(box, parts, zone=ZONE)


def fill_ledger(box, size):
    """As merge_ledger() and count_unit() leave it.  Its indexes are made when it is full."""
    indexes = box.psql("select indexdef from pg_indexes where schemaname = 'azekura' and indexname = 'ledger_source'")[0][0]
    box.psql("drop index azekura.ledger_source")
    box.psql("alter table azekura.ledger drop constraint ledger_pkey")
    merged = "date_trunc('hour', now() - interval '14 days', 'UTC')"
    minutes = f"greatest({merged}, date_trunc('hour', now()) - interval '{size.minutes_days} days')"
    first = f"date_trunc('day', {merged} - interval '{size.hours_days} days', 'UTC')"
    box.psql(LEDGER.format(table="ledger", since=first, upto=merged, step="1 hour", scale=60, sources=size.sources))
    box.psql(LEDGER.format(table="ledger", since=minutes, upto="date_trunc('minute', now())", step="1 minute", scale=1, sources=size.sources))
    hours = LEDGER.format(table="ledger_sum", since=f"date_trunc('day', {minutes}, 'UTC')", upto="date_trunc('hour', now())", step="1 hour", scale=60,
                          sources=size.sources)
    days = LEDGER.format(table="ledger_sum", since=first, upto="date_trunc('day', now(), 'UTC')", step="1 day", scale=1440, sources=size.sources)
    box.psql(SUMS.format(hours=hours, days=days, merged=merged))
    box.psql("set maintenance_work_mem = '1GB'; alter table azekura.ledger add primary key (minute, listener, source)")
    box.psql(f"set maintenance_work_mem = '1GB'; {indexes}")
    box.psql(f"insert into azekura.ledger_merged (upto) values ({merged}) on conflict (only_one) do update set upto = excluded.upto")
    box.psql("insert into azekura.kernel_drop select m, 'udp', 1 from generate_series(now() - interval '400 days', now(), interval '1 day') m")
    box.psql(SOURCES.format(sources=size.sources))
    box.psql("insert into azekura.ledger_total (listener, arrived, stored, bytes) values ('udp', 1000000000, 1000000000, 100000000000)")
    for table in ("ledger", "ledger_sum", "source"):
        box.psql(f"vacuum analyze azekura.{table}")


def fill_load(box, _):
    box.psql(load.FILL.format(metrics=load.METRICS))
    box.psql("vacuum analyze azekura.load_sample")


def fill_happenings(box, size):
    box.psql(EVENTS.format(events=size.events))
    box.psql(RECEIPTS.format(receipts=size.receipts))
    box.psql("vacuum analyze azekura.event")
    box.psql("vacuum analyze azekura.audit")


PARTS = {
    "load": fill_load,
    "events and receipts": fill_happenings,
    "pieces": fill_pieces,
    "rates": lambda box, size: rates.fill_rings(box, size.sources, size.days),
    "ledger": fill_ledger,
}


def fill(box, size):
    for name, part in PARTS.items():
        before, begin = int(box.value("select pg_database_size(current_database())")), time.monotonic()
        part(box, size)
        after = int(box.value("select pg_database_size(current_database())"))
        print(f"  filled {name}: {time.monotonic() - begin:.0f} s, {(after - before) / 1e6:,.0f} MB", flush=True)
    box.psql("checkpoint")
