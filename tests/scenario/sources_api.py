"""Sources by the API and the command line, as openapi.json says: what is said of them, the preview, stored messages parsed again."""

import json
import signal

from azk import Product, run, wait_for
from openapi import Contract

V1 = "/api/v1"
NET = f"{V1}/sources/settings/127.0.0.0%2F29"
PLAIN = [f"<13>Mar 10 21:00:07 sw1 app: plain {i}".encode() for i in range(20)]
WRONG = [f"<13>Mar 10 21:00:07 sw1 app: ポート{i}の障害".encode("cp932") for i in range(30)]
# every operation that asks the database: what it is called with while that is away
ASKING = [("GET", "/sources", None), ("GET", "/sources/settings", None), ("PUT", "/sources/settings/192.0.2.1", {}),
          ("DELETE", "/sources/settings/192.0.2.1", None), ("POST", "/sources/acknowledge", {"all": True}),
          ("POST", "/sources/preview", {"network": "192.0.2.1"}), ("GET", "/sources/reparse", None),
          ("POST", "/sources/reparse", {"network": "192.0.2.1"}), ("DELETE", "/sources/reparse/1", None), ("GET", "/sources/192.0.2.1", None)]


def check_roles(api, box):
    viewer = box.token("viewer")
    for method, path, body in ASKING:
        api.call(method, V1 + path, body=body, expect=401)
        if method != "GET" and "preview" not in path:
            api.call(method, V1 + path, body=body, token=viewer, expect=403)
    api.call("GET", f"{V1}/zones", expect=401)
    zones = api.call("GET", f"{V1}/zones", token=viewer)["zones"]
    assert {"UTC", "Asia/Tokyo", "America/New_York"} <= set(zones) and zones == sorted(zones) and len(zones) == len(set(zones)), zones


def check_list(api, box):
    """New ones, their order, what is looked for, one by itself."""
    viewer, operator = box.token("viewer"), box.token("operator")
    answer = api.call("GET", f"{V1}/sources", token=viewer)
    assert answer["total"] == answer["new"] == 3 and sorted(s["source"] for s in answer["sources"]) == ["127.0.0.2", "127.0.0.3", "127.0.0.9"], answer
    assert all(s["is_new"] and s["setting"] is None and s["group"] == {"id": 0, "name": "default"} for s in answer["sources"]), answer
    for question, want in (("only=new&filter=.9", ["127.0.0.9"]), ("only=silent", []), ("order=address&limit=1", ["127.0.0.2"]), ("filter=%25", []),
                           ("order=new", ["127.0.0.2", "127.0.0.3", "127.0.0.9"]), ("order=name&filter=127.0.0.3", ["127.0.0.3"])):
        got = api.call("GET", f"{V1}/sources?{question}", token=viewer)
        assert sorted(s["source"] for s in got["sources"]) == want and got["total"] == (3 if "limit" in question else len(want)) and got["new"] == 3, (question, got)
    for question in ("order=x", "only=x", "limit=0", "limit=10001", "from=x", "more=1", "filter=" + "x" * 201):
        api.call("GET", f"{V1}/sources?{question}", token=viewer, expect=400)
    one = api.call("GET", f"{V1}/sources/127.0.0.3", token=viewer)
    assert one["source"] == "127.0.0.3" and one["range"]["stored"] == 30 and one["recent"]["last_raw"] is None, one
    api.call("GET", f"{V1}/sources/192.0.2.200", token=viewer, expect=404)
    api.call("GET", f"{V1}/sources/somewhere", token=viewer, expect=400)
    for body in ({}, {"addresses": []}, {"addresses": ["x"]}, {"addresses": [7]}, {"addresses": "x"}, {"all": False}, {"all": True, "addresses": ["127.0.0.2"]}, {"all": 1}, {"more": 1}):
        api.call("POST", f"{V1}/sources/acknowledge", body=body, token=operator, expect=400)
    for n in (1, 0):
        assert api.call("POST", f"{V1}/sources/acknowledge", body={"addresses": ["127.0.0.9", "192.0.2.7"]}, token=operator) == {"acknowledged": n}
    assert [s["source"] for s in api.call("GET", f"{V1}/sources?only=new&order=address", token=viewer)["sources"]] == ["127.0.0.2", "127.0.0.3"]


