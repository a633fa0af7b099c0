"""packaging/run.sh: starts in the background, a line of logger(1) is found, twice is harmless, what is killed comes
back, a second instance lives beside it, and --stop stops what it started and nothing else."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

from azk import run, wait_for
from instance import RUN, Instance, with_state

def log_and_find(box):
    subprocess.run(["logger", "-n", "127.0.0.1", "-P", str(box.syslog), "-d", "-p", "local4.err", "hello"], check=True)
    begin = time.monotonic()
    entries = wait_for(lambda: box.search("hello"), "hello is found")
    print(f"found after {time.monotonic() - begin:.2f} s")
    assert len(entries) == 1, entries
    assert (entries[0]["facility"], entries[0]["severity"]) == (20, 3), entries[0]
    assert entries[0]["message"] == "hello", entries[0]


def check_first_start(box):
    out = box.start()
    code = (box.state / "setup-code").read_text(encoding="ascii").strip()
    assert (box.state / "setup-code").stat().st_mode & 0o777 == 0o600, "only its owner may read the setup code"
    for wanted in (f"http://127.0.0.1:{box.http}/", f"127.0.0.1:{box.syslog}", code):
        assert wanted in out, f"run.sh does not say {wanted}: {out}"
    box.run("--status")


def check_storage_is_counted_by_everybody(box):
    """Each daemon runs as a user of its own, and still the console says the figure of the command line, which is root's."""
    fixed = {box.state / "receiver" / name for name in ("journal", "ledger", "datagrams", "sequences")}
    spool = sum(f.stat().st_blocks * 512 for f in (box.state / "receiver").rglob("*") if f.is_file() and f not in fixed)
    token = box.azekura("token", "create", "--role", "viewer", "--name", "storage").strip()
    request = urllib.request.Request(f"http://127.0.0.1:{box.http}/api/v1/retention", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        used = json.load(reply)["used"]
    assert spool > 0 and used["spool_bytes"] == spool, f"the receiver has {spool} bytes on disk, the console says {used}"
    for f in (box.state / "receiver").rglob("*"):
        assert f.is_dir() or f.stat().st_mode & 0o007 == 0, f"{f} can be read by everybody: {f.stat().st_mode:o}"


def check_twice_is_harmless(box):
    before = box.pids()
    out = box.start()
    assert "already running" in out and f"http://127.0.0.1:{box.http}/" in out, out
    assert box.pids() == before, "a second start changed what runs"


def check_restart_of_killed(box):
    for name in ("receiver", "web", "keeper", "postgresql"):
        before = box.pids()[name]
        os.kill(before, 9)
        wait_for(lambda name=name, before=before: box.pids()[name] not in (None, before), f"{name} is started again")
    wait_for(lambda: subprocess.run([str(RUN), "--state", str(box.state), "--status"], capture_output=True,
                                    check=False).returncode == 0, "all is well again")


def check_taken_port(box, folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        other = Instance(folder / "third")
        result = subprocess.run([RUN, "--state", other.state, "--http", f"127.0.0.1:{taken.getsockname()[1]}", "--syslog",
                                 f"127.0.0.1:{other.syslog}", "--detach"], capture_output=True, text=True, check=False)
        assert result.returncode == 1 and f"pid {os.getpid()}" in result.stderr, result.stderr
        assert not other.state.exists(), "a refused start left a folder"


def check_stop(box, second, decoy):
    others = with_state(second.state)
    box.run("--stop")
    left = with_state(box.state)
    assert not left, f"--stop left {left}"
    box.run("--status", expect=3)
    box.run("--stop")
    assert decoy.poll() is None, "--stop stopped a process that is not of run.sh"
    assert set(others) <= set(with_state(second.state)), "--stop stopped another instance"
    second.run("--status")


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="azk run ", dir="/tmp"))
    box, second = Instance(folder / "first"), Instance(folder / "second")
    shutil.copy("/bin/sleep", folder / "azekura-receiver")
    decoy = subprocess.Popen([folder / "azekura-receiver", "3600"])  # pylint: disable=consider-using-with
    try:
        check_first_start(box)
        log_and_find(box)
        check_storage_is_counted_by_everybody(box)
        check_twice_is_harmless(box)
        second.start()
        check_taken_port(box, folder)
        check_restart_of_killed(box)
        check_stop(box, second, decoy)
        box.run("--detach")
        assert len(box.search("hello")) == 1, "the data is not there after a stop and a start"
        box.run("--status")
    finally:
        for instance in (box, second):
            instance.run("--stop")
        decoy.kill()
        decoy.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    run(main)
