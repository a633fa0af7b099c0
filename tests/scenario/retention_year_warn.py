#!/usr/bin/env python3
"""A simulated year under warn: nothing goes for the budget's sake, and the guard holds."""

from azk import run
from simulated_year import live_a_year

if __name__ == "__main__":
    run(lambda: live_a_year("warn"))