def check_health(api, box):
    """How the messages were understood, and the charset that is suggested."""
    viewer = box.token("viewer")

    def health():
        return api.call("GET", f"{V1}/sources/127.0.0.3", token=viewer)["health"]
    got = wait_for(lambda: (health() or {}).get("invalid_utf8") == 30 and health(), "the receiver tells of invalid UTF-8")
    assert got["formats"] == {"rfc3164": 30} and got["charset_guess"]["name"] == "Shift_JIS" and got["skew_us"] is not None, got
    assert "127.0.0.3" in [s["source"] for s in api.call("GET", f"{V1}/sources?only=unhealthy", token=viewer)["sources"]]
    one = wait_for(lambda: api.call("GET", f"{V1}/sources/127.0.0.3", token=viewer)["recent"]["last_invalid"], "its last message with invalid UTF-8")
    assert "\ufffd" in one["message"], one
    wait_for(lambda: "azekura_source_invalid_utf8_messages 30\n" in api.call("GET", "/metrics").decode(), "/metrics has the sum")
    metrics = api.call("GET", "/metrics").decode()
    assert "azekura_sources 3\n" in metrics and "azekura_sources_new 2\n" in metrics and "127.0.0.3" not in metrics, metrics


def check_settings(api, box):
    """Rows: values that cannot be, versions, groups, what the audit log says."""
    viewer, operator = box.token("viewer"), box.token("operator")
    group = box.api("POST", "/retention/groups", {"name": "osaka", "members": []}, expect=201)["id"]
    before = api.call("GET", f"{V1}/sources/settings", token=viewer)
    assert before["rows"] == [] and "Shift_JIS" in [c["name"] for c in before["charsets"]] and before["framings"] == ["auto", "counted", "delimited"], before
    for body, field in (({"zone": "Asia/Nowhere"}, "zone"), ({"zone": "../x"}, "zone"), ({"charset": "klingon"}, "charset"), ({"framing": "both"}, "framing"),
                        ({"name": "x" * 65}, "name"), ({"note": "x" * 201}, "note"), ({"name": 7}, "name"), ({"name": "a\nb"}, "name"), ({"more": 1}, "more"),
                        ({"source_group": 31}, "source_group"), ({"source_group": 32}, "source_group"), ({"source_group": "osaka"}, "source_group"), ({"source_group": -1}, "source_group")):
        error = api.call("PUT", NET, body=body, token=operator, expect=400)["error"]
        assert error["field"] == field and len(error["message"]) > 10, (body, error)
    for network, status in (("x", 400), ("10%2F8", 400), ("192.0.2.0%2F33", 400), ("127.66.1.0%2F24", 409), ("x" * 100, 400)):
        api.call("PUT", f"{V1}/sources/settings/{network}", body={}, token=operator, expect=status)
        api.call("DELETE", f"{V1}/sources/settings/{network}", token=operator, expect=status)
    row = api.call("PUT", NET, body={"name": "Osaka", "zone": "Asia/Tokyo", "charset": "sjis", "framing": None, "source_group": group, "note": "second floor"},
                   token=operator, headers={"If-Match": f'"{before["version"]}"'})
    assert (row["network"], row["charset"], row["source_group"], row["sources"]) == ("127.0.0.0/29", "Shift_JIS", {"id": group, "name": "osaka"}, 2), row
    error = api.call("PUT", NET, body={"name": "late"}, token=operator, headers={"If-Match": before["version"]}, expect=409)["error"]
    assert error["code"] == "changed" and "token:scenario-operator" in error["message"], error
    api.call("DELETE", NET, token=operator, headers={"If-Match": before["version"]}, expect=409)
    # a host bit is cleared, an address is a network; the longest prefix decides
    one = api.call("PUT", f"{V1}/sources/settings/127.0.0.2", body={"name": "alone"}, token=operator)
    assert one["network"] == "127.0.0.2" and one["sources"] == 1 and one["zone"] is None, one
    rows = api.call("GET", f"{V1}/sources/settings", token=viewer)
    assert [(r["network"], r["sources"]) for r in rows["rows"]] == [("127.0.0.0/29", 1), ("127.0.0.2", 1)] and rows["version"] != before["version"], rows
    listed = {s["source"]: s for s in api.call("GET", f"{V1}/sources?order=name", token=viewer)["sources"]}
    assert list(listed) == ["127.0.0.2", "127.0.0.3", "127.0.0.9"], "by name, those without last"
    assert (listed["127.0.0.3"]["setting"], listed["127.0.0.3"]["charset"], listed["127.0.0.3"]["group"]["name"], listed["127.0.0.3"]["is_new"]) == ("127.0.0.0/29", "Shift_JIS", "osaka", False)
    assert (listed["127.0.0.2"]["setting"], listed["127.0.0.2"]["charset"], listed["127.0.0.2"]["name"]) == ("127.0.0.2", None, "alone")
    assert [s["source"] for s in api.call("GET", f"{V1}/sources?filter=second%20FLOOR", token=viewer)["sources"]] == ["127.0.0.3"]
    # without source_group it stays, with null it goes
    kept = api.call("PUT", NET, body={"name": "Osaka", "zone": "Asia/Tokyo", "charset": "Shift_JIS"}, token=operator)
    assert kept["source_group"]["id"] == group and kept["note"] == "", kept
    assert api.call("PUT", NET, body={"name": "Osaka", "source_group": None, "zone": "Asia/Tokyo", "charset": "Shift_JIS"}, token=operator)["source_group"] is None
    api.call("DELETE", f"{V1}/sources/settings/127.0.0.2", token=operator, expect=204)
    api.call("DELETE", f"{V1}/sources/settings/127.0.0.2", token=operator, expect=404)
    assert box.value("select string_agg(action, ' ' order by id) from azekura.audit where action like 'source.%'") == \
        "source.acknowledge source.set source.set source.set source.set source.unset"


