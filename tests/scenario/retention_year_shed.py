#!/usr/bin/env python3
"""A simulated year under shed: the least severe messages of a month that is nearly over are refused, and it stays within its budget."""

from azk import run
from simulated_year import live_a_year

if __name__ == "__main__":
    run(lambda: live_a_year("shed"))
