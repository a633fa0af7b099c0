"""Every endpoint answers as openapi.json describes, with every status it names; who may what is as described too."""

import concurrent.futures
import csv
import http.client
import io
import json
import signal
import socket

from azk import Product, ScenarioFailure, run, wait_for
from openapi import Contract

V1 = "/api/v1"
PASSWORD = "a good long password"
GETS = ["/logs", "/logs/histogram", "/logs/facets?field=hostname", "/rates", "/rates/by?field=source", "/retention/cost", "/sources", "/ledger", "/receiver", "/listeners", "/gaps", "/load", "/events", "/settings",
        "/session"]
LINES = [b"<131>1 2026-03-10T12:00:00Z fw01 kernel - - - link down on port 7",
         b"<134>1 2026-03-10T12:00:01Z fw02 sshd 42 LOGIN [a@1 b=\"c\"] accepted, \"ok\"",
         "<13>Mar 10 12:00:02 router =cmd|' /C calc'!A0 応答なし".encode(),
         b"<13>1 - - - - - - =1+1",
         b"<13>\xff\x00 not utf-8 <script>alert(1)</script>"]


def check_setup(api, box):
    """Before set-up, with the wrong code, with the right one, again."""
    assert api.call("GET", f"{V1}/setup") == {"needed": True}
    code = box.cli("setup-code").strip()
    right = {"code": code, "name": "admin", "password": PASSWORD}
    for change in ({"name": "a b"}, {"name": ""}, {"password": "short"}, {"password": "x" * 257}, {"code": 7}, {"extra": 1}):
        api.call("POST", f"{V1}/setup", body={**right, **change}, expect=400)
    api.call("POST", f"{V1}/setup", body=b"{", headers={"Content-Type": "application/json"}, expect=400)
    api.call("POST", f"{V1}/setup", body=b"[]", headers={"Content-Type": "text/plain"}, expect=415)
    api.call("POST", f"{V1}/setup", body={**right, "code": "AAAA-AAAA-AAAA-AAAA"}, expect=403)
    made = api.call("POST", f"{V1}/setup", body={**right, "code": code.lower().replace("-", " ")}, expect=201)
    assert made["name"] == "admin" and made["role"] == "admin" and made["kind"] == "session"
    assert api.call("GET", f"{V1}/setup") == {"needed": False}
    api.call("POST", f"{V1}/setup", body=right, expect=409)
    return cookie_of(api.last) if api.last.headers.get("Set-Cookie") else None


def cookie_of(reply):
    header = reply.headers["Set-Cookie"]
    for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
        assert part in header, header
    return header.partition("azekura_session=")[2].partition(";")[0]


def log_in(api, **headers):
    who = api.call("POST", f"{V1}/session", body={"name": "admin", "password": PASSWORD}, headers=headers)
    return cookie_of(api.last), who["csrf"]


def check_sessions(api, box):
    """Log-in, forged and expired sessions, CSRF, other sites, log-out."""
    wrong = {"name": "admin", "password": "not the password"}
    api.call("POST", f"{V1}/session", body=wrong, expect=401)
    api.call("POST", f"{V1}/session", body={**wrong, "name": "nobody' or '1'='1"}, expect=401)
    api.call("POST", f"{V1}/session", body={"name": "admin"}, expect=400)
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        api.call("POST", f"{V1}/session", body=wrong, headers=headers, expect=403)
    session = log_in(api, Origin=f"http://127.0.0.1:{box.http_port}", **{"Sec-Fetch-Site": "same-origin"})
    assert "Secure" not in api.last.headers["Set-Cookie"]
    log_in(api, **{"X-Forwarded-Proto": "https"})
    assert "; Secure" in api.last.headers["Set-Cookie"]
    assert api.call("GET", f"{V1}/session", session=session)["csrf"] == session[1]
    change = {"web.session_hours": 8}
    for csrf in (None, "", "x" * 43, session[1][:-1], session[1] + "x"):
        api.call("PATCH", f"{V1}/settings", session=(session[0], csrf), body=change, expect=403)
    api.call("PATCH", f"{V1}/settings", session=session, headers={"Origin": "http://evil.example"}, body=change, expect=403)
    api.call("PATCH", f"{V1}/settings", session=session, body=change)
    assert box.value("select value from azekura.setting where name = 'web.session_hours'") == "8"
    assert session[0] not in str(box.psql("select * from azekura.session")), "the cookie's secret is not stored"
    box.psql("update azekura.session set expires_at = now() - interval '1 s'")
    api.call("GET", f"{V1}/session", session=session, expect=401)
    session = log_in(api)
    api.call("DELETE", f"{V1}/session", session=(session[0], "wrong"), expect=403)
    api.call("DELETE", f"{V1}/session", session=session, expect=204)
    api.call("GET", f"{V1}/logs", session=session, expect=401)


