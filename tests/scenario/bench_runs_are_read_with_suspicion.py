"""Whatever lies in the folders of benchmark runs, the console shows what can be shown, names what cannot, follows no link and stays up."""

import contextlib
import os
import socket
import subprocess

from azk import Product, run, wait_for
from bench_runs import BenchRuns, report, samples
from openapi import Contract

V1 = "/api/v1"
RUNS = f"{V1}/bench/runs"
GOOD = "2026-11-30_10-00-00_ladder"
FILES = ("report.html", "report.txt", "report.json", "results.csv", "results_ext.csv", "samples.csv")


def check_good(api, box, runs):
    """A run as it should be: entry, report, samples page by page, every file."""
    viewer = box.token("viewer")
    assert api.call("GET", RUNS, token=viewer) == {"entries": [], "next": None}
    texts = {name: f"{name} of the run\n" for name in FILES if name not in ("report.json", "samples.csv")}
    runs.add(GOOD, texts | {"samples.csv": samples(2500) + "1,2501,25"})
    entry = api.call("GET", RUNS, token=viewer)["entries"][0]
    assert entry["id"] == GOOD and entry["state"] == "complete" and entry["verdict"] == "pass" and entry["target"] == "box", entry
    assert entry["answer"]["en"] == "It takes 20,000 messages/s." and entry["ended_at"] == "2026-11-30T10:04:00Z", entry
    whole = api.call("GET", f"{RUNS}/{GOOD}", token=viewer)
    assert whole["report"]["id"] == GOOD and whole["report_problem"] is None and whole["status"]["summary"] == entry, whole
    rows, after = [], 0
    while (page := api.call("GET", f"{RUNS}/{GOOD}/samples?after={after}", token=viewer))["rows"]:
        rows, after = rows + page["rows"], page["next"]
    assert [r["at_s"] for r in rows] == list(range(1, 2501)) and page["next"] == after, "the line that is not whole is not there"
    assert rows[6] == {"trial": 1, "at_s": 7, "scheduled": 7000, "sent": 7000, "stored": 6930, "latency_p50_us": None, "load1": 0.25}
    for bad in (1, after - 1, after + 1, 10**15):
        assert api.call("GET", f"{RUNS}/{GOOD}/samples?after={bad}", token=viewer, expect=400)["error"]["field"] == "after"
    for name in FILES:
        body = api.call("GET", f"{RUNS}/{GOOD}/files/{name}", token=viewer)
        assert api.last.headers["Content-Disposition"] == f"attachment; filename=\"{GOOD}_{name}\""
        assert name not in texts or body.decode() == texts[name]
    api.call("GET", f"{RUNS}/{GOOD}/files/report.html", token=viewer)
    assert any(p.startswith("sandbox;") for p in api.last.headers.get_all("Content-Security-Policy")), "a page of another program"
    for name in ("lock", "log", "status.json", "summary.json", "..%2flock", "report.html/"):
        api.call("GET", f"{RUNS}/{GOOD}/files/{name}", token=viewer, expect=404)


def check_pages(api, box, runs):
    """Newest first, page by page; what is no run's folder is none."""
    viewer = box.token("viewer")
    ids = [f"2026-10-{d:02}_00-00-00_knee" for d in range(1, 8)]
    for run_id in ids:
        runs.add(run_id)
    (runs.root / "a file").write_text("x")
    (runs.root / "no.run").mkdir()
    os.symlink("/etc", runs.root / "2027-01-01_00-00-00_link")
    runs.write(runs.root / "2027-01-02_00-00-00_file", "x")
    found, cursor = [], ""
    while cursor is not None:
        page = api.call("GET", f"{RUNS}?limit=3{cursor and '&cursor=' + cursor}", token=viewer)
        found, cursor = found + [e["id"] for e in page["entries"]], page["next"]
    assert found == [GOOD, *reversed(ids)], found
    for query in ("limit=0", "limit=201", "limit=x", "cursor=..", "cursor=" + "a" * 65, "other=1"):
        api.call("GET", f"{RUNS}?{query}", token=viewer, expect=400)
    for bad in ("..", ".", "%2e%2e", "..%2f..%2fazekura.conf", "no.run", ".open", "a" * 65, "%00", "2027-01-01_00-00-00_link",
                "2027-01-02_00-00-00_file", "2020-01-01_00-00-00_none"):
        for path in ("", "/samples", "/files/report.json"):
            reply = box.request("GET", f"{RUNS}/{bad}{path}", headers={"Authorization": f"Bearer {viewer}"})
            assert reply.status in (400, 404) and b"root" not in reply.body, (bad, path, reply)


