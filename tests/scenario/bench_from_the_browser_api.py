"""A benchmark of the box in service through the API alone: started with the password, watched, read, compared, stopped, found again."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import signal
import time

from azk import Product, ScenarioFailure, run, wait_for
from bench_runs import BenchRuns
from openapi import Contract

V1 = "/api/v1"
RUNS = f"{V1}/bench/runs"
PASSWORD = "a good long password"
WISH = {"profile": "ladder", "target": "box", "options": {"time": 2, "rates": [200]}}
LONG = {**WISH, "options": {"time": 600, "rates": [200]}}
FILES = ("report.html", "report.txt", "report.json", "results.csv", "results_ext.csv", "samples.csv")
RUN_S = 90  # a run of seconds ends within this on a machine that has much else to do


class Console:
    """An administrator's browser."""

    def __init__(self, box, api):
        self.box, self.api = box, api
        box.cli("user", "add", "boss", "--role", "admin", stdin=PASSWORD + "\n")
        who = api.call("POST", f"{V1}/session", body={"name": "boss", "password": PASSWORD})
        cookie = api.last.headers["Set-Cookie"].partition("azekura_session=")[2].partition(";")[0]
        self.session = (cookie, who["csrf"])

    def get(self, path, **kw):
        return self.api.call("GET", path, session=self.session, **kw)

    def post(self, path, body=None, **kw):
        return self.api.call("POST", path, session=self.session, body=body, **kw)

    def start(self, wish=None, **kw):
        return self.post(RUNS, {**(wish or WISH), "password": PASSWORD}, expect=202, **kw)["id"]

    def state(self, run_id):
        return self.get(f"{RUNS}/{run_id}")["status"]["state"]

    def wait_until_at_work(self, run_id):
        def is_at_work():
            status = self.get(f"{RUNS}/{run_id}")["status"]
            if status["state"] != "running":
                raise ScenarioFailure(f"{run_id} has ended: {status}")
            return self.get(f"{RUNS}/{run_id}/samples")["rows"]
        wait_for(is_at_work, f"{run_id} is at work", RUN_S, 0.1)

    def wait_for_end(self, run_id):
        """Until it has ended and nothing of it is left to do; its entry."""
        wait_for(lambda: self.state(run_id) != "running", f"{run_id} ends", RUN_S, 0.1)
        wait_for(lambda: not marks(self.box), f"{run_id} is tidied up after", 30, 0.1)
        return self.get(f"{RUNS}/{run_id}")


def marks(box):
    return sorted(p.name for p in (box.state / "web" / "bench" / ".open").iterdir())


def tokens(box):
    return [r[0] for r in box.psql("select name from azekura.token where name like 'benchmark %'")]


def check_who_may(api, box, console):
    """No session, viewer, operator; without and with the wrong password; what cannot be."""
    for role in (None, "viewer", "operator"):
        expect = 403 if role else 401
        token = role and box.token(role)
        api.call("POST", RUNS, token=token, body=WISH, expect=expect)
        api.call("POST", f"{RUNS}/x/stop", token=token, expect=expect)
        api.call("DELETE", f"{RUNS}/x", token=token, expect=expect)
    for path in ("/profiles", "/runs", "/runs/x", "/runs/x/samples", "/compare?a=x&b=x", *(f"/runs/x/files/{f}" for f in FILES)):
        api.call("GET", f"{V1}/bench{path}", expect=401)
        if "/x" in path or "=x" in path:
            console.get(f"{V1}/bench{path}", expect=404)
    api.call("DELETE", f"{RUNS}/x", session=console.session, expect=404)
    console.post(f"{RUNS}/x/stop", expect=404)
    console.get(f"{RUNS}?limit=0", expect=400)
    console.get(f"{RUNS}/x/samples?after=-1", expect=400)
    assert console.post(RUNS, WISH, expect=400)["error"]["field"] == "password"
    api.call("POST", RUNS, session=(console.session[0], "wrong"), body={**WISH, "password": PASSWORD}, expect=403)
    admin = box.token("admin")
    for change, field in (({"profile": "none"}, "profile"), ({"profile": "../x"}, "profile"), ({"profile": 1}, "profile"), ({"target": "sink"}, "target"),
                          ({"options": {"out": "/etc"}}, "options"), ({"options": {"token-file": "/x"}}, "options"), ({"options": [1]}, "options"), ({"profile": "sngbench", "options": {"input": "azekura.conf"}}, "options"),
                          ({"options": {"time": "--help"}}, "time"), ({"options": {"time": -1}}, "time"), ({"options": {"time": True}}, "time"),
                          ({"options": {"rates": []}}, "rates"), ({"options": {"rates": ["1;ls"]}}, "rates"), ({"options": {"time": "9 9"}}, "time"),
                          ({"options": {"time": 10**9}}, "options"), ({"extra": 1}, "extra")):
        error = api.call("POST", RUNS, token=admin, body={**WISH, **change}, expect=400)["error"]
        assert error["field"] == field, (change, error)
    assert api.call("GET", RUNS, token=admin)["entries"] == [] and marks(box) == [] and tokens(box) == [], "what was refused leaves nothing"


