"""A collector that dies under the load, although nobody was to kill it, and is started again: the run goes on, what
arrived meanwhile has the place where nobody listened, and terminal and reports say what happened."""

import os
import signal

from azk import wait_for
from bench import begin_bench

SAID = "the syslog process ended and was started again"


def process_of(run, key):
    lines = (run.folder / "sink-store" / "target.env").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith(key + "=")).partition("=")[2])


def main():
    with begin_bench("ladder", "--target", "sink:store", "--rates", 500, "--time", 5) as run:
        wait_for(lambda: (run.status().get("sample") or {}).get("sent", 0) > 500, "the run sends")
        os.kill(process_of(run, "pid_syslog"), signal.SIGKILL)
        run.wait(120)
        assert run.report["state"] == "complete", run.report
        trial = run.report["trials"][0]
        assert SAID in trial["note"]["en"] and "再起動" in trial["note"]["ja"], trial["note"]
        assert trial["stages"]["nic_dropped"] <= trial["sequence"]["missing"], trial
        assert SAID in run.output, run.output
        for file in ("report.txt", "report.html"):
            text = " ".join((run.folder / file).read_text(encoding="utf-8").split())
            assert SAID in text, (file, text)
        run.assert_nothing_left()
    with begin_bench("ladder", "--target", "sink:store", "--rates", 500, "--time", 2) as run:
        run.wait(120)
        assert run.report["trials"][0]["note"] is None and SAID not in run.output, run


if __name__ == "__main__":
    main()
