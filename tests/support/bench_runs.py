"""Folders of benchmark runs as azekura-bench leaves them, for tests of what reads them.

    runs = BenchRuns(box)
    runs.add("2026-11-30_10-00-00_ladder")                 one that has ended
    with runs.living("2026-11-30_11-00-00_ladder") as run: one that holds its lock, until SIGTERM or run.kill()
"""

import contextlib
import json
import os
import signal
import subprocess
import sys

from azk import wait_for

COLUMNS = ("trial", "at_s", "scheduled", "sent", "stored", "latency_p50_us", "load1")
LIVING = """
import fcntl, os, signal, sys
folder = sys.argv[1]
os.mkdir(folder)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
lock = open(folder + "/lock", "w")
fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
with open(folder + "/status.json", "w") as f:
    f.write(sys.argv[2])
print("locked", flush=True)
signal.pause()
"""


def report(run_id, **change):
    return {
        "schema_version": 1, "id": run_id, "profile": "ladder", "title": {"en": "UDP ladder", "ja": "UDP ラダー"},
        "state": "complete", "reason": None, "started_at": "2026-11-30T10:00:00Z", "ended_at": "2026-11-30T10:04:00Z",
        "verdict": "pass", "answer": {"en": "It takes 20,000 messages/s.", "ja": "毎秒 20,000 件を受け取ります。"},
        "version": "0.1.0", "targets": [{"name": "box"}], "trials": [],
    } | change


def samples(n, trial=1):
    lines = [",".join(COLUMNS)]
    lines += [f"{trial},{i},{1000 * i},{1000 * i},{990 * i},,0.25" for i in range(1, n + 1)]
    return "".join(line + "\n" for line in lines)


class BenchRuns:
    def __init__(self, box):
        self.box = box
        self.root = box.state / "web" / "bench"
        box.own_folder(self.root)

    def write(self, path, content):
        data = content if isinstance(content, bytes) else (content if isinstance(content, str) else json.dumps(content)).encode()
        path.write_bytes(data)
        if self.box.user:
            os.chown(path, self.box.user.pw_uid, self.box.user.pw_gid)

    def add(self, run_id, files=None, **change):
        """A run that has ended: its folder, with a report (`change`: of its members) and `files` beside it; a file that
        is None is left out."""
        folder = self.root / run_id
        self.box.own_folder(folder)
        whole = {"report.json": report(run_id, **change), "status.json": {"id": run_id, "pid": 1, "state": "complete", "profile": "ladder"},
                 "samples.csv": samples(3), "lock": ""}
        for name, content in (whole | (files or {})).items():
            if content is not None:
                self.write(folder / name, content)
        return folder

    @contextlib.contextmanager
    def living(self, run_id, status=None):
        """A process that holds the run's lock, as the user of the console."""
        status = status or {"id": run_id, "state": "running", "profile": "ladder", "progress_percent": 12.5, "time_left_s": 99}
        user = self.box.user
        prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"] if user else []
        process = subprocess.Popen(  # pylint: disable=consider-using-with
            [*prefix, sys.executable, "-c", LIVING, str(self.root / run_id), json.dumps(status)], stdout=subprocess.PIPE, cwd="/")
        try:
            assert process.stdout.readline() == b"locked\n"
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()

    def wait_for_state(self, api, run_id, state, token):
        return wait_for(lambda: api.call("GET", f"/api/v1/bench/runs/{run_id}", token=token)["status"]["state"] == state, f"{run_id} is {state}")
