"""Benchmarks on a small box in service: their messages use nothing of the month, go after seven days, and when the disk would
get full they are the first to go, also those of this moment; not one log goes for them."""

import datetime

from azk import run
from simulation import UTC, Simulation

HOUR = datetime.timedelta(hours=1)
DAY = 24 * HOUR
BEGIN = datetime.datetime(2026, 11, 2, 12, tzinfo=UTC)
BENCHMARK = 32


def groups(box):
    return dict((int(g), int(n)) for g, n in box.cluster.psql(
        "select source_group, sum(messages) from azekura.day_partition where messages > 0 group by 1"))


def reasons(receipts):
    """{(is the benchmark's, reason)} of pieces."""
    return {(p[0].startswith(f"log_block_g{BENCHMARK}_"), p[3]) for p in receipts}


def main():
    with Simulation({"retention.over_budget": "trim", "storage.capacity_bytes": 200_000_000}) as box:
        # seven days of a log in service; a benchmark on the second, larger than what a month may have
        logs = 0
        for day in range(7):
            at = BEGIN + day * DAY
            logs += box.write(at, messages=500, size=2000)
            if day == 1:
                for unit in range(10):
                    box.write(at + unit * HOUR / 60, messages=3000, size=2000, group=BENCHMARK)
                seen = box.step(at + HOUR / 2)
                assert int(box.value("select sum(bytes) from azekura.piece_size where name like 'log_block_g32_%'")) > seen["budget"]
            seen = box.step(at + HOUR)
            assert (seen["state"], seen["receipts"]) == ("ok", []), seen
            assert seen["month_bytes"] < seen["budget"] / 4, seen
        assert groups(box) == {0: logs, BENCHMARK: 30_000}, groups(box)

        # it was on the third of November
        seen = box.step(BEGIN + 8 * DAY)
        assert seen["receipts"] == [], seen["receipts"]
        seen = box.step(BEGIN + 9 * DAY)
        assert reasons(seen["receipts"]) == {(True, "keep_days")}, seen["receipts"]
        assert groups(box) == {0: logs}, groups(box)

        # a benchmark that would fill the disk: its own first messages make room for its last
        at = BEGIN + 9 * DAY + HOUR
        written = 0
        gone = []
        for unit in range(32):
            at += datetime.timedelta(seconds=30)
            written += box.write(at, messages=3000, size=2000, group=BENCHMARK)
            at += datetime.timedelta(seconds=30)
            if unit % 2:
                seen = box.step(at)
                gone += seen["receipts"]
            if unit % 10 == 0:
                logs += box.write(at, messages=100, size=2000)
            assert seen["state"] == "ok", seen
        assert written == 96_000 and reasons(gone) == {(True, "guard")}, reasons(gone)
        left = groups(box)
        assert left[0] == logs and 0 < left[BENCHMARK] < written, left
        assert seen["counted"] < seen["high_water"], seen


if __name__ == "__main__":
    run(main)