def check_roles(api, box):
    """None, wrong, viewer, operator, admin: what each may."""
    viewer, operator, admin = (box.token(r) for r in ("viewer", "operator", "admin"))
    reads = GETS + ["/logs/tail", "/logs/export?format=csv", "/users", "/logs/0000000000000000-0000000000000000", "/logs/0000000000000000-0000000000000000/raw"]
    for path in reads:
        api.call("GET", V1 + path, expect=401)
        api.call("GET", V1 + path, token="azk_" + "A" * 43, expect=401)
        api.call("GET", V1 + path, session=("A" * 43, None), expect=401)
    api.call("PATCH", f"{V1}/settings", body={}, expect=401)
    api.call("DELETE", f"{V1}/session", expect=401)
    for path in GETS:
        api.call("GET", V1 + path, token=viewer)
    api.call("GET", f"{V1}/logs/export?format=csv", token=viewer, expect=403)
    api.call("GET", f"{V1}/logs/export?format=csv", token=operator)
    for token in (viewer, operator):
        api.call("GET", f"{V1}/users", token=token, expect=403)
        api.call("PATCH", f"{V1}/settings", token=token, body={"web.session_hours": 1}, expect=403)
    users = api.call("GET", f"{V1}/users", token=admin)["users"]
    assert [u["name"] for u in users] == ["admin"]
    api.call("DELETE", f"{V1}/session", token=admin, expect=403)
    # through a proxy the local paths are no longer open
    for path in ("/healthz", "/metrics"):
        api.call("GET", path)
        api.call("GET", path, headers={"X-Forwarded-For": "192.0.2.9"}, expect=401)
        api.call("GET", path, headers={"X-Forwarded-For": "192.0.2.9"}, token=viewer)


def check_details(api, viewer, found):
    """One message with its marks and pairs, facets of both, and what is refused."""
    by_message = {e["message"]: api.call("GET", f"{V1}/logs/{e['id']}", token=viewer) for e in found}
    assert [d["entry"] for d in by_message.values()] == found
    accepted = by_message['accepted, "ok"']
    assert accepted["pairs_form"] == "sd" and accepted["pairs"] == [{"name": "a@1.b", "value": "c"}], accepted
    assert "clock_skew" in accepted["marks"] and accepted["skew_us"] < -1_000_000, accepted
    link = by_message["link down on port 7"]
    assert link["pairs_form"] is None and link["pairs"] == [], link
    assert any("invalid_utf8" in d["marks"] for d in by_message.values()), by_message
    for query in ("kv.b:c", "kv.a@1.b:c", "kv.b:*", "mark:clock_skew+hostname:fw02"):
        entries = api.call("GET", f"{V1}/logs?query={query}", token=viewer)["entries"]
        assert [e["hostname"] for e in entries] == ["fw02"], (query, entries)
    assert api.call("GET", f"{V1}/logs/facets?field=kv.b", token=viewer)["values"] == [{"value": "c", "count": 1}]
    marks = {v["value"]: v["count"] for v in api.call("GET", f"{V1}/logs/facets?field=mark", token=viewer)["values"]}
    assert marks["invalid_utf8"] == 1, marks
    for field in ("kv.", "message", ""):
        api.call("GET", f"{V1}/logs/facets?field={field}", token=viewer, expect=400)
    error = api.call("GET", f"{V1}/logs?query=kv.:x", token=viewer, expect=400)["error"]
    assert (error["at"], error["length"]) == (0, 4) and "name of a pair" in error["message"], error
    api.call("GET", f"{V1}/logs/x", token=viewer, expect=400)
    api.call("GET", f"{V1}/logs/{found[0]['id']}?x=1", token=viewer, expect=400)
    api.call("GET", f"{V1}/logs/{'f' * 16}-{'0' * 16}", token=viewer, expect=404)