def check_profiles(console):
    profiles = {p["name"]: p for p in console.get(f"{V1}/bench/profiles")["profiles"]}
    assert "box" in profiles["ladder"]["targets"] and profiles["ladder"]["estimate"]["fits"], profiles
    return profiles


def check_whole_run(api, box, console):
    """Live, then its report and every file."""
    run_id = console.start()
    assert tokens(box) == [f"benchmark {run_id}"], tokens(box)
    secret = box.state / "web" / "bench" / ".open" / f"{run_id}.token"
    assert secret.stat().st_mode & 0o777 == 0o600
    error = api.call("POST", RUNS, token=box.token("admin"), body=WISH, expect=409)["error"]
    assert error["code"] == "running" and run_id in error["message"], error
    assert api.call("DELETE", f"{RUNS}/{run_id}", token=box.token("admin"), expect=409)["error"]["code"] == "running"
    error = api.call("DELETE", f"{V1}/bench/messages", token=box.token("admin"), expect=409)["error"]
    assert error["code"] == "running" and run_id in error["message"], "what it has yet to read back is not deleted"
    rows, after = [], 0
    while console.state(run_id) == "running":
        page = console.get(f"{RUNS}/{run_id}/samples?after={after}")
        rows, after = rows + page["rows"], page["next"]
        wait_for(lambda: console.get(f"{RUNS}/{run_id}/samples?after={after}")["rows"]  # pylint: disable=cell-var-from-loop
                 or console.state(run_id) != "running", "a further sample, or the end", RUN_S)
    rows += console.get(f"{RUNS}/{run_id}/samples?after={after}")["rows"]
    assert len(rows) >= 2 and rows == console.get(f"{RUNS}/{run_id}/samples")["rows"], rows
    whole = console.wait_for_end(run_id)
    assert whole["report"]["state"] == "complete" and whole["report"]["id"] == run_id, whole
    for name in FILES:
        assert console.get(f"{RUNS}/{run_id}/files/{name}"), name
    assert tokens(box) == [] and not secret.exists(), "its token ends with it"
    return run_id


def check_stop(box, console):
    """A private instance needs no token; it is stopped before its time, and has its report."""
    run_id = console.start({**LONG, "target": "azekura"})
    assert tokens(box) == []
    console.wait_until_at_work(run_id)
    assert console.post(f"{RUNS}/{run_id}/stop", expect=202) == {"id": run_id}
    whole = console.wait_for_end(run_id)
    assert whole["status"]["state"] == whole["report"]["state"] == "incomplete", whole
    assert whole["status"]["reason"]["en"] == "it was stopped by boss in the console", whole["status"]
    assert whole["report"]["reason"]["ja"] == "boss がコンソールで停止しました", whole["report"]["reason"]
    assert console.post(f"{RUNS}/{run_id}/stop", expect=409)["error"]["code"] == "not_running"
    return run_id


def check_killed_console(api, box, console):
    """Killed while a run is on, the console finds it again; and tidies up after one that ended without it."""
    run_id = console.start(LONG)
    console.wait_until_at_work(run_id)
    box.kill("web")
    box.start("web")
    assert console.state(run_id) == "running"
    assert api.call("POST", RUNS, token=box.token("admin"), body=WISH, expect=409)["error"]["code"] == "running"
    pid = bench_pid(box, run_id)
    box.kill("web")
    os.kill(pid, signal.SIGKILL)
    assert tokens(box) == [f"benchmark {run_id}"]
    box.start("web")
    assert console.wait_for_end(run_id)["status"]["state"] == "failed"
    assert tokens(box) == [], "the token of a run that was killed ends too"


def bench_pid(box, run_id):
    """Of the process that has the run's id among its arguments."""
    def found():
        for entry in os.scandir("/proc"):
            with contextlib.suppress(OSError):
                if entry.name.isdigit():
                    with open(f"/proc/{entry.name}/cmdline", "rb") as file:
                        words = file.read().decode("utf-8", "replace").split("\0")
                    if run_id in words and str(box.state / "web" / "bench") in words:
                        return int(entry.name)
        return None
    return wait_for(found, f"the process of {run_id}")


def check_stopped_console(box, console):
    """Told to stop, the console ends the run in order."""
    run_id = console.start(LONG)
    console.wait_until_at_work(run_id)
    box.stop("web")
    path = box.state / "web" / "bench" / run_id / "report.json"
    wait_for(lambda: json.loads(path.read_text(encoding="utf-8"))["state"] == "incomplete", "its report is written", RUN_S, 0.1)
    box.start("web")
    status = console.wait_for_end(run_id)["status"]
    assert status["state"] == "incomplete" and status["reason"]["en"] == "it was stopped because azekura-web was stopped", status
    assert tokens(box) == []


