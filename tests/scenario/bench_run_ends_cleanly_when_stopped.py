"""Ctrl-C in the middle of a run: the trial in hand is read back, the report is there and says that it is incomplete,
the lock is free and nothing of the run is left running.  While it runs, its lock names it, and a second run on the
machine is warned."""

import fcntl
import json
import os
import pathlib
import signal
import struct
import subprocess

from azk import wait_for
from bench import PROGRAM, begin_bench, run_bench

FLOCK = "hhqqi4x"  # struct flock of Linux on 64 bits: type, whence, start, length, pid


def holder(path):
    """The process that holds the write lock of a file, or None."""
    with open(path, "rb+") as f:
        answer = fcntl.fcntl(f, fcntl.F_GETLK, struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
    kind, _, _, _, pid = struct.unpack(FLOCK, answer)
    return None if kind == fcntl.F_UNLCK else pid


def myself():
    comm = pathlib.Path(f"/proc/{os.getpid()}/comm").read_text(encoding="utf-8").strip()
    return f"process {os.getpid()} ({comm})"


def a_run_is_stopped(name):
    with begin_bench("ladder", "--target", "sink:store", "--rates", "1000,2000", "--time", 600) as run:
        sample = wait_for(lambda: (run.status().get("sample") or {}).get("sent", 0) > 1000 and run.status(),
                          "the run sends")
        assert sample["state"] == "running" and sample["pid"] == run.process.pid, sample
        assert sample["steps"] == 2 and sample["step_number"] == 1 and sample["trial"] == 1, sample
        assert 0 <= sample["progress_percent"] < 50 and sample["time_left_s"] > 600, sample
        assert holder(run.folder / "lock") == run.process.pid
        a_second_run_is_warned()
        run.process.send_signal(getattr(signal, name))
        run.wait(60)
        assert run.code == 130, run
        report = run.report
        assert report["state"] == "incomplete", report
        assert report["reason"]["en"] == f"it was stopped by {name} of {myself()}", report["reason"]
        assert name in report["reason"]["ja"], report["reason"]
        assert report["verdict"] == "none", report["verdict"]
        assert len(report["trials"]) == 1, report["trials"]
        trial = report["trials"][0]
        assert not trial["is_valid"] and "stopped" in trial["invalid_reason"]["en"], trial
        assert trial["sequence"]["is_complete"], trial
        assert trial["sequence"]["missing"] == trial["stages"]["kernel_dropped"], trial
        assert trial["stages"]["unaccounted"] == 0, trial
        assert run.status()["state"] == "incomplete", run.status()
        assert holder(run.folder / "lock") is None
        for file in ("report.html", "report.txt", "results_ext.csv", "samples.csv", "log"):
            assert (run.folder / file).stat().st_size > 0, file
        run.assert_nothing_left()


def listener():
    """The socket of the first of all benchmarks on this machine (its inode), or None."""
    for line in pathlib.Path("/proc/net/unix").read_text(encoding="ascii", errors="replace").splitlines():
        words = line.split()
        if words[-1] == "@azekura-bench.run" and int(words[3], 16) & 0x10000:  # it listens
            return words[6]
    return None


def a_second_run_is_warned():
    """By the first of all on this machine.  That may be another test's, which ends meanwhile: then once more."""
    for _ in range(20):
        first = listener()
        with run_bench("ladder", "--target", "sink", "--rates", "100", "--time", 1) as second:
            is_warned = "another benchmark" in second.output
            assert is_warned or not first or listener() != first, second
            assert second.code in (0, 1) and (second.code == 1 or not is_warned), second
            assert not is_warned or not second.report["trials"][0]["is_valid"], second.report["trials"]
        if is_warned:
            return
    raise AssertionError("no run was warned")


def what_cannot_be_is_refused_before_anything_is_made(out):
    for args, code, says in (
            (["lader"], 2, "did you mean ladder"),
            (["run", "knne"], 2, "did you mean knee"),
            (["ladder", "--tme", "3"], 2, "did you mean --time"),
            (["ladder", "--time", "8w"], 2, "--time = 8w"),
            (["ladder", "--kills", "3"], 2, "does not take --kills"),
            (["ladder", "--size", "70000"], 2, "65000"),
            (["ladder", "--target", "azekra"], 2, "did you mean azekura"),
            (["ladder", "--target", "graylog"], 2, "there are: box, azekura, syslog-ng:maxperf"),
            (["ladder", "--target", "sink,../sink"], 2, "there is no target ../sink"),
            (["ladder", "--target", "sink,sink"], 2, "twice"),
            (["ladder", "--id", "../x", "--target", "sink"], 2, "--id ../x"),
            (["crash", "--target", "box"], 2, "not on a box in service"),
            (["ladder", "--target", "sink:store", "--time", "7d", "--rates", "100000000"], 3, "free"),
            (["run"], 2, "which profile"),
            ([], 2, "a command is missing")):
        argv = [str(PROGRAM), *args]
        if args[1:]:
            argv += ["--out", str(out)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == code, (args, done)
        assert says in done.stderr, (args, done.stderr)


def profiles_are_listed():
    done = subprocess.run([PROGRAM, "profiles", "--json"], capture_output=True, text=True, check=True)
    profiles = {p["name"]: p for p in json.loads(done.stdout)}
    assert {"ladder", "knee", "soak", "steady", "mixed", "crash", "sngbench"} <= set(profiles), profiles
    ladder = profiles["ladder"]
    assert ladder["messages"] == 60 * 50_000 and ladder["duration_s"] >= 240, ladder
    assert ladder["targets"] == ["box", "azekura"] and "time" in ladder["options"], ladder
    assert ladder["defaults"]["time"] == "60" and ladder["defaults"]["rates"] == "5000,10000,15000,20000", ladder
    assert "box" not in profiles["crash"]["targets"], profiles["crash"]
    for p in profiles.values():
        assert p["title"]["ja"] and p["what"]["en"], p


def main():
    for name in ("SIGINT", "SIGTERM"):
        a_run_is_stopped(name)
    with run_bench("ladder", "--target", "sink", "--dry-run") as dry:
        assert dry.code == 0 and not dry.folder.exists(), dry
        assert "20,000 msg/s by UDP" in dry.output, dry
        what_cannot_be_is_refused_before_anything_is_made(dry.out / "refused")
    profiles_are_listed()


if __name__ == "__main__":
    main()