def check_logs(api, box):
    """Entries, paging, raw bytes, histogram, facets, exports."""
    viewer, operator = box.token("viewer"), box.token("operator")
    page = api.call("GET", f"{V1}/logs?limit=2&order=asc", token=viewer)
    found = page["entries"]
    while page["next"]:
        page = api.call("GET", f"{V1}/logs?limit=2&order=asc&cursor={page['next']}", token=viewer)
        found += page["entries"]
    assert page["complete"] and len({e["id"] for e in found}) == len(LINES) == len(found), found
    newest = api.call("GET", f"{V1}/logs", token=viewer)["entries"]
    assert newest == found[::-1]
    raws = [api.call("GET", f"{V1}/logs/{e['id']}/raw", token=viewer) for e in found]
    assert sorted(raws) == sorted(LINES)
    assert api.last.headers["Content-Disposition"].startswith("attachment;")
    err = api.call("GET", f"{V1}/logs?query=(link+OR+", token=viewer, expect=400)["error"]
    assert err["code"] == "bad_query" and "at" in err and "length" in err
    assert [e["hostname"] for e in api.call("GET", f"{V1}/logs?query=link+severity:err", token=viewer)["entries"]] == ["fw01"]
    histogram = api.call("GET", f"{V1}/logs/histogram?buckets=7", token=viewer)
    assert len(histogram["buckets"]) == 7 and sum(b["count"] for b in histogram["buckets"]) == len(LINES), histogram
    values = api.call("GET", f"{V1}/logs/facets?field=hostname", token=viewer)["values"]
    assert {"value": "fw01", "count": 1} in values and sum(v["count"] for v in values) <= len(LINES), values
    check_details(api, viewer, found)
    check_exports(api, operator, found, raws)
    api.call("GET", f"{V1}/logs/export?format=xml", token=operator, expect=400)
    api.call("GET", f"{V1}/logs/export", token=operator, expect=400)
    api.call("GET", f"{V1}/logs/{'f' * 16}-{'0' * 16}/raw", token=viewer, expect=404)


def check_exports(api, operator, found, raws):
    text = api.call("GET", f"{V1}/logs/export?format=csv", token=operator).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0][0] == "received_at" and len(rows) == len(LINES) + 1
    assert [r[13] for r in rows[1:]] == [e["id"] for e in found]
    for row, entry in zip(rows[1:], found):
        message = entry["message"]
        assert row[11] == ("'" + message if message[:1] in "=+-@\t\r\n" else message), row
    assert any(r[11].startswith("'=") for r in rows), "a formula is neutralised"
    lines = api.call("GET", f"{V1}/logs/export?format=jsonl", token=operator).decode().splitlines()
    assert [json.loads(line) for line in lines] == found
    assert api.call("GET", f"{V1}/logs/export?format=raw", token=operator) == b"".join(r + b"\n" for r in raws)


