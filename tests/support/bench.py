"""azekura-bench as scenarios run it, in a folder of its own.

    with run_bench("ladder", "--target", "azekura", "--time", 3) as done:
        done.code, done.report, done.folder, done.output

A run's programs come from AZEKURA_BUILD.  When it ends nothing of it may be left: processes are looked for by the
folder in their command line or environment.
"""

import contextlib
import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from azk import BUILD, ScenarioFailure, wait_for

PROGRAM = BUILD / "bin" / "azekura-bench"


class Run:
    """A run of the benchmark: `start()` begins it, `wait()` takes its results."""

    def __init__(self, *args):
        self.out = pathlib.Path(tempfile.mkdtemp(prefix="azk-bench-", dir="/tmp"))
        self.out.chmod(0o755)
        self.argv = [str(PROGRAM), *map(str, args), "--out", str(self.out), "--id", "run"]
        self.folder = self.out / "run"
        self.process = self.code = self.report = self.output = None

    def start(self):
        with open(self.out / "output", "wb") as output:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                self.argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/")
        return self

    def status(self):
        """status.json, or {} while there is none."""
        with contextlib.suppress(FileNotFoundError):
            return json.loads((self.folder / "status.json").read_text(encoding="utf-8"))
        return {}

    def wait(self, seconds=180):
        try:
            self.code = self.process.wait(seconds)
        except subprocess.TimeoutExpired as late:
            self.process.kill()
            self.process.wait()
            raise ScenarioFailure(f"{self.argv} did not end within {seconds} s: {self.text()}") from late
        self.output = self.text()
        path = self.folder / "report.json"
        self.report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        return self

    def text(self):
        return (self.out / "output").read_text(encoding="utf-8", errors="replace")

    def processes(self):
        """Command lines of processes that belong to the run."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                line = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                where = os.readlink(path / "cwd")
                if int(path.name) != os.getpid() and (str(self.out) in line or where.startswith(str(self.out))):
                    found.append(f"{path.name}: {line}")
        return found

    def assert_nothing_left(self):
        wait_for(lambda: not self.processes(), "nothing of the run is left", 20)
        left = [p for p in self.folder.glob("*/data")] + [p for p in self.folder.glob("*/target.env")]
        assert not left, left

    def __repr__(self):
        return f"{self.argv}: exit {self.code}: {self.output}"


@contextlib.contextmanager
def run_bench(*args, seconds=180):
    """Run it to its end; the folder is removed afterwards (kept with AZEKURA_KEEP_STATE)."""
    with begin_bench(*args) as run:
        yield run.wait(seconds)


@contextlib.contextmanager
def begin_bench(*args):
    """The same, while it runs."""
    run = Run(*args).start()
    try:
        yield run
    except BaseException:
        print(f"{run!r}\n{run.text()}")
        log = run.folder / "log"
        if log.exists():
            print(log.read_text(encoding="utf-8")[-4000:])
        raise
    finally:
        if run.process.poll() is None:
            run.process.kill()
            run.process.wait()
        if not os.environ.get("AZEKURA_KEEP_STATE"):
            shutil.rmtree(run.out, ignore_errors=True)


def samples_of(folder, trial):
    """The lines of samples.csv of a trial, by name."""
    with open(folder / "samples.csv", encoding="ascii", newline="") as f:
        return [row for row in csv.DictReader(f) if int(row["trial"]) == trial]
