#!/usr/bin/env python3
"""Days and months of the rule are those of the box's zone: month ends east and west of UTC, changes of the clocks,
a day that does not exist, 29 February."""

import datetime
import zoneinfo

from azk import run
from simulation import UTC, Simulation

HOUR = datetime.timedelta(hours=1)
MINUTE = datetime.timedelta(minutes=1)
CASES = [
    # zone, first instant, days
    ("Asia/Tokyo", datetime.datetime(2026, 10, 30, tzinfo=UTC), 4),
    ("America/Los_Angeles", datetime.datetime(2026, 10, 30, tzinfo=UTC), 4),  # 1 November has 25 hours
    ("America/Los_Angeles", datetime.datetime(2026, 3, 6, tzinfo=UTC), 4),  # 8 March has 23
    ("Pacific/Apia", datetime.datetime(2026, 10, 30, tzinfo=UTC), 4),
    ("Pacific/Apia", datetime.datetime(2011, 12, 28, tzinfo=UTC), 5),  # there is no 30 December
    ("Asia/Tokyo", datetime.datetime(2028, 2, 27, tzinfo=UTC), 4),  # 29 February
    ("America/Los_Angeles", datetime.datetime(2028, 2, 28, tzinfo=UTC), 4),
]


def local_day(at, zone):
    return at.astimezone(zone).date()


def pieces(box):
    """Messages by local day."""
    rows = box.cluster.psql("select day, sum(messages) from azekura.day_partition group by 1 having sum(messages) > 0")
    return {datetime.date.fromisoformat(day): int(n) for day, n in rows}


def month_ends(name, begin, days):
    """Trim takes of the local month alone, and every message is counted to its local day."""
    zone = zoneinfo.ZoneInfo(name)
    with Simulation({"time.zone": name, "retention.month_share_percent": 2}) as box:
        written = {}
        trimmed = 0
        at = begin + MINUTE
        while at < begin + days * 24 * HOUR:
            box.write(at, messages=10, size=30000)
            day = local_day(at, zone)
            written[day] = written.get(day, 0) + 10
            seen = box.step(at + MINUTE)
            month = int(local_day(at + MINUTE, zone).strftime("%Y%m"))
            assert seen["month"] == month, f"{name}, {at}: the month is {seen['month']}"
            assert seen["month_bytes"] <= seen["budget"], f"{name}, {at}: {seen}"
            for piece, messages, _, reason in seen["receipts"]:
                day = datetime.datetime.strptime(piece.split("_")[2], "%Y%m%d").date()
                assert reason == "trim" and int(day.strftime("%Y%m")) == month, f"{name}, {at}: {piece} went for {reason}"
                written[day] -= messages
                trimmed += messages
            at += HOUR
        there = pieces(box)
        assert there == {d: n for d, n in written.items() if n}, f"{name}: {there} in place of {written}"
        assert trimmed > 0, f"{name}: nothing had to go"
        return trimmed


def keep_days(name, begin, days):
    """What is older than two days goes at local midnight, and not before."""
    zone = zoneinfo.ZoneInfo(name)
    with Simulation({"time.zone": name, "retention.keep_days": 2}) as box:
        at = begin + MINUTE
        yesterday = None
        while at < begin + days * 24 * HOUR:
            box.write(at, messages=2, size=300)
            day = local_day(at, zone)
            if yesterday and day != yesterday:
                # a minute before the midnight that has just passed
                midnight = datetime.datetime.combine(day, datetime.time(), zone).astimezone(UTC)
                assert local_day(midnight - MINUTE, zone) == yesterday
            seen = box.step(at + MINUTE)
            today = local_day(at + MINUTE, zone)
            oldest = min(pieces(box))
            assert today - oldest <= datetime.timedelta(days=2), f"{name}, {at}: {oldest} is still there"
            for piece, _, _, reason in seen["receipts"]:
                gone = datetime.datetime.strptime(piece.split("_")[2], "%Y%m%d").date()
                assert reason == "keep_days" and today - gone > datetime.timedelta(days=2), \
                    f"{name}, {at}: {piece} went for {reason}"
            yesterday = day
            # just before midnight, and then by the hour
            at += HOUR
        assert box.receipts, f"{name}: nothing grew old"
        return len(box.receipts)


def main():
    for name, begin, days in CASES:
        trimmed = month_ends(name, begin, days)
        aged = keep_days(name, begin, days)
        print(f"{name}, {begin:%Y-%m-%d}: {trimmed} messages trimmed, {aged} pieces grew old")


if __name__ == "__main__":
    run(main)