def check_receiving(api, box):
    """Ledger, sources, rates, metrics say the same."""
    viewer = box.token("viewer")
    wait_for(lambda: api.call("GET", f"{V1}/ledger", token=viewer)["balanced"], "the ledger is balanced")
    ledger = api.call("GET", f"{V1}/ledger", token=viewer)
    assert ledger["total"]["arrived"] == ledger["total"]["stored"] == len(LINES) and ledger["rows_complete"]
    assert ledger["by_listener"]["udp"]["stored"] == len(LINES) and ledger["receiver"]["arrived"] == len(LINES)
    sources = api.call("GET", f"{V1}/sources?order=silent", token=viewer)
    assert sources["total"] == 1 and sources["sources"][0]["messages"] == len(LINES)
    for query, basis in (("", "ledger"), ("?step=2", "blocks"), ("?step=600", "ledger")):
        rates = api.call("GET", f"{V1}/rates{query}", token=viewer)
        assert rates["basis"] == basis and sum(p["total"] for p in rates["points"]) == len(LINES), rates
        assert all(p["udp"] + p["tcp"] + p["tls"] == p["total"] for p in rates["points"])
    for field in ("source", "hostname", "app_name", "severity", "listener"):
        table = api.call("GET", f"{V1}/rates/by?field={field}", token=viewer)
        assert sum(r["day"] for r in table["rows"]) == len(LINES) and table["total"] == len(table["rows"]), table
        for sort in ("value", "now", "bytes_month", "change_percent", "last_heard"):
            for order in ("asc", "desc"):
                query = f"field={field}&sort={sort}&order={order}&limit=10000"
                again = api.call("GET", f"{V1}/rates/by?{query}", token=viewer)
                assert len(again["rows"]) == table["total"], query
        text = api.call("GET", f"{V1}/rates/by?field={field}&format=csv", token=viewer).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        assert sum(int(r["day"]) for r in rows) == len(LINES) and len(rows) == table["total"], text
    by_host, by_app = (api.call("GET", f"{V1}/retention/cost?by={by}", token=viewer)["rows"] for by in ("hostname", "app_name"))
    assert sum(r["messages"] for r in by_host) == sum(r["messages"] for r in by_app) == len(LINES), (by_host, by_app)
    metrics = api.call("GET", "/metrics").decode()
    assert f'azekura_messages_stored_total{{listener="udp"}} {len(LINES)}\n' in metrics
    assert "azekura_database_up 1\n" in metrics and 'reason="oversize"' in metrics
    assert 'azekura_web_requests_total{method="GET",path="/api/v1/ledger",status="2xx"}' in metrics


def check_load(api, box):
    """Samples of the load by metric and step, as JSON and CSV."""
    viewer = box.token("viewer")
    wait_for(lambda: int(box.value("select count(*) from azekura.load_sample where step = 5")) >= 2, "two samples of the load")
    load = api.call("GET", f"{V1}/load", token=viewer)
    assert load["step_us"] == 5_000_000 and load["hardware_threads"] >= 1 and len(load["series"]) > 30
    by_name = {s["name"]: s for s in load["series"]}
    assert all(len(s["mean"]) == len(s["max"]) == load["n"] for s in load["series"])
    assert by_name["load1"]["mean"][0] is None and any(v is not None for v in by_name["load1"]["mean"]), "before the start is a gap"
    few = api.call("GET", f"{V1}/load?metrics=memory_total_bytes,load5&step=60", token=viewer)
    assert [s["name"] for s in few["series"]] == ["memory_total_bytes", "load5"] and few["step_us"] == 60_000_000
    text = api.call("GET", f"{V1}/load?metrics=load1,memory_used_bytes&format=csv", token=viewer).decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == ["at", "load1_mean", "load1_max", "memory_used_bytes_mean", "memory_used_bytes_max"]
    assert len(rows) in (721, 722) and rows[1][1] == "" and any(r[1] for r in rows[1:]), rows[:3]
    for query, field in (("step=4", "step"), ("step=7", "step"), ("step=61", "step"), ("step=930", "step"), ("step=21601", "step"),
                         ("metrics=", "metrics"), ("metrics=load1,", "metrics"), ("metrics=load1,load1", "metrics"),
                         ("metrics=no", "metrics"), ("format=xml", "format"),
                         ("from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&step=60", "step"), ("from=2026", "from")):
        error = api.call("GET", f"{V1}/load?{query}", token=viewer, expect=400)["error"]
        assert error["field"] == field, (query, error)
    years = api.call("GET", f"{V1}/load?from=1970-01-01T00:00:00Z&to=9999-01-01T00:00:00Z&metrics=load1", token=viewer)
    assert years["n"] <= 1000 and any(v is not None for v in years["series"][0]["max"])


