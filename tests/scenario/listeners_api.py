"""Listeners, allow-list, limits, gaps and the receiver's own word by the API and the command line, as openapi.json says."""

import json
import signal

from azk import Product, run, wait_for
from openapi import Contract

V1 = "/api/v1"
ELSEWHERE = [f"{V1}/{part}" for part in ("logs", "rates", "sources", "ledger", "load", "events", "settings", "retention", "bench", "tls",
                                         "session", "setup", "users", "openapi", "zones")] + ["/healthz", "/metrics"]


def check_receiver(api, box):
    """What the receiver says of itself; /metrics says the same."""
    viewer = box.token("viewer")
    wait_for(lambda: (api.call("GET", f"{V1}/receiver", token=viewer)["detail"] or {}).get("listeners"), "the receiver's detail")
    box.send_udp([b"<13>1 - - - - - - seen %d" % i for i in range(7)])
    box.wait_for_stored(7)

    def received():
        detail = api.call("GET", f"{V1}/receiver", token=viewer)["detail"]
        return next(x for x in detail["listeners"] if x["name"] == "udp")["received"] == 7
    wait_for(received, "the listener counts seven messages")
    answer = api.call("GET", f"{V1}/receiver", token=viewer)
    assert answer["status"]["arrived"] == 7 and answer["ever"]["total"]["stored"] == 7, answer
    assert 0 <= answer["age_us"] < 60_000_000, answer["age_us"]
    metrics = api.call("GET", "/metrics").decode()
    for line in ('azekura_listener_messages_total{listener="udp"} 7\n', 'azekura_listener_up{listener="udp"} 1\n', "azekura_spool_bytes 0\n",
                 'azekura_spool_state{state="idle"} 1\n', 'azekura_tls_failed_total{reason="expired"} 0\n', "azekura_journal_bytes ", "azekura_machine_softnet_dropped_total "):
        assert line in metrics, (line, metrics)
    assert set(answer["detail"]["machine"]) == {"softnet_dropped", "udp_buffers_full", "udp_damaged"}, answer["detail"]
    said = box.cli("receiver")
    assert "udp" in said and "127.0.0.1:" in said and "spool" in said, said
    assert json.loads(box.cli("receiver", "--json"))["detail"]["listeners"], "the same as JSON"


def check_listeners(api, box):
    viewer = box.token("viewer")
    answer = api.call("GET", f"{V1}/listeners", token=viewer)
    assert [x["name"] for x in answer["listeners"]] == ["udp", "tcp", "tls"]
    udp = answer["listeners"][0]
    host, port = box.address("udp")
    assert udp["bound"] == [f"{host}:{port}"] and udp["error"] is None and udp["framing"] is None and udp["wanted"] == udp["default"], udp
    assert answer["listeners"][1]["framing"] == "auto" and answer["listeners"][2]["bound"] == []
    assert answer["allow"] == answer["limits"] == answer["refused_senders"] == []


