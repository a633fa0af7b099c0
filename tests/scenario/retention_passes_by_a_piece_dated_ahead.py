#!/usr/bin/env python3
"""A block dated some hours ahead (the clock was, and is right again) lies in today's piece, which so cannot be split: the
rule does not lock the messages for another try at every look."""

import datetime

from azk import run
from simulation import UTC, Simulation

SECOND = datetime.timedelta(seconds=1)


def main():
    with Simulation() as box:
        at = datetime.datetime(2026, 11, 10, 9, tzinfo=UTC)
        box.step(at)
        box.write(at + datetime.timedelta(hours=3), messages=10)
        for i in range(30):
            box.write(at + i * SECOND, messages=50, size=20000)
            box.step(at + i * SECOND + SECOND / 2)
        tries = box.cluster.log_text().count("cannot be split before")
        assert 1 <= tries <= 4, f"{tries} tries to split in 30 s"
        print(f"{tries} tries in 30 s")


if __name__ == "__main__":
    run(main)