def check_damaged(api, box, runs):
    """Files that are cut, too large, no JSON, no files."""
    viewer = box.token("viewer")
    bad = {"cut": b'{"schema_version": 1, "state": "comp', "empty": b"", "list": b"[]", "text": b'"<script>"', "nul": b'{"a":"\\u0000"}',
           "latin": b'{"a":"\xff"}', "deep": b'{"a":' * 5000 + b"1" + b"}" * 5000, "large": b'{"a":"' + b"x" * (4 << 20) + b'"}'}
    for name, content in bad.items():
        run_id = f"2026-09-01_00-00-00_{name}"
        runs.add(run_id, {"report.json": content, "status.json": content, "summary.json": content})
        answer = api.call("GET", f"{RUNS}/{run_id}", token=viewer)
        assert answer["report"] is None and "report.json" in answer["report_problem"], (name, answer)
        assert answer["status"]["state"] == "failed" and answer["status"]["reason"]["en"], (name, answer)
    odd = "2026-09-02_00-00-00_odd"
    runs.add(odd, state=7, verdict="splendid", answer=["x"], title={"en": 1}, started_at="yesterday", ended_at={}, version="v" * 5000, targets="box",
             profile=None, trials=None)
    entry = next(e for e in api.call("GET", f"{RUNS}?limit=200", token=viewer)["entries"] if e["id"] == odd)
    assert entry["state"] == "failed" and entry["verdict"] == "none" and entry["answer"] is None and entry["title"] is None, entry
    links = runs.add("2026-09-03_00-00-00_links", {"report.json": None, "samples.csv": None, "status.json": None})
    os.symlink(box.state / "azekura.conf", links / "report.txt")
    os.symlink("/etc/passwd", links / "samples.csv")
    os.mkfifo(links / "report.html")
    os.mkdir(links / "results.csv")
    box.allow_errors("bench/runs/2026-09-0")
    for name in ("report.txt", "samples.csv", "report.html", "results.csv"):
        reply = box.request("GET", f"{RUNS}/{links.name}/files/{name}", headers={"Authorization": f"Bearer {viewer}"})
        assert reply.status == 500 and b"root" not in reply.body and b"state.dir" not in reply.body, (name, reply)
    check_odd_samples(api, viewer, runs)


def check_odd_samples(api, viewer, runs):
    cases = (("none", None, []), ("nothing", "", []), ("half", "trial,at_s", []),
             ("values", "trial,at_s,x\n1,=cmd,1e3\n\n1,2,3,4\nNaN,0x10,007\n-1,1e,1.\n",
              [{"trial": 1, "at_s": None, "x": 1000}, {"trial": None, "at_s": None, "x": None}, {"trial": 1, "at_s": 2, "x": 3},
               {"trial": None, "at_s": None, "x": None}, {"trial": -1, "at_s": None, "x": None}]))
    for name, text, rows in cases:
        folder = runs.add(f"2026-09-04_00-00-00_{name}", {"samples.csv": text})
        assert api.call("GET", f"{RUNS}/{folder.name}/samples", token=viewer)["rows"] == rows, name
    for name, text in (("names", "trial,<b>\n1,2\n"), ("wide", "a," * 70 + "a\n1\n"), ("long", "a" * 5000), ("line", "a\n" + "1" * 300000)):
        folder = runs.add(f"2026-09-05_00-00-00_{name}", {"samples.csv": text})
        error = api.call("GET", f"{RUNS}/{folder.name}/samples", token=viewer, expect=500)["error"]
        assert error["code"] == "damaged", (name, error)


