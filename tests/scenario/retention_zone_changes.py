#!/usr/bin/env python3
"""The box's zone is changed in the middle of a month and near midnight, east and west and back: pieces never overlap, what
is stored keeps its day, the ledger adds up, and what is to be kept for days is kept so long by the clock of any zone."""

import datetime
import zoneinfo

from azk import run
from simulation import UTC, Simulation

HOUR = datetime.timedelta(hours=1)
MINUTE = datetime.timedelta(minutes=1)
EAST, WEST = "Pacific/Kiritimati", "Pacific/Pago_Pago"  # 14 hours ahead of UTC, 11 behind
CASES = [
    # at which hours after the beginning which zone comes
    ("the middle of a month", datetime.datetime(2026, 11, 14, tzinfo=UTC), {34: EAST}),
    ("midnight at the end of a month", datetime.datetime(2026, 11, 29, tzinfo=UTC),
     {23: "Asia/Tokyo", 35: EAST, 47: WEST, 51: EAST, 60: WEST}),
]
HOURS = 80


def assert_pieces_are_in_order(box, what):
    wrong = box.cluster.psql("""
        select a.name, b.name from azekura.day_partition a join azekura.day_partition b
            on a.source_group = b.source_group and a.name < b.name and a.lower < b.upper and b.lower < a.upper""")
    assert not wrong, f"{what}: pieces overlap: {wrong}"
    wrong = box.cluster.psql("""
        select coalesce(d.name, c.relname) from azekura.day_partition d full join
            (select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
              where i.inhparent = 'azekura.log_block'::regclass) c on c.relname = d.name
         where d.name is null or c.relname is null""")
    assert not wrong, f"{what}: tables and pieces do not agree: {wrong}"


def changes(what, begin, zones, settings, size=3000):
    """Write by the hour and change the zone; the receipts with when each piece ended and when it went."""
    gone = []
    with Simulation(settings) as box:
        known = {}
        zone = "UTC"
        at = begin + MINUTE
        for hour in range(HOURS):
            if hour in zones:
                box.set("time.zone", zones[hour])
                box.tell("forget")  # a change of the zone takes a restart
            zone = zones.get(hour, zone)
            # as the keeper makes them ahead of time
            box.cluster.psql(f"select count(azekura.ensure_partition('{at.isoformat()}'::timestamptz"
                             f" + make_interval(days => d), '{zone}')) from generate_series(0, 3) d")
            box.write(at, messages=10, size=size)
            uppers = {}
            for name, day, upper in box.cluster.psql(
                    "select name, day, extract(epoch from upper)::bigint from azekura.day_partition"):
                assert known.setdefault(name, day) == day, f"{what}: {name} was of {known[name]}, now of {day}"
                uppers[name] = int(upper)
            seen = box.step(at + MINUTE)
            local = (at + MINUTE).astimezone(zoneinfo.ZoneInfo(zone))
            assert seen["month"] == int(local.strftime("%Y%m")), f"{what}, {at}: the month is {seen['month']}"
            assert seen["month_bytes"] <= seen["budget"], f"{what}, {at}: {seen}"
            gone += [(name, reason, (at + MINUTE).timestamp() - uppers[name]) for name, _, _, reason in seen["receipts"]]
            if hour in zones or hour % 12 == 0:
                assert_pieces_are_in_order(box, f"{what}, {at}")
            at += HOUR
        assert_pieces_are_in_order(box, what)
    return gone


def main():
    for what, begin, zones in CASES:
        gone = changes(what, begin, zones, {"retention.keep_days": 1})
        assert gone, f"{what}: nothing grew old"
        for name, reason, age in gone:
            assert reason == "keep_days" and age >= 23 * 3600, f"{what}: {name} went {age / 3600:.1f} h after it ended"
        print(f"{what}: {len(gone)} pieces grew old, the youngest {min(a for _, _, a in gone) / 3600:.1f} h after its end")
    gone = changes(what, begin, zones, {"retention.month_share_percent": 1}, size=30000)
    assert gone and all(reason == "trim" for _, reason, _ in gone), f"{what}: {gone}"
    print(f"{what}: {len(gone)} pieces trimmed")


if __name__ == "__main__":
    run(main)
