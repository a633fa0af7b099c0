"""A box on another machine (the bench sees another boot id): what its processors, load and memory did in a trial is
what the box itself says, sample by sample, and nothing of the machine that sends."""

import csv
import datetime
import json
import os
import pathlib
import subprocess
import tempfile

from azk import Product, Skipped, run
from bench import PROGRAM

SECONDS = 11  # at least one sample of five seconds lies in it whole
BEAT = datetime.timedelta(seconds=5)
FIGURES = {"load1": ("load_average", "1"), "cpu_syslog": ("cpu", "syslog"), "cpu_database": ("cpu", "database")}


def measure(box, folder):
    boot, token = folder / "boot", folder / "token"
    boot.write_text("00000000-0000-4000-8000-000000000000\n", encoding="ascii")
    token.write_text(box.token("admin") + "\n", encoding="ascii")
    prefix = ["unshare", "--mount", "sh", "-c",
              f'mount --bind {boot} /proc/sys/kernel/random/boot_id && exec "$@"', "sh"]
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
        raise Skipped("no file can be laid over another here")
    argv = [*prefix, PROGRAM, "ladder", "--target", "box", "--rates", 200, "--time", SECONDS, "--out", folder, "--id", "run",
            "--api", f"http://127.0.0.1:{box.http_port}", "--token-file", token, "--yes"]
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=180)
    assert done.returncode in (0, 1), done
    return json.loads((folder / "run" / "report.json").read_text(encoding="utf-8"))


def own_samples(box, trial):
    """What the box kept of the time in which the trial sent: {name: [one a sample]}, unknown ones left out."""
    begin = datetime.datetime.fromisoformat(trial["started_at"].replace("Z", "+00:00"))
    end = begin + datetime.timedelta(seconds=trial["duration_s"])
    span = "&".join(f"{k}={t.astimezone(datetime.timezone.utc):%Y-%m-%dT%H:%M:%S.%fZ}" for k, t in (("from", begin), ("to", end)))
    load = box.api("GET", f"/load?{span}&step=5&metrics={','.join(FIGURES)}")
    first = datetime.datetime.fromisoformat(load["from"].replace("Z", "+00:00"))
    is_in = [begin <= first + i * BEAT and first + (i + 1) * BEAT <= end for i in range(load["n"])]
    return {s["name"]: [x for x, inside in zip(s["mean"], is_in) if inside and x is not None] for s in load["series"]}


def main():
    with Product() as box, tempfile.TemporaryDirectory(dir="/tmp") as name:
        os.chmod(name, 0o755)
        report = measure(box, pathlib.Path(name))
        trial, = report["trials"]
        own = own_samples(box, trial)
        assert own["load1"], "the keeper kept a sample"
        for metric, (member, part) in FIGURES.items():
            figure, expected = trial[member][part], own[metric]
            if not expected:
                assert figure["mean"] is None, (metric, figure)
                continue
            # the clocks are compared by a message that took some milliseconds: a sample at an edge may be in one alone
            assert min(expected) * 0.99 - 0.01 <= figure["max"] and figure["mean"] <= max(expected) * 1.01 + 0.01, (metric, figure, expected)
        assert trial["memory_bytes"]["host"] > 1 << 20 and trial["memory_bytes"]["syslog"] is None, trial["memory_bytes"]
        assert trial["cpu"]["generator"]["mean"] is not None, trial["cpu"]
        with open(pathlib.Path(name) / "run" / "samples.csv", encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        assert len(lines) >= SECONDS - 1 and not lines[0]["load1"], "before the first sample nothing is known"


if __name__ == "__main__":
    run(main)
