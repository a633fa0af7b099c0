"""A year under a policy, months below, at and above a fifth of the storage: the rule holds at
every step."""

import datetime
import time

from simulation import CAPACITY, UTC, Simulation

BUDGET = CAPACITY // 5
FACTORS = (0.5, 1.0, 1.5)  # of the budget, month after month
UNITS_A_DAY = 2
MESSAGES = 40
WRITTEN_BY_STEP = 2_000_000


def days_of(year):
    day = datetime.datetime(year, 1, 1, tzinfo=UTC)
    while day.year == year:
        yield day
        day += datetime.timedelta(days=1)


def units_of(day):
    """The times of a day's units, and the size of their messages."""
    factor = FACTORS[(day.month - 1) % len(FACTORS)]
    size = int(BUDGET * factor / 30.4 / UNITS_A_DAY / 0.78 / MESSAGES)
    for i in range(UNITS_A_DAY):
        yield day + datetime.timedelta(hours=5 + 12 * i), size


class Year:
    def __init__(self, box, policy):
        self.box = box
        self.policy = policy
        self.kept_in_hold = 0

    def hold(self, lower, upper):
        self.box.cluster.psql(f"insert into azekura.hold (lower, upper, reason, actor)"
                              f" values ('{lower.isoformat()}', '{upper.isoformat()}', 'audit', 'year')")
        self.lower, self.upper = lower, upper

    def live(self, year):
        # some days at the beginning of the fullest month, which trim would take first
        self.hold(datetime.datetime(year, 3, 2, tzinfo=UTC), datetime.datetime(year, 3, 4, tzinfo=UTC))
        reasons = set()
        shed = 0
        for day in days_of(year):
            for at, size in units_of(day):
                stored = self.box.write(at, MESSAGES, min(size, 60000))
                if self.lower <= at < self.upper:
                    self.kept_in_hold += stored
                seen = self.box.step(at + datetime.timedelta(seconds=30))
                self.check(seen, at)
                reasons |= {p[3] for p in seen["receipts"]}
                shed = max(shed, 8 - (seen["shed"] or 8))
            if day.day == 28:
                self.check_holds()
        return reasons, shed

    def check(self, seen, at):
        if self.policy in ("trim", "shed"):
            assert seen["month_bytes"] <= seen["budget"], f"{self.policy}, {at}: {seen}"
        # the write-ahead log swings, and counts as an eighth of the capacity at most; what the step itself wrote (receipts,
        # events) comes on top
        swing = max(0, seen["wal"] - CAPACITY // 8)
        assert seen["used"] - swing <= seen["high_water"] + WRITTEN_BY_STEP, f"{self.policy}, {at}: over the high water: {seen}"

    def check_holds(self):
        there = self.box.value(f"select coalesce(sum(messages), 0) from azekura.log_block"
                               f" where first_at >= '{self.lower.isoformat()}' and first_at < '{self.upper.isoformat()}'")
        assert int(there) == self.kept_in_hold, f"{self.policy}: {there} of {self.kept_in_hold} held messages are there"


EXPECTED = {
    "trim": {"trim", "guard"},
    "shed": {"guard"},
    "borrow": {"borrow"},
    "warn": {"guard"},
}


def live_a_year(policy):
    begin = time.monotonic()
    with Simulation({"retention.over_budget": policy}) as box:
        year = Year(box, policy)
        reasons, shed = year.live(2026)
        year.check_holds()
        assert EXPECTED[policy] <= reasons, f"{policy}: deleted for {reasons}"
        assert (shed > 0) == (policy == "shed"), f"{policy}: severities refused: {shed}"
        assert (box.refused > 0) == (policy == "shed")
        counted = int(box.value("select count(*) from azekura.logs"))
        deleted = sum(p[1] for p in box.receipts)
        assert counted + deleted == box.written, f"{counted} + {deleted} is not {box.written}"
        states = box.value("select string_agg(distinct params[6], ' ') from azekura.event where kind = 'retention.state'")
        print(f"{policy}: {box.written} messages, {box.refused} refused, {len(box.receipts)} pieces with {deleted} deleted"
              f" for {sorted(reasons)}; states {states}; {time.monotonic() - begin:.1f} s")
