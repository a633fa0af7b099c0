#!/usr/bin/env python3
"""Run one pgTAP file in a private PostgreSQL: run_pgtap.py FILE.sql

The file is run by psql as the superuser, after the migrations; it sees :make_blocks (the program of
that name), :build and :tmp (a folder that both psql and the server can read).  What it prints is
checked as TAP: the plan must be there and kept, and no test may fail.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from cluster import Cluster, PsqlError


def check_tap(text):
    """The faults of a TAP stream, as sentences."""
    faults = []
    plan = None
    numbers = []
    for line in text.splitlines():
        if m := re.fullmatch(r"1\.\.(\d+)", line.strip()):
            if plan is not None:
                faults.append("two plans")
            plan = int(m[1])
        elif m := re.match(r"(not )?ok (\d+)(.*)", line):
            numbers.append(int(m[2]))
            if m[1] and "# TODO" not in m[3]:
                faults.append(f"test {m[2]} failed:{m[3]}")
    if plan is None:
        faults.append("no plan: the file ended early")
    elif numbers != list(range(1, plan + 1)):
        faults.append(f"{plan} tests planned, {len(numbers)} run")
    return faults


def run(path):
    with Cluster() as db, tempfile.TemporaryDirectory(prefix="azk-tap-", dir="/tmp") as tmp:
        os.chmod(tmp, 0o755)
        db.psql("create extension pgtap")
        db.apply_migrations()
        argv = db.psql_argv() + ["-A", "-t", "-v", f"tmp={tmp}", "-v", f"build={db.build}",
                                 "-v", f"make_blocks={db.build}/tests/make_blocks", "-f", path.name]
        result = subprocess.run(argv, cwd=path.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, errors="replace", check=False)
        print(result.stdout, end="")
        faults = check_tap(result.stdout)
        if result.returncode != 0:
            faults.append(f"psql ended with {result.returncode}")
        if "terminated by signal" in db.log_text():
            faults.append("the server crashed: " + db.log_text()[-1500:])
        for fault in faults:
            print(f"# {path.name}: {fault}")
        return 1 if faults else 0


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    path = pathlib.Path(sys.argv[1]).resolve()
    if not path.is_file():
        print(f"run_pgtap.py: {path}: no such file", file=sys.stderr)
        return 2
    try:
        return run(path)
    except (PsqlError, RuntimeError) as e:
        print(f"run_pgtap.py: {e}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
