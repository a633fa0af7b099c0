#!/usr/bin/env python3
"""A simulated year under borrow: a month that is over goes on, and older ones shrink."""

from azk import run
from simulated_year import live_a_year

if __name__ == "__main__":
    run(lambda: live_a_year("borrow"))