def check_reparse(api, box):
    """The preview says what comes of it; too many wait; one is cancelled."""
    viewer, operator = box.token("viewer"), box.token("operator")
    for body in ({}, {"network": "x"}, {"network": 7}, {"network": "127.0.0.3", "zone": "Asia/Nowhere"}, {"network": "127.0.0.3", "charset": "klingon"}, {"network": "127.0.0.3", "more": 1}):
        api.call("POST", f"{V1}/sources/preview", body=body, token=viewer, expect=400)
    preview = api.call("POST", f"{V1}/sources/preview", body={"network": "127.0.0.3", "zone": "Asia/Tokyo", "charset": "cp932"}, token=viewer)
    assert (preview["examined"], preview["changed"], preview["complete"]) == (30, 30, True), preview
    assert preview["fields"]["message"] == 30 and preview["marks"]["after"]["decoded"] == 30 and len(preview["examples"]) == 20, preview
    for body in ({}, {"network": "x"}, {"network": "127.0.0.3", "from": "x"}, {"network": "127.0.0.3", "from": "2026-03-10T12:00:00Z", "to": "2026-03-10T12:00:00Z"}):
        api.call("POST", f"{V1}/sources/reparse", body=body, token=operator, expect=400)
    box.stop("keeper")
    ids = [api.call("POST", f"{V1}/sources/reparse", body={"network": "192.0.2.1"}, token=operator, expect=202)["id"] for _ in range(16)]
    assert api.call("POST", f"{V1}/sources/reparse", body={"network": "127.0.0.3"}, token=operator, expect=409)["error"]["code"] == "too_many"
    for i in ids:
        api.call("DELETE", f"{V1}/sources/reparse/{i}", token=operator, expect=204)
    api.call("DELETE", f"{V1}/sources/reparse/{ids[0]}", token=operator, expect=409)
    api.call("DELETE", f"{V1}/sources/reparse/999", token=operator, expect=404)
    api.call("DELETE", f"{V1}/sources/reparse/x", token=operator, expect=404)
    asked = api.call("POST", f"{V1}/sources/reparse", body={"network": "127.0.0.0/29"}, token=operator, expect=202)
    assert (asked["state"], asked["zone"], asked["charset"], asked["from"], asked["but_not"]) == ("queued", "Asia/Tokyo", "Shift_JIS", None, []), asked
    box.start("keeper")

    def first():
        return api.call("GET", f"{V1}/sources/reparse", token=viewer)["requests"][0]
    wait_for(lambda: first()["state"] == "done", "the keeper is through")
    assert (first()["id"], first()["messages"], first()["changed"], first()["progress"], first()["fault"]) == (asked["id"], 50, 50, 1, None), first()
    after = {e["id"]: e for e in api.call("GET", f"{V1}/logs?query=source:127.0.0.3&limit=100", token=viewer)["entries"]}
    for example in preview["examples"]:
        assert after[example["id"]] == example["after"], (after[example["id"]], example)
    assert len(api.call("GET", f"{V1}/logs?query=" + "%E9%9A%9C%E5%AE%B3&limit=100", token=viewer)["entries"]) == 30, "found by a Japanese word"
    raws = {box.request("GET", f"{V1}/logs/{i}/raw", headers={"Authorization": f"Bearer {viewer}"}).body for i in after}
    assert raws == set(WRONG), "the bytes are what was sent"
    again = api.call("POST", f"{V1}/sources/preview", body={"network": "127.0.0.3", "zone": "Asia/Tokyo", "charset": "Shift_JIS"}, token=viewer)
    assert (again["examined"], again["changed"], again["examples"]) == (30, 0, []), again


