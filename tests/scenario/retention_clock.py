#!/usr/bin/env python3
"""The clock is set back a month, or forward ten years, by mistake: nothing is deleted that should not be, and reception
goes on; back in step, or confirmed, the rule goes on."""

import datetime

from azk import run
from simulation import UTC, Simulation

DAY = datetime.timedelta(days=1)
MINUTE = datetime.timedelta(minutes=1)
BEGIN = datetime.datetime(2026, 11, 1, 12, tzinfo=UTC)
KEEP_DAYS = 10


class Clock:
    """The true time, and what the box's clock shows."""

    def __init__(self, box):
        self.box = box
        self.true = BEGIN
        self.off = datetime.timedelta()
        self.since_boot = datetime.timedelta()
        self.boot = "boot-1"

    def tick(self, by, is_written=True):
        self.true += by
        self.since_boot += by
        if is_written:
            self.box.write(self.true + self.off, messages=5, size=500)
        return self.box.step(self.true + self.off + MINUTE, boot=self.boot, elapsed=self.since_boot + MINUTE)

    def reboot(self):
        self.boot = "boot-2"
        self.since_boot = datetime.timedelta()
        self.box.tell("forget")  # the keeper is started anew, too


def wrong_for_a_while(clock, off, what):
    """The clock is wrong for an hour, then right again."""
    box = clock.box
    before = box.value("select sum(messages) from azekura.log_block")
    clock.off = off
    for minutes in (1, 1, 10, 50):
        seen = clock.tick(minutes * MINUTE)
        assert seen["doubted"], f"{what}: the clock is not doubted"
        assert not seen["receipts"], f"{what}: deleted {seen['receipts']}"
    box.tell("forget")
    seen = clock.tick(MINUTE)
    assert seen["doubted"] and not seen["receipts"], f"{what}: forgotten by a new keeper"
    assert int(box.value("select sum(messages) from azekura.log_block")) == int(before) + 25, f"{what}: messages are missing"
    clock.off = datetime.timedelta()
    seen = clock.tick(MINUTE)
    assert not seen["doubted"], f"{what}: the clock is right again, and still doubted"
    assert not seen["receipts"], f"{what}: deleted {seen['receipts']} when the clock was right again"


def kinds(box):
    return [k for (k,) in box.cluster.psql("select kind from azekura.event where kind like 'clock.%' order by id")]


def main():
    with Simulation({"retention.keep_days": KEEP_DAYS}) as box:
        clock = Clock(box)
        for _ in range(20):
            seen = clock.tick(DAY)
            assert not seen["doubted"]
        assert {p[3] for p in box.receipts} == {"keep_days"}
        kept = box.value("select count(distinct day) from azekura.day_partition where messages > 0")
        assert int(kept) == KEEP_DAYS + 1, f"{kept} days are kept"

        wrong_for_a_while(clock, -30 * DAY, "a month back")
        # what came under the wrong clock has just come, whatever its date says
        seen = clock.tick(2 * MINUTE)
        assert not seen["receipts"], seen
        assert box.value("select messages from azekura.day_partition where day = '2026-10-22'") == "25"
        wrong_for_a_while(clock, 3652 * DAY, "ten years ahead")
        assert kinds(box) == ["clock.doubted", "clock.trusted"] * 2, kinds(box)

        # started anew with a wrong clock: the battery is empty, or somebody set it
        clock.reboot()
        clock.off = 3652 * DAY
        seen = clock.tick(MINUTE)
        assert seen["doubted"] and not seen["receipts"], seen
        clock.off = datetime.timedelta()
        assert not clock.tick(MINUTE)["doubted"]

        # set right by ten years, and somebody says so: what is ten years old goes, but not what came in the hours since
        # the start under the clock that was wrong
        clock.off = 3652 * DAY
        assert clock.tick(MINUTE)["doubted"]
        today = box.value(f"select messages from azekura.day_partition where day = '{clock.true:%Y-%m-%d}'")
        box.cluster.psql("select azekura.confirm_clock('account:admin')")
        # in the simulation the database's own clock is another one
        box.cluster.psql(f"update azekura.misdated set day = '{clock.true + clock.off:%Y-%m-%d}' where upper > '{clock.true:%Y-%m-%d}'")
        box.cluster.psql(f"update azekura.retention_clock set wall = '{(clock.true + clock.off + MINUTE).isoformat()}'")
        seen = clock.tick(MINUTE)
        assert not seen["doubted"], seen
        assert {p[3] for p in seen["receipts"]} == {"keep_days"}, seen
        left = box.cluster.psql(f"select day, messages from azekura.day_partition where day <= '{clock.true:%Y-%m-%d}' and messages > 0")
        assert left == [(f"{clock.true:%Y-%m-%d}", today)], f"{left}, {today} messages came today"
        assert kinds(box)[-2:] == ["clock.doubted", "clock.trusted"], kinds(box)
        assert box.value("select count(*) from azekura.audit where action = 'clock.confirm'") == "1"
        print(f"{box.written} messages; {kinds(box)}")


if __name__ == "__main__":
    run(main)