def check_events(api, box):
    """What happened, newest first, in two languages, page by page."""
    viewer = box.token("viewer")
    whole = api.call("GET", f"{V1}/events", token=viewer)
    assert whole["next"] is None
    kinds = [e["kind"] for e in whole["entries"]]
    assert kinds.count("settings.changed") == 3 and "daemon.started" in kinds and "daemon.failed" not in kinds, kinds
    changed = next(e for e in whole["entries"] if "search_seconds" in e["params"].get("names", ""))
    assert changed["text_en"] == "token:scenario-admin changed box.name, web.search_seconds.", changed
    assert changed["text_ja"] == "token:scenario-admin が設定を変更しました: box.name, web.search_seconds" and changed["severity"] == "notice"
    started = {e["params"]["daemon"] for e in whole["entries"] if e["kind"] == "daemon.started"}
    assert {"web", "keeper"} <= started, started
    page, found = {"next": None}, []
    while not found or page["next"]:
        cursor = f"&cursor={page['next']}" if page["next"] else ""
        page = api.call("GET", f"{V1}/events?limit=2{cursor}", token=viewer)
        found += page["entries"]
    assert found == whole["entries"]
    notices = api.call("GET", f"{V1}/events?severity=notice&kind=settings.", token=viewer)["entries"]
    assert [e["kind"] for e in notices] == ["settings.changed"] * 3
    at = changed["at"]
    assert changed not in api.call("GET", f"{V1}/events?from=2026-01-01T00:00:00Z&to={at}", token=viewer)["entries"]
    assert changed in api.call("GET", f"{V1}/events?from={at}", token=viewer)["entries"]
    for query in ("severity=loud", "severity=8", "cursor=0", "cursor=x", "limit=1001", "limit=0", "kind=" + "x" * 65, "from=now"):
        api.call("GET", f"{V1}/events?{query}", token=viewer, expect=400)


def check_settings(api, box):
    """All or nothing, types, ranges, unknown names, audit."""
    admin = box.token("admin")
    before = api.call("GET", f"{V1}/settings", token=admin)["settings"]
    for body in ({}, {"web.session_hour": 3}, {"web.session_hours": 0}, {"web.session_hours": 721}, {"web.session_hours": 1.5},
                 {"web.session_hours": True}, {"web.session_hours": [1]}, {"time.zone": "Mars/Olympus"}, {"listen.http": "127.0.0.1:1"},
                 {"box.name": "fine", "web.search_seconds": 100000}, {"box.name": "x" * 65}):
        error = api.call("PATCH", f"{V1}/settings", token=admin, body=body, expect=400)["error"]
        assert error["message"], body
    api.call("PATCH", f"{V1}/settings", token=admin, body=b'{"box.name":"a","box.name":"b"}',
             headers={"Content-Type": "application/json"}, expect=400)
    unknown = api.call("PATCH", f"{V1}/settings", token=admin, body={"web.session_hour": 3}, expect=400)["error"]
    assert "web.session_hours" in unknown["message"], unknown
    assert api.call("GET", f"{V1}/settings", token=admin)["settings"] == before, "a failed change changes nothing"
    after = api.call("PATCH", f"{V1}/settings", token=admin, body={"box.name": "校倉 \"1\" \\ {,}", "web.search_seconds": 7})
    values = {s["name"]: s for s in after["settings"]}
    assert values["box.name"]["value"] == "校倉 \"1\" \\ {,}" and values["web.search_seconds"]["value"] == 7
    assert values["box.name"]["changed_by"] == "token:scenario-admin"
    assert api.call("GET", f"{V1}/session", token=admin)["box"]["name"] == "校倉 \"1\" \\ {,}", "in force at once"
    api.call("PATCH", f"{V1}/settings", token=admin, body={"box.name": None, "web.search_seconds": None})
    assert box.value("select count(*) from azekura.setting where name in ('box.name', 'web.search_seconds')") == "0"
    assert int(box.value("select count(*) from azekura.audit where action = 'settings.change'")) == 3


def read_events(stream, n):
    """Entries of a live view until there are n."""
    found = []
    while len(found) < n:
        line = stream.readline()
        if not line:
            raise ScenarioFailure("the live view ended")
        if line.startswith(b"data: {\"received_at\""):
            found.append(json.loads(line[6:]))
    return found