def check_early(api, box, runs):
    """Looked at before it had its lock, a run that was begun by hand is not called killed for ever."""
    viewer = box.token("viewer")
    folder = runs.add("2026-09-06_00-00-00_early", {"report.json": None, "status.json": None, "samples.csv": None, "lock": None})
    path = f"{RUNS}/{folder.name}"
    assert api.call("GET", path, token=viewer)["status"]["state"] == "failed"
    assert (folder / "summary.json").exists()
    runs.write(folder / "report.json", report(folder.name))
    answer = api.call("GET", path, token=viewer)
    assert answer["status"]["state"] == "complete" and answer["status"]["summary"]["verdict"] == "pass", answer["status"]
    assert next(e for e in api.call("GET", f"{RUNS}?limit=200", token=viewer)["entries"] if e["id"] == folder.name)["state"] == "complete"


def check_full_disk(api, box, runs):
    """Where nothing can be written no run begins, and the reason is not the request's; nothing is left behind."""
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=64k,uid={box.user.pw_uid}", "tmpfs", runs.root], check=False).returncode != 0:
        return  # only root can make a disk that is full
    try:
        runs.box.own_folder(runs.root / ".open")
        with contextlib.suppress(OSError):
            (runs.root / "fill").write_bytes(b"x" * 65536)
        wish = {"profile": "ladder", "target": "azekura", "options": {"time": 1}}
        error = api.call("POST", RUNS, token=box.token("admin"), body=wish, expect=409)["error"]
        assert error["code"] == "no_room" and "the disk is full" in error["message"], error
        assert os.listdir(runs.root / ".open") == []
    finally:
        subprocess.run(["umount", "-l", runs.root], check=True)


def check_living(api, box, runs):
    """Its lock tells that a run lives, exactly; a run that is killed is told as failed."""
    admin, viewer = box.token("admin"), box.token("viewer")
    run_id = "2026-11-30_11-00-00_ladder"
    path = f"{RUNS}/{run_id}"
    with runs.living(run_id) as process:
        status = api.call("GET", path, token=viewer)["status"]
        assert status["state"] == "running" and status["progress_percent"] == 12.5 and status["step"] is None, status
        assert api.call("GET", RUNS, token=viewer)["entries"][0]["state"] == "running"
        assert api.call("DELETE", path, token=admin, expect=409)["error"]["code"] == "running"
        assert api.call("GET", f"{path}/samples", token=viewer) == {"rows": [], "next": 0}
        process.kill()
        process.wait()
        runs.wait_for_state(api, run_id, "failed", viewer)
        assert "killed" in api.call("GET", path, token=viewer)["status"]["reason"]["en"]
    stopped = "2026-11-30_11-30-00_ladder"
    with runs.living(stopped) as process:
        for role in ("viewer", "operator"):
            api.call("POST", f"{RUNS}/{stopped}/stop", token=box.token(role), expect=403)
        api.call("POST", f"{RUNS}/{stopped}/stop", expect=401)
        assert api.call("POST", f"{RUNS}/{stopped}/stop", token=admin, expect=202) == {"id": stopped}
        assert process.wait(30) == 130, "it was told by SIGTERM"
    assert api.call("POST", f"{RUNS}/{stopped}/stop", token=admin, expect=409)["error"]["code"] == "not_running"
    api.call("POST", f"{RUNS}/none/stop", token=admin, expect=404)
    for role, expect in ((None, 401), ("viewer", 403), ("operator", 403), ("admin", 204), ("admin", 404)):
        api.call("DELETE", path, token=role and box.token(role), expect=expect)
    assert not (runs.root / run_id).exists()
    actions = box.psql("select actor, action, detail->>'id' from azekura.audit where action like 'bench.%' order by id")
    assert [list(a) for a in actions] == [["token:scenario-admin", "bench.stop", stopped], ["token:scenario-admin", "bench.delete", run_id]], actions