def check_allow(api, box):
    """Faults row by row, a list that shuts everybody out, one that is forced, what was turned away."""
    admin, operator = box.token("admin"), box.token("operator")
    path = f"{V1}/listeners/allow"
    api.call("PUT", path, token=operator, body={"allow": []}, expect=403)
    api.call("PUT", path, body={"allow": []}, expect=401)
    for body in ({}, {"allow": None}, {"allow": {}}, {"allow": [7]}, {"allow": [{"network": "x"}]}, {"allow": [{"network": 7}]},
                 {"allow": [{"network": "192.0.2.0/24", "listener": "fax"}]}, {"allow": [{"network": "192.0.2.0/24", "note": "x" * 201}]},
                 {"allow": [{"network": "192.0.2.0/24"}, {"network": "192.0.2.7/24"}]}, {"allow": [{"network": "192.0.2.0/24", "more": 1}]},
                 {"allow": [], "more": 1}, {"allow": [], "force": "yes"}, {"allow": [], "force": 1}, {"allow": [{"network": f"10.0.{i // 256}.{i % 256}"} for i in range(1001)]}):
        error = api.call("PUT", path, token=admin, body=body, expect=400)["error"]
        assert error["message"], body
    twice = b'{"allow":[{"network":"192.0.2.1"},{"network":"10.0.0.0/8","network":"11.0.0.0/8"}]}'
    error = api.call("PUT", path, token=admin, body=twice, headers={"Content-Type": "application/json"}, expect=400)["error"]
    assert error["message"] == "allow: row 2: network: given twice", error
    mixed = {"allow": [{"network": "127.0.0.0/8"}, {"network": "300.1.1.1"}, {"network": "10.0.0.0/8", "listener": "UDP"}]}
    error = api.call("PUT", path, token=admin, body=mixed, expect=400)["error"]
    assert [(r["row"], r["field"]) for r in error["rows"]] == [(1, "network"), (2, "listener")] and error["field"] == "allow", error
    assert "300.1.1.1" in error["message"] and "row 2" in error["message"], error
    api.call("PUT", path, token=admin, body=b'{"allow":[' + b" " * 1_100_000 + b"]}", headers={"Content-Type": "application/json"}, expect=413)
    shut = {"allow": [{"network": "192.0.2.0/24", "note": "head office"}]}
    error = api.call("PUT", path, token=admin, body=shut, expect=409)["error"]
    assert error["code"] == "would_shut_out" and "127.0.0.1 by udp" in error["message"] and error["field"] == "force", error
    assert api.call("GET", f"{V1}/listeners", token=admin)["allow"] == [], "nothing was changed"
    longest = {"allow": [{"network": f"10.{i // 256}.{i % 256}.0/24", "listener": "tls", "note": "本" * 150} for i in range(1000)]}
    answer = api.call("PUT", path, token=admin, body=json.dumps(longest, ensure_ascii=False).encode(), headers={"Content-Type": "application/json"})
    assert len(answer["allow"]) == 1000, "a thousand networks with long notes"
    answer = api.call("PUT", path, token=admin, body={**shut, "force": True})
    assert answer["allow"] == [{"network": "192.0.2.0/24", "listener": None, "note": "head office", "hits": 0}], answer["allow"]
    audit = box.psql("select actor, detail -> 'force' from azekura.audit where action = 'listeners.allow' order by id")
    assert audit == [("token:scenario-admin", "false"), ("token:scenario-admin", "true")], audit

    def is_turned_away():
        box.send_udp([b"<13>1 - - - - - - \x1b[31mturned away"])
        return api.call("GET", f"{V1}/listeners", token=admin)["refused_senders"]
    wait_for(is_turned_away, "somebody is turned away", 40)
    refused = api.call("GET", f"{V1}/listeners", token=admin)["refused_senders"][0]
    assert refused["address"] == "127.0.0.1" and refused["listener"] == "udp" and "turned away" in refused["first_payload"], refused
    assert "\x1b" not in refused["first_payload"], "nothing that a terminal obeys"
    said = box.cli("listeners")
    assert "192.0.2.0/24" in said and "head office" in said and "127.0.0.1" in said, said
    assert json.loads(box.cli("listeners", "--json"))["allow"][0]["network"] == "192.0.2.0/24"
    api.call("PUT", path, token=admin, body={"allow": []})


def check_some_are_shut_out(api, box):
    """One sender of two would be: it is said whom, and who is out already is not asked about again."""
    admin, path = box.token("admin"), f"{V1}/listeners/allow"
    stored = int(box.value("select coalesce(sum(stored), 0) from azekura.ledger_total"))
    wait_for(lambda: box.value("select count(*) from azekura.listener_allow") == "0", "everybody may send again")

    def both_are_in():
        for source in ("127.0.0.1", "127.0.0.2"):
            box.send_udp([b"<13>1 - - - - - - one of two"], source=source)
        return int(box.value("select coalesce(sum(stored), 0) from azekura.ledger_total")) > stored and \
            box.value("select count(distinct source) from azekura.ledger where arrived > not_allowed and host(source) in ('127.0.0.1', '127.0.0.2')") == "2"
    wait_for(both_are_in, "two senders are heard")
    some = {"allow": [{"network": "127.0.0.1"}]}
    error = api.call("PUT", path, token=admin, body=some, expect=409)["error"]
    assert error["code"] == "would_shut_out" and "1 of the 3 senders of the last hour: 127.0.0.2 by udp" in error["message"], error
    api.call("PUT", path, token=admin, body={**some, "force": True})
    api.call("PUT", path, token=admin, body={"allow": [*some["allow"], {"network": "10.0.0.0/8"}], "force": None})
    api.call("PUT", path, token=admin, body={"allow": []})