def check_tail(api, box):
    """A new line comes by itself, one already known does not; streams are bounded; a closed one frees its place."""
    viewer = box.token("viewer")
    api.call("GET", f"{V1}/logs/tail?after=x", token=viewer, expect=400)
    newest = api.call("GET", f"{V1}/logs?limit=1", token=viewer)["entries"][0]["id"]
    streams = []

    def open_tail():
        c = http.client.HTTPConnection("127.0.0.1", box.http_port, timeout=20)
        c.request("GET", f"{V1}/logs/tail?query=tailed&after={newest}", headers={"Authorization": f"Bearer {viewer}"})
        streams.append(c.getresponse())  # owns the socket from now on
        return streams[-1]

    first = open_tail()
    assert first.status == 200 and first.headers["Content-Type"] == "text/event-stream"
    box.send_udp([b"<13>1 - - - - - - tailed line %d" % i for i in range(3)] + [b"<13>1 - - - - - - another line"])
    entries = read_events(first, 3)
    assert sorted(e["message"] for e in entries) == [f"tailed line {i}" for i in range(3)]
    api.validate({"$ref": "#/components/schemas/Entry"}, entries[0], "an event")
    api.seen.add(("GET", f"{V1}/logs/tail", 200))
    replies = [open_tail().status for _ in range(15)]
    assert replies == [200] * 15, replies
    api.call("GET", f"{V1}/logs/tail", token=viewer, expect=429)
    assert int(api.last.headers["Retry-After"]) > 0
    for stream in streams:
        stream.close()
    wait_for(lambda: b"azekura_web_tails 0\n" in box.request("GET", "/metrics").body, "the live views are noticed to be gone")


def check_export_limit(api, box):
    """Four exports at once, a fifth waits its turn."""
    operator = box.token("operator")
    box.allow_errors("canceling statement due to user request")
    box.send_tcp(b"<13>1 - - - - - - " + b"x" * 2000 + b" %d" % i for i in range(20000))
    box.wait_for_stored(20000)
    slow = []
    for _ in range(4):
        s = socket.create_connection(("127.0.0.1", box.http_port))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.sendall(f"GET {V1}/logs/export?format=jsonl HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {operator}\r\n\r\n".encode())
        slow.append(s)
    wait_for(lambda: b"azekura_web_exports 4\n" in box.request("GET", "/metrics").body, "four exports run")
    api.call("GET", f"{V1}/logs/export?format=csv", token=operator, expect=429)
    for s in slow:
        s.close()
    wait_for(lambda: b"azekura_web_exports 0\n" in box.request("GET", "/metrics").body, "the exports end with their clients")
    whole = api.call("GET", f"{V1}/logs/export?format=jsonl&query=xxx*", token=operator)
    assert whole.count(b"\n") == 20000, "complete, over several pages"


def check_bad_parameters(api, box):
    """Values nobody should send are refused at once, whatever they try."""
    token = box.token("operator")
    paths = ["/logs?limit=-1", "/logs?limit=1e9", "/logs?limit=0", "/logs?limit=10001", "/logs?limit=1%00", "/logs?from=2026-13-45",
             "/logs?from=2026-03-10T12:00:00", "/logs?from=now", "/logs?from=2026-03-11T00:00:00Z&to=2026-03-10T00:00:00Z",
             "/logs?cursor=1%20OR%201=1", "/logs?cursor=';drop table azekura.log_block--".replace(" ", "%20"), "/logs?order=sideways",
             "/logs?order=asc;select+1", "/logs?nonsense=1", "/logs?limit=1&limit=2", "/logs?query=%ff", "/logs?query=%zz", "/logs?query=%00",
             "/logs?query=" + "a" * 4097, "/logs?" + "&".join(f"a{i}=1" for i in range(40)),
             "/logs/histogram?buckets=0", "/logs/histogram?buckets=2001", "/logs/facets?field=password_hash",
             "/logs/facets?field=hostname);--", "/logs/facets", "/logs/1%20OR%201=1/raw", "/logs/%3Cscript%3E/raw",
             "/logs/tail?query=((", "/rates?step=0", "/rates/by", "/rates/by?field=procid",
             "/rates/by?field=source&sort=x", "/rates/by?field=source&limit=0", "/rates/by?field=source&filter=" + "x" * 257, "/retention/cost?by=source", "/rates?step=1&from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z",
             "/rates?from=2026-03-11T00:00:00Z&to=2026-03-10T00:00:00Z", "/sources?limit=0", "/sources?order=x", "/ledger?limit=x", "/ledger?from=x",
             "/logs/export?format=csv&from=x", "/logs/export?format=csv&query=("]
    for path in paths:
        error = api.call("GET", V1 + path, token=token, expect=400)["error"]
        assert error["message"] and "<script" not in error["message"].lower().replace("\"<script>\"", ""), error
    for path in ("/nothing", "/logs/", "/logs/a/b/raw", "/../settings", "/logs//a/raw/b"):
        api.call("GET", V1 + path, token=token, expect=404)
    api.call("GET", f"{V1}/logs/raw", token=token, expect=400)  # "raw" is no id
    for method, path in (("POST", "/logs"), ("PUT", "/settings"), ("HEAD", "/logs"), ("OPTIONS", "/logs"), ("DELETE", "/setup"), ("TRACE", "/logs")):
        reply = box.request(method, V1 + path, headers={"Authorization": f"Bearer {token}"})
        assert reply.status in (405, 501, 400), (method, path, reply.status)
        assert reply.status != 405 or reply.headers["Allow"], path
    # harmless text in a query is text
    assert api.call("GET", f"{V1}/logs?query=%27%3B+drop+table+azekura.log_block%3B--", token=token)["entries"] == []