def check_compare(api, box, console, first, second):
    answer = console.get(f"{V1}/bench/compare?a={first}&b={second}")
    assert answer["warnings"] is not None, answer
    for query, expect in (("", 400), (f"a={first}", 400), (f"a={first}&b={second}&c=1", 400), (f"a={first}&b=none", 404), (f"a=..&b={first}", 404)):
        console.get(f"{V1}/bench/compare?{query}", expect=expect)
    newer = BenchRuns(box).add("2026-01-01_00-00-00_ladder", schema_version=99)
    error = console.get(f"{V1}/bench/compare?a={first}&b={newer.name}", expect=409)["error"]
    assert "schema_version" in error["message"], error
    api.call("DELETE", f"{RUNS}/{newer.name}", session=console.session, expect=204)


def check_what_is_told(box, console, runs):
    """Events and the audit log name every run, who began it and how it ended; nothing holds the password."""
    events = [e for e in console.get(f"{V1}/events?kind=bench.&limit=1000")["entries"]]
    started = [e["params"]["id"] for e in events if e["kind"] == "bench.started"]
    ended = [e["params"]["id"] for e in events if e["kind"] == "bench.ended"]
    assert sorted(started) == sorted(ended) == sorted(runs), (started, ended, runs)
    audit = box.psql("select actor, detail->>'id' from azekura.audit where action = 'bench.start'")
    assert sorted(a[1] for a in audit if a[1] in runs) == sorted(runs) and all(a[0].startswith(("account:boss", "token:")) for a in audit), audit
    listed = [e["id"] for e in console.get(RUNS)["entries"]]
    assert listed == sorted(runs, reverse=True), (listed, runs)
    for path in (box.state / "web").rglob("*"):
        assert not path.is_file() or PASSWORD.encode() not in path.read_bytes(), path
    assert PASSWORD not in box.log_text("web") and PASSWORD not in str(box.psql("select * from azekura.audit"))


def check_messages(api, box, console):
    """What the runs left behind is benchmark's, not logs; and goes by one request."""
    left = console.get(f"{V1}/bench/messages")
    assert left["messages"] > 0, left
    request = api.call("DELETE", f"{V1}/bench/messages", session=console.session, expect=202)["id"]
    wait_for(lambda: console.get(f"{V1}/retention/deletions/{request}")["state"] == "done", "the keeper has removed them", 60, 0.2)
    assert console.get(f"{V1}/bench/messages")["messages"] == 0


def check_brake(api, box, console):
    """Wrong passwords slow the next down, here as at the log-in; and they are one count."""
    wrong = {**WISH, "password": "not the password"}
    body = json.dumps(wrong)
    headers = {"Content-Type": "application/json", "Cookie": f"azekura_session={console.session[0]}", "X-CSRF-Token": console.session[1]}
    statuses = []
    for _ in range(10):
        reply = box.request("POST", RUNS, body, headers)
        api.check("POST", RUNS, reply)
        statuses.append(reply.status)
    assert statuses[:5] == [403] * 5 and 429 in statuses, statuses
    asked = []

    def is_slowed():
        with contextlib.suppress(http.client.HTTPException):
            reply = box.request("POST", f"{V1}/session", json.dumps({"name": "boss", "password": PASSWORD}), {"Content-Type": "application/json"})
            if reply.status == 429:
                asked.append(int(reply.headers["Retry-After"]))
            else:
                box.request("POST", RUNS, body, headers)
        return asked
    wait_for(is_slowed, "the log-in of the same account has to wait as well")
    assert asked[0] >= 1


def check_busy(api, box):
    """Many who ask azekura-bench at once wait their turn."""
    viewer = box.token("viewer")

    def burst():
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            replies = list(pool.map(lambda _: box.request("GET", f"{V1}/bench/profiles", headers={"Authorization": f"Bearer {viewer}"}), range(12)))
        for reply in replies:
            api.check("GET", f"{V1}/bench/profiles", reply)
        return {r.status for r in replies} == {200, 429}
    wait_for(burst, "some are told to come again")


def check_database_away(api, box, console):
    box.allow_errors(r"database|FATAL|terminating")
    box.cluster.halt(signal.SIGINT)
    for path in ("/profiles", "/runs", "/runs/x", "/runs/x/samples", "/compare?a=x&b=x", *(f"/runs/x/files/{f}" for f in FILES)):
        console.get(f"{V1}/bench{path}", expect=503)
    console.post(RUNS, {**WISH, "password": PASSWORD}, expect=503)
    console.post(f"{RUNS}/x/stop", expect=503)
    api.call("DELETE", f"{RUNS}/x", session=console.session, expect=503)
    box.cluster.start()
    wait_for(lambda: box.request("GET", "/healthz").status == 200, "the console finds the database again")


def main():
    with Product() as box:
        api = Contract(box)
        console = Console(box, api)
        check_profiles(console)
        check_who_may(api, box, console)
        first = check_whole_run(api, box, console)
        second = check_stop(box, console)
        check_compare(api, box, console, first, second)
        check_killed_console(api, box, console)
        check_stopped_console(box, console)
        check_what_is_told(box, console, [e["id"] for e in console.get(RUNS)["entries"]])
        check_messages(api, box, console)
        check_busy(api, box)
        check_brake(api, box, console)
        check_database_away(api, box, console)
        for under in ("runs", "profiles", "compare"):
            api.assert_all_exercised(f"{V1}/bench/{under}")


if __name__ == "__main__":
    run(main)