def check_lists_by_command(box):
    """The same lists, a row at a time."""
    def fails(code, said, *args, **more):
        result = box.cli("listeners", *args, check=False, **more)
        assert result.returncode == code and said in result.stdout + result.stderr, (args, result)
    assert "everybody" in box.cli("listeners", "allow") and json.loads(box.cli("listeners", "allow", "list", "--json")) == []
    fails(1, "1 of the 3 senders of the last hour: 127.0.0.2 by udp", "allow", "add", "127.0.0.1", stdin="no\n")
    assert json.loads(box.cli("listeners", "allow", "--json")) == [], "nothing was changed"
    box.cli("listeners", "allow", "add", "127.0.0.1", stdin="yes\n")
    box.cli("listeners", "allow", "add", "127.0.0.77/8", "--note", "all of it")
    box.cli("listeners", "allow", "add", "127.0.0.0/8", "--note", "loopback")
    box.cli("listeners", "allow", "add", "2001:db8::/32", "--listener", "tls")
    rows = json.loads(box.cli("listeners", "allow", "list", "--json"))
    assert [(r["network"], r["listener"], r["note"]) for r in rows] == [
        ("127.0.0.0/8", None, "loopback"), ("127.0.0.1/32", None, ""), ("2001:db8::/32", "tls", "")], rows
    fails(1, "127.0.0.2 by udp", "allow", "remove", "127.0.0.0/8")
    fails(1, "is not in the list for all listeners", "allow", "remove", "2001:db8::/32")
    fails(1, "is not in the list for tcp", "allow", "remove", "2001:db8::/32", "--listener", "tcp")
    fails(2, "is not a network", "allow", "add", "300.1.1.1")
    fails(2, "is not udp, tcp, tls", "allow", "add", "10.0.0.0/8", "--listener", "fax")
    fails(2, "name one network", "allow", "add")
    fails(2, "there is no", "allow", "clear")
    for network, more in (("2001:db8::/32", ["--listener", "tls"]), ("127.0.0.1", []), ("127.0.0.0/8", [])):
        box.cli("listeners", "allow", "remove", network, *more)
    assert json.loads(box.cli("listeners", "allow", "--json")) == []
    box.cli("listeners", "limit", "add", "192.0.2.77/24", "--rate", "5")
    box.cli("listeners", "limit", "add", "192.0.2.0/24", "--rate", "7", "--burst", "70")
    assert json.loads(box.cli("listeners", "limit", "list", "--json")) == [{"network": "192.0.2.0/24", "rate": 7, "burst": 70}]
    assert "192.0.2.0/24" in box.cli("listeners", "limit")
    fails(2, "--rate is missing", "limit", "add", "10.0.0.0/8")
    fails(2, "not a whole number", "limit", "add", "10.0.0.0/8", "--rate", "-1")
    fails(2, "not a whole number of 1..", "limit", "add", "10.0.0.0/8", "--rate", "1", "--burst", "0")
    fails(2, "is not a network", "limit", "add", "x", "--rate", "1")
    fails(1, "is not in the list", "limit", "remove", "10.0.0.0/8")
    box.cli("listeners", "limit", "remove", "192.0.2.0/24")
    actors = box.psql("select distinct actor like 'cli:%', count(*) from azekura.audit where action like 'listeners.%' and actor like 'cli:%' group by 1")
    assert actors == [("t", "10")], actors


