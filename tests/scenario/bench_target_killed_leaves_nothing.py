"""Whoever of a benchmark is killed with -9, nothing is left running, and its data is removed: by the
driver when the benchmark dies, by the benchmark when the driver dies, at the next start when both did."""

import os
import pathlib
import signal

from azk import ScenarioFailure, run, wait_for
from bench_target import Target, marked, processes_of


def check(is_so, what):
    if not is_so:
        raise ScenarioFailure(what)


def driver_of(t):
    """The driver leads a session of its own: the child of the command that is one."""
    children = pathlib.Path(f"/proc/{t.process.pid}/task/{t.process.pid}/children").read_text(encoding="ascii").split()
    check(len(children) == 1, f"the command has the children {children}")
    return int(children[0])


def data_of(t):
    return pathlib.Path(os.path.realpath(t.dir / "data"))


def gone(t, data):
    wait_for(lambda: not processes_of(t.folder.name), "no process is left")
    wait_for(lambda: not data.exists() and not (t.dir / "data").exists(), "the data is removed")


def the_benchmark_is_killed():
    with Target("azekura") as t:
        data = data_of(t)
        t.send_udp(marked(0, 100))
        t.process.kill()
        t.process.wait()
        gone(t, data)
        t.process.returncode = 0


def the_driver_is_killed():
    with Target("azekura") as t:
        data = data_of(t)
        os.kill(driver_of(t), signal.SIGKILL)
        wait_for(lambda: t.ask("pids")["syslog"] == [], "the command knows that its target has gone")
        check("error" in t.try_ask("counters"), "a target that has gone has counters")
        t.process.stdin.close()
        t.process.wait(60)
        gone(t, data)


def both_are_killed():
    with Target("rsyslog:file") as t:
        data, driver = data_of(t), driver_of(t)
        os.kill(t.process.pid, signal.SIGSTOP)  # so that it does not see the other die
        os.kill(driver, signal.SIGKILL)
        t.process.kill()
        t.process.wait()
        wait_for(lambda: not processes_of(t.folder.name), "no process is left")
        check(data.exists(), "there is nothing to be removed")
        with Target("rsyslog:file", options=["--dir", t.dir]) as again:
            check(again.facts["udp"] and (t.dir / "data").exists(), "it does not start where another was killed")
        gone(t, data)
        t.process.returncode = 0


def main():
    the_benchmark_is_killed()
    the_driver_is_killed()
    both_are_killed()


if __name__ == "__main__":
    run(main)
