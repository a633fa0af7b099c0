"""Instances that packaging/run.sh starts, as an administrator would."""

import json
import os
import pathlib
import subprocess

from azk import SOURCE, ScenarioFailure, free_port

RUN = SOURCE / "packaging" / "run.sh"


class Instance:
    def __init__(self, state):
        self.state = state
        self.http, self.syslog = free_port(), free_port()

    def run(self, *options, expect=0):
        # from another folder, without HOME, with a strict umask: none of these may matter
        env = {"PATH": os.environ["PATH"]}
        result = subprocess.run(["sh", "-c", 'umask 077; exec "$@"', "sh", str(RUN), "--state", str(self.state), *options],
                                cwd="/", env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if result.returncode != expect:
            raise ScenarioFailure(f"run.sh {options}: exit {result.returncode}, not {expect}: {result.stdout}{result.stderr}"
                                  f"{self.logs()}")
        return result.stdout

    def logs(self):
        return "".join(f"\n---- {p.name}\n{p.read_text(errors='replace')[-1500:]}" for p in self.state.glob("log/*.log"))

    def addresses(self):
        return "--http", f"127.0.0.1:{self.http}", "--syslog", f"127.0.0.1:{self.syslog}"

    def start(self):
        return self.run(*self.addresses(), "--detach")

    def begin(self, *options):
        """run.sh without waiting for its end."""
        return subprocess.Popen([RUN, "--state", self.state, *self.addresses(), *options], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)

    def pids(self):
        """By service, of what runs."""
        facts = json.loads((self.state / "run" / "status").read_text(encoding="utf-8"))
        return {s["name"]: s["pid"] for s in facts["services"]} | {"supervisor": facts["pid"]}

    def azekura(self, *arguments, expect=(0,)):
        """The command line; what it says."""
        out = subprocess.run([SOURCE / "build" / "bin" / "azekura", "--state", self.state, *arguments],
                             capture_output=True, text=True, check=False)
        if out.returncode not in expect:
            raise ScenarioFailure(f"azekura {arguments}: exit {out.returncode}: {out.stderr}")
        return out.stdout

    def search(self, query):
        out = self.azekura("search", "--format", "json", query, expect=(0, 1))  # 1: nothing found
        return [json.loads(line) for line in out.splitlines()]


def processes():
    """pid → command line, of everything that runs here."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found[int(path.parts[2])] = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
    return found


def with_state(state):
    return {pid: line for pid, line in processes().items() if str(state) in line and "/run_sh_" not in line}