def check_limits(api, box):
    admin = box.token("admin")
    path = f"{V1}/listeners/limits"
    api.call("PUT", path, token=box.token("viewer"), body={"limits": []}, expect=403)
    api.call("PUT", path, body={"limits": []}, expect=401)
    for body in ({}, {"limits": 1}, {"limits": [{"network": "10.0.0.0/8"}]}, {"limits": [{"network": "10.0.0.0/8", "rate": -1, "burst": 1}]},
                 {"limits": [{"network": "10.0.0.0/8", "rate": 1.5, "burst": 1}]}, {"limits": [{"network": "10.0.0.0/8", "rate": 1, "burst": 0}]},
                 {"limits": [{"network": "", "rate": 1, "burst": 1}]},
                 {"limits": [], "force": True}):
        api.call("PUT", path, token=admin, body=body, expect=400)
    api.call("PUT", path, token=admin, body=b'{"limits":[{"network":"10.0.0.0/8","rate":1e999,"burst":1}]}',
             headers={"Content-Type": "application/json"}, expect=400)
    api.call("PUT", path, token=admin, body=b" " * 1_100_000, headers={"Content-Type": "application/json"}, expect=413)
    rows = [{"network": "10.0.0.0/8", "rate": 100, "burst": 1000}, {"network": "2001:db8::/32", "rate": 0, "burst": 1}]
    assert api.call("PUT", path, token=admin, body={"limits": rows})["limits"] == rows
    assert "2001:db8::/32" in box.cli("listeners")
    assert api.call("PUT", path, token=admin, body={"limits": []})["limits"] == []
    assert box.value("select count(*) from azekura.audit where action = 'listeners.limits' and actor like 'token:%'") == "2"


def check_gaps(api, box):
    """Numbers that never came, from the senders' own."""
    viewer = box.token("viewer")
    wait_for(lambda: box.value("select count(*) from azekura.listener_allow") == "0", "everybody may send again")
    before = int(box.value("select coalesce(sum(stored), 0) from azekura.ledger_total"))
    numbers = [n for n in range(1, 400) if n not in (5, 6, 7)]
    box.send_tcp([b'<13>1 2026-03-10T12:00:00Z fw01 app - - [meta sequenceId="%d"] numbered' % n for n in numbers])
    box.wait_for_stored(before + len(numbers))
    wait_for(lambda: api.call("GET", f"{V1}/gaps", token=viewer)["totals"], "the gap is counted", 60)
    for step, step_us in (("auto", 3_600_000_000), ("minute", 60_000_000), ("hour", 3_600_000_000), ("day", 86_400_000_000)):
        gaps = api.call("GET", f"{V1}/gaps?step={step}&source=127.0.0.1", token=viewer)
        assert gaps["totals"] == [{"listener": "tcp", "source": "127.0.0.1", "missing": 3, "repeated": 0}], (step, gaps)
        assert sum(r["missing"] for r in gaps["rows"]) == 3 and gaps["step_us"] == step_us and gaps["complete"], (step, gaps)
    assert api.call("GET", f"{V1}/gaps?source=192.0.2.1", token=viewer)["totals"] == []
    assert api.call("GET", f"{V1}/gaps?source=::ffff:127.0.0.1&limit=1", token=viewer)["totals"][0]["missing"] == 3
    ledger = api.call("GET", f"{V1}/ledger", token=viewer)
    assert ledger["gaps"]["tcp"] == ledger["gaps"]["total"] == {"missing": 3, "repeated": 0}, ledger["gaps"]
    for order in ("busiest", "silent"):
        sources = api.call("GET", f"{V1}/sources?order={order}", token=viewer)["sources"]
        assert sources[0]["range"]["missing"] == 3 and sources[0]["range"]["repeated"] == 0, sources
    for query in ("source=x", "source=127.0.0.0/8", "step=1", "limit=0", "limit=10001", "from=x", "more=1",
                  "from=2026-03-11T00:00:00Z&to=2026-03-10T00:00:00Z"):
        api.call("GET", f"{V1}/gaps?{query}", token=viewer, expect=400)
    said = box.cli("gaps")
    assert "127.0.0.1" in said and " 3" in said, said
    assert json.loads(box.cli("gaps", "--json"))["totals"][0]["missing"] == 3
    assert box.cli("gaps", "--source", "192.0.2.1", check=False).returncode == 1, "nothing found"
    assert "not an address" in box.cli("gaps", "--source", "x", check=False).stderr