def check_command(box):
    assert "127.0.0.3" in box.cli("source") and "osaka" in box.cli("source", "--filter", "osaka", "--order", "name").lower()
    assert len(json.loads(box.cli("source", "list", "--json"))["sources"]) == 3
    assert "Shift_JIS" in box.cli("source", "show", "127.0.0.3") and json.loads(box.cli("source", "show", "127.0.0.3", "--format", "json"))["zone"] == "Asia/Tokyo"
    box.cli("source", "set", "127.0.0.9", "--name", "edge", "--zone", "Europe/Berlin", "--group", "osaka")
    box.cli("source", "set", "127.0.0.9", "--note", "by hand", "--charset", "latin1")
    row = next(r for r in json.loads(box.cli("source", "settings", "--json")) if r["network"] == "127.0.0.9")
    assert (row["name"], row["zone"], row["charset"], row["note"], row["source_group"]["name"]) == ("edge", "Europe/Berlin", "ISO-8859-1", "by hand", "osaka"), row
    box.cli("source", "set", "127.0.0.9", "--zone", "none", "--group", "none", "--charset", "none")
    row = next(r for r in json.loads(box.cli("source", "settings", "--json")) if r["network"] == "127.0.0.9")
    assert (row["zone"], row["charset"], row["source_group"], row["name"]) == (None, None, None, "edge"), row
    assert "1 would change" not in box.cli("source", "preview", "127.0.0.9") and "20 would change" in box.cli("source", "preview", "127.0.0.2", "--zone", "America/New_York")
    assert "done: of 0 messages 0 came out otherwise" in box.cli("source", "reparse", "127.0.0.9", "--to", "-2m", "--wait")
    assert "127.0.0.9" in box.cli("source", "reparse", "list")
    box.cli("source", "unset", "127.0.0.9")
    assert "0 of them were new" in box.cli("source", "acknowledge", "127.0.0.9") and "of them were new" in box.cli("source", "acknowledge", "--all")
    for bad in (("frob",), ("set",), ("set", "x"), ("set", "192.0.2.1", "--zone", "Asia/Nowhere"), ("set", "192.0.2.1", "--charset", "klingon"), ("show", "x"), ("unset", "192.0.2.1"),
                ("acknowledge",), ("acknowledge", "x"), ("acknowledge", "--all", "192.0.2.1"), ("preview",), ("reparse",), ("reparse", "cancel", "x"), ("list", "--only", "x"), ("list", "--limit", "0")):
        fails = box.cli("source", *bad, check=False)
        assert fails.returncode in (1, 2) and fails.stderr.startswith("azekura: "), (bad, fails)


def main():
    with Product() as box:
        api = Contract(box)
        check_roles(api, box)
        box.send_udp(WRONG, source="127.0.0.3")
        box.send_udp(PLAIN, source="127.0.0.2")
        box.send_udp([b"<13>1 - - - - - - edge"], source="127.0.0.9")
        box.wait_for_stored(51)
        # the order of the busiest
        assert [s["source"] for s in api.call("GET", f"{V1}/sources", token=box.token("viewer"))["sources"]] == ["127.0.0.3", "127.0.0.2", "127.0.0.9"]
        check_list(api, box)
        check_health(api, box)
        check_settings(api, box)
        check_reparse(api, box)
        check_command(box)
        operator = box.token("operator")
        box.allow_errors(r"database|FATAL|terminating")
        box.cluster.halt(signal.SIGINT)
        for method, path, body in ASKING:
            api.call(method, V1 + path, body=body, token=operator, expect=503)
        box.cluster.start()
        api.assert_all_exercised(under=f"{V1}/sources")
        api.assert_all_exercised(under=f"{V1}/zones")


if __name__ == "__main__":
    run(main)