def check_too_many(api, box):
    """Many tries at once gain nothing: of twenty wrong passwords a handful is looked at."""
    def attempt(_):
        return box.request("POST", f"{V1}/session", json.dumps({"name": "ghost", "password": "wrong password"}),
                           {"Content-Type": "application/json"})
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(attempt, range(20)))
    for reply in replies:
        api.check("POST", f"{V1}/session", reply)
    looked_at = sum(r.status == 401 for r in replies)
    assert looked_at <= 6 and sum(r.status == 429 for r in replies) >= 14, [r.status for r in replies]
    body = json.dumps({"code": "A" * 16, "name": "x", "password": PASSWORD})

    def is_slowed():
        reply = box.request("POST", f"{V1}/setup", body, {"Content-Type": "application/json"})
        api.check("POST", f"{V1}/setup", reply)
        return reply.status == 429
    wait_for(is_slowed, "tries at the setup code are slowed down as well")


def check_database_away(api, box):
    """Everything that needs the database says that it is away; what does not works; it comes back by itself."""
    token, admin = box.token("operator"), box.token("admin")
    box.allow_errors(r"database|FATAL|terminating")
    box.cluster.halt(signal.SIGINT)
    for path in GETS + ["/logs/0000000000000000-0000000000000000", "/logs/0000000000000000-0000000000000000/raw", "/logs/export?format=csv", "/logs/tail", "/users"]:
        api.call("GET", V1 + path, token=admin, expect=503)
    api.call("PATCH", f"{V1}/settings", token=admin, body={"box.name": "x"}, expect=503)
    api.call("GET", f"{V1}/setup", expect=503)
    api.call("POST", f"{V1}/setup", body={"code": "A" * 16, "name": "x", "password": PASSWORD}, expect=503)
    api.call("POST", f"{V1}/session", body={"name": "admin", "password": PASSWORD}, expect=503)
    api.call("DELETE", f"{V1}/session", session=("A" * 43, "x"), expect=503)
    assert api.call("GET", "/healthz", expect=503)["database"]["state"] == "away"
    assert b"azekura_database_up 0\n" in api.call("GET", "/metrics")
    api.call("GET", f"{V1}/openapi.json")
    assert box.request("GET", "/").status in (200, 503)
    box.cluster.start()
    wait_for(lambda: box.request("GET", "/healthz").status == 200, "the web daemon finds the database again")
    api.call("GET", f"{V1}/logs", token=token)


def main():
    with Product() as box:
        api = Contract(box)
        assert api.check_examples() >= 15
        api.call("GET", f"{V1}/openapi.json")
        check_setup(api, box)
        check_sessions(api, box)
        box.send_udp(LINES)
        box.wait_for_stored(len(LINES))
        check_roles(api, box)
        check_logs(api, box)
        check_receiving(api, box)
        check_load(api, box)
        check_settings(api, box)
        check_events(api, box)
        check_bad_parameters(api, box)
        check_tail(api, box)
        check_export_limit(api, box)
        check_too_many(api, box)
        check_database_away(api, box)
        # retention_api.py, bench_*.py, listeners_api.py, certificates_api.py, sources_api.py
        api.assert_all_exercised(elsewhere=[f"{V1}/{part}" for part in ("retention", "bench", "receiver", "listeners", "gaps", "tls", "sources/", "zones")])


if __name__ == "__main__":
    run(main)