def check_away(api, box):
    box.allow_errors(r"database|FATAL|terminating")
    for path in ("/receiver", "/listeners", "/gaps"):
        api.call("GET", V1 + path, expect=401)
    box.cluster.halt(signal.SIGINT)
    admin = box.token("admin")
    for path in ("/receiver", "/listeners", "/gaps"):
        api.call("GET", V1 + path, token=admin, expect=503)
    api.call("PUT", f"{V1}/listeners/allow", token=admin, body={"allow": []}, expect=503)
    api.call("PUT", f"{V1}/listeners/limits", token=admin, body={"limits": []}, expect=503)
    result = box.cli("receiver", check=False)
    assert result.returncode == 3, result
    box.cluster.start()


def check_two_at_once(api, box, admin):
    """Two have the same list open: the second is told who was first and when, and nothing of the first's is undone."""
    ways = (("/listeners", "/listeners/allow", "allow", lambda a: a["versions"]["allow"], {"network": "127.0.0.0/8", "listener": None, "note": "mine"}),
            ("/listeners", "/listeners/limits", "limits", lambda a: a["versions"]["limits"], {"network": "192.0.2.0/24", "rate": 5, "burst": 6}),
            ("/tls", "/tls/allowed", "allowed", lambda a: a["allowed_version"], {"kind": "name", "value": "fw01.example.net", "note": ""}))
    for path, put, name, version_of, row in ways:
        whole = api.call("GET", V1 + path, token=admin)
        seen, was = version_of(whole), [{k: r[k] for k in row} for r in whole[name]]
        first = api.call("PUT", V1 + put, token=admin, body={name: [*was, row], "version": seen})
        assert len(first[name]) == len(was) + 1 and version_of(first) != seen, first
        error = api.call("PUT", V1 + put, token=admin, body={name: [], "version": seen}, expect=409)["error"]
        who = box.value("select actor from azekura.audit order by at desc limit 1")
        assert error["code"] == "changed" and error["field"] == "version" and who in error["message"] and " UTC" in error["message"], error
        assert api.call("GET", V1 + path, token=admin)[name] == first[name], "the first one's list stands"
        back = api.call("PUT", V1 + put, token=admin, body={name: was, "version": version_of(first), **({} if name == "limits" else {"force": True})})
        assert version_of(back) == seen, "the same list again has the same version"
        error = api.call("PUT", V1 + put, token=admin, body={name: was, "version": 5}, expect=400)["error"]
        assert error["field"] == "version", error
        api.call("PUT", V1 + put, token=admin, body={name: was, "version": None})
    # one row by hand, while the list is open on the page
    seen = api.call("GET", f"{V1}/listeners", token=admin)["versions"]["limits"]
    box.cli("listeners", "limit", "add", "192.0.2.9", "--rate", "1")
    error = api.call("PUT", f"{V1}/listeners/limits", token=admin, body={"limits": [], "version": seen}, expect=409)["error"]
    assert "cli:" in error["message"], error
    box.cli("listeners", "limit", "remove", "192.0.2.9")


def main():
    with Product() as box:
        api = Contract(box)
        check_receiver(api, box)
        check_listeners(api, box)
        check_allow(api, box)
        check_limits(api, box)
        check_gaps(api, box)
        check_some_are_shut_out(api, box)
        check_lists_by_command(box)
        check_two_at_once(api, box, box.token("admin"))
        check_away(api, box)
        api.assert_all_exercised(elsewhere=ELSEWHERE)


if __name__ == "__main__":
    run(main)
