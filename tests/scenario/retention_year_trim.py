#!/usr/bin/env python3
"""A simulated year under trim: the oldest part of a month that is over goes, never more than the month may take is there."""

from azk import run
from simulated_year import live_a_year

if __name__ == "__main__":
    run(lambda: live_a_year("trim"))