def check_deletion_follows_no_link(api, box, runs):
    outside = box.state / "web" / "outside"
    box.own_folder(outside)
    runs.write(outside / "precious", "x")
    folder = runs.add("2026-08-01_00-00-00_links")
    os.symlink(outside, folder / "link")
    os.symlink(outside / "precious", folder / "file")
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    os.symlink(outside, inner / "link")
    if box.user:
        for path in (folder / "a", inner):
            os.chown(path, box.user.pw_uid, box.user.pw_gid)
    api.call("DELETE", f"{RUNS}/{folder.name}", token=box.token("admin"), expect=204)
    assert not folder.exists() and (outside / "precious").exists()


def check_slow_downloads(api, box, runs):
    """Readers that take nothing hold eight places, a ninth waits its turn; they get them back."""
    folder = runs.add("2026-07-01_00-00-00_large", {"samples.csv": "a\n" + "1\n" * (16 << 20)})
    path = f"{RUNS}/{folder.name}/files/samples.csv"
    viewer = box.token("viewer")
    with contextlib.ExitStack() as stack:
        for _ in range(8):
            s = stack.enter_context(socket.socket())
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", box.http_port))
            s.settimeout(30)
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {viewer}\r\n\r\n".encode())
            assert s.recv(100).startswith(b"HTTP/1.1 200")
        api.call("GET", path, token=viewer, expect=429)
    wait_for(lambda: box.request("GET", path, headers={"Authorization": f"Bearer {viewer}"}).status == 200, "a place is free again")


def check_left_behind(api, box, runs):
    """A run that ended while the console was away is told once and loses its token; so does one whose folder is gone;
    what a person named alike stays."""
    run_id, lost = "2026-11-30_12-00-00_ladder", "2026-11-30_13-00-00_ladder"
    box.stop("web")
    marks = runs.root / ".open"
    runs.add(run_id, {"report.json": None})
    runs.write(marks / run_id, {"id": run_id, "state": "running", "profile": "ladder", "target": "box", "actor": "account:boss"})
    runs.write(marks / f"{run_id}.token", "azk_secret")
    runs.write(marks / f"{run_id}.log", "started\nazekura-bench: the last word\n")
    names = [f"benchmark {run_id}", f"benchmark {lost}", "benchmark of mine", "benchmark 2026-11-30"]
    for name in names:
        box.cli("token", "create", "--role", "operator", "--name", name)
    box.start("web")
    wait_for(lambda: not list(marks.iterdir()), "the mark is gone")
    wait_for(lambda: sorted(r[0] for r in box.psql("select name from azekura.token where name like 'benchmark%'")) == sorted(names[2:]),
             "the tokens of runs are gone")
    told = api.call("GET", f"{V1}/events?kind=bench.ended", token=box.token("viewer"))["entries"]
    assert [(e["params"]["id"], e["params"]["state"]) for e in told] == [(run_id, "failed")], told
    status = api.call("GET", f"{RUNS}/{run_id}", token=box.token("viewer"))["status"]
    assert status["reason"]["en"] == "the last word" and status["summary"]["actor"] == "account:boss", status


def main():
    with Product(daemons=("web",)) as box:
        api = Contract(box)
        runs = BenchRuns(box)
        check_good(api, box, runs)
        check_pages(api, box, runs)
        check_damaged(api, box, runs)
        check_early(api, box, runs)
        check_living(api, box, runs)
        check_deletion_follows_no_link(api, box, runs)
        check_slow_downloads(api, box, runs)
        check_left_behind(api, box, runs)
        check_full_disk(api, box, runs)


if __name__ == "__main__":
    run(main)
