"""The 20 % rule over HTTP and on the command line: what both show is what the store holds, what they change is noted, and they never delete themselves."""

import datetime
import subprocess

from azk import Product, run, wait_for
from history import fill
from openapi import Contract

V1 = "/api/v1"
RULE = f"{V1}/retention"
UTC = datetime.timezone.utc
DAYS = 45
TODAY = datetime.datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
CAPACITY = 4_000_000_000


def day(back):
    return TODAY - datetime.timedelta(days=back)


def text(back):
    return day(back).strftime("%Y-%m-%d")


def check_groups(api, box):
    """Added, changed, removed; a sender belongs to one; every change with its audit entry and its event."""
    operator, viewer = box.token("operator"), box.token("viewer")
    wish = {"name": "debug", "quota_percent": 10.5, "keep_days": 30, "members": ["192.0.2.0/24", "2001:db8::7", "2001:db8::7"]}
    api.call("POST", f"{RULE}/groups", body=wish, expect=401)
    api.call("POST", f"{RULE}/groups", token=viewer, body=wish, expect=403)
    made = api.call("POST", f"{RULE}/groups", token=operator, body=wish, expect=201)
    assert made == {"id": 1}, made
    api.call("POST", f"{RULE}/groups", token=operator, body=wish, expect=409)
    error = api.call("POST", f"{RULE}/groups", token=operator, body={"name": "other", "members": ["192.0.2.0/24"]}, expect=409)["error"]
    assert "192.0.2.0/24 belongs to the group \"debug\"" in error["message"], error
    for change, field in (({"name": ""}, "name"), ({"name": "x" * 65}, "name"), ({"name": "a\nb"}, "name"), ({"name": 7}, "name"),
                          ({"quota_percent": 0}, "quota_percent"), ({"quota_percent": 101}, "quota_percent"),
                          ({"keep_days": -1}, "keep_days"), ({"keep_days": 1.5}, "keep_days"), ({"keep_days": 36601}, "keep_days"),
                          ({"members": "192.0.2.1"}, "members"), ({"members": ["nonsense"]}, "members"), ({"members": [1]}, "members"),
                          ({"members": ["192.0.2.0/33"]}, "members"), ({"members": ["10.0.0.0/8'; drop table azekura.hold--"]}, "members"),
                          ({"extra": 1}, "extra")):
        error = api.call("POST", f"{RULE}/groups", token=operator, body={**wish, "name": "bad", **change}, expect=400)["error"]
        assert error["field"] == field, (change, error)
    second = api.call("POST", f"{RULE}/groups", token=operator, body={"name": "基幹 スイッチ", "members": ["198.51.100.0/24"]}, expect=201)
    assert second == {"id": 2}
    api.call("PUT", f"{RULE}/groups/1", token=operator, body={**wish, "name": "基幹 スイッチ"}, expect=409)
    api.call("PUT", f"{RULE}/groups/1", token=operator, body={**wish, "keep_days": None, "members": ["192.0.2.0/24"]})
    api.call("PUT", f"{RULE}/groups/9", token=operator, body=wish, expect=404)
    api.call("PUT", f"{RULE}/groups/x", token=operator, body=wish, expect=404)
    api.call("PUT", f"{RULE}/groups/0", token=operator, body={"name": "default", "members": ["10.0.0.0/8"]}, expect=400)
    api.call("PUT", f"{RULE}/groups/1", token=viewer, body=wish, expect=403)
    api.call("PUT", f"{RULE}/groups/1", body=wish, expect=401)
    groups = {g["name"]: g for g in api.call("GET", RULE, token=viewer)["groups"]}
    assert groups["debug"] | {"quota_bytes": 0, "month_bytes": 0} == {
        "id": 1, "name": "debug", "quota_percent": 10.5, "quota_bytes": 0, "month_bytes": 0, "keep_days": None, "members": ["192.0.2.0/24"],
        "retired": False, "shed_from": None}, groups
    assert groups["基幹 スイッチ"]["members"] == ["198.51.100.0/24"] and groups["default"]["members"] == []
    # kept and removed without messages: gone at once
    for expect, token, path in ((403, viewer, "/groups/2"), (401, None, "/groups/2"), (204, operator, "/groups/2"), (404, operator, "/groups/2"),
                                (409, operator, "/groups/0"), (404, operator, "/groups/99")):
        api.call("DELETE", RULE + path, token=token, expect=expect)
    assert len(api.call("GET", RULE, token=viewer)["groups"]) == 2
    assert box.psql("select action, count(*) from azekura.audit where action like 'retention.group%' group by 1 order by 1") == [
        ("retention.group.add", "2"), ("retention.group.remove", "1"), ("retention.group.set", "1")]
    events = api.call("GET", f"{V1}/events?kind=retention.group", token=viewer)["entries"]
    assert len(events) == 4 and events[-1]["text_en"] == "token:scenario-operator changed the source group debug.", events


def check_summary(api, box):
    """Months, days and groups are what the store holds; the forecast is there; history adds up."""
    viewer = box.token("viewer")
    rule = api.call("GET", RULE, token=viewer)
    kept = box.psql("select to_char(day, 'YYYY-MM'), sum(messages), sum(raw_bytes), sum(bytes), count(distinct day) filter (where messages > 0)"
                    " from azekura.day_partition join azekura.piece_size using (name) where messages > 0 group by 1 order by 1 desc")
    # this month is told of also on its first day, when all is of those before
    shown = [(m["month"], str(m["messages"]), str(m["raw_bytes"]), m["days"]) for m in rule["months"] if m["messages"] or m is not rule["months"][0]]
    assert shown == [(k[0], k[1], k[2], int(k[4])) for k in kept], (shown, kept)
    for m in rule["months"]:
        assert sum(g["bytes"] for g in m["by_group"]) == m["bytes"] > 0
    assert rule["months"][0]["month"] == rule["month"] == f"{TODAY:%Y-%m}" and rule["month_bytes"] == rule["months"][0]["bytes"]
    assert rule["capacity_bytes"] == CAPACITY and rule["capacity_is_limited"] and rule["budget_bytes"] == CAPACITY // 5
    assert rule["used"]["total_bytes"] == sum(v for k, v in rule["used"].items() if k != "total_bytes")
    forecast = rule["forecast"]
    assert forecast["basis"] == "weekdays" and forecast["low_bytes"] <= forecast["bytes"] <= forecast["high_bytes"], forecast
    assert forecast["bytes"] >= rule["month_bytes"] and forecast["day_bytes"] > 0 and forecast["reached_on"] is None
    history = rule["history"]
    assert DAYS - 1 < history["days"] < DAYS + 1 and history["oldest"].startswith(text(DAYS)), history
    assert history["fits_low"] <= history["fits_days"] <= history["fits_high"]
    days = api.call("GET", f"{RULE}/days?from={text(DAYS)}&to={text(0)}", token=viewer)["days"]
    assert [d["day"] for d in days if d["messages"]] == [text(b) for b in range(DAYS, 0, -1)]
    assert all(sum(g["messages"] for g in d["groups"]) == d["messages"] for d in days) and not days[0]["is_open"]
    assert {g["group"] for d in days for g in d["groups"]} == {"default", "debug"}
    assert len(api.call("GET", f"{RULE}/days", token=viewer)["days"]) >= 30
    for query in ("days?from=2026-11-31", "days?from=2026-11-03&to=2026-11-02", "days?from=2020-01-01&to=2026-01-01", "days?x=1", "?x=1",
                  "preview?policy=all", "preview?month_share_percent=0", "preview?keep_days=x", "size?rate=-1", "size?rate=1e99", "size?high_water=0",
                  "size?storage=1GB", "deletions?limit=0", "deletions?cursor=x"):
        api.call("GET", f"{RULE}/{query}".replace("/?", "?"), token=viewer, expect=400)
    size = api.call("GET", f"{RULE}/size", token=viewer)
    assert abs(size["rate"] - 300 / 86400) < 1e-6 and size["storage_bytes"] == CAPACITY and size["keep_days"] == 365, size
    asked = api.call("GET", f"{RULE}/size?rate=2000&bytes=200&stored_bytes=50&days=365&storage=240000000000&share=20&high_water=80", token=viewer)
    assert asked["day_bytes"] == 8.64e9 and asked["storage_needed_bytes"] == 3.942e12 and 22 < asked["history_days"] < 22.3, asked
    doubled = api.call("GET", f"{RULE}/size?bytes={2 * size['message_bytes']}", token=viewer)
    assert abs(doubled["stored_bytes"] / size["stored_bytes"] - 2) < 1e-6, "other messages take as much more in the store"


def check_changes(api, box):
    """Settings of the rule: checked, in force at once, noted; previews under settings that are not set."""
    operator, viewer = box.token("operator"), box.token("viewer")
    api.call("PUT", RULE, body={"keep_days": 1}, expect=401)
    api.call("PUT", RULE, token=viewer, body={"keep_days": 1}, expect=403)
    for body, field in (({}, None), ({"keep_day": 1}, "keep_day"), ({"month_share_percent": 91}, "month_share_percent"),
                        ({"over_budget": "burn"}, "over_budget"), ({"keep_days": 1.5}, "keep_days"), ({"shed_severity": 0}, "shed_severity"),
                        ({"keep_days": 3, "high_water_percent": 10}, "high_water_percent"), ({"capacity_bytes": True}, "capacity_bytes")):
        assert api.call("PUT", RULE, token=operator, body=body, expect=400)["error"]["field"] == field, body
    before = api.call("GET", RULE, token=viewer)
    assert before["policy"] == "trim" and before["month_share_percent"] == 20
    # what is asked for a preview changes nothing
    oldest = (DAYS + 1 - 20)
    previews = api.call("GET", f"{RULE}/preview?keep_days=20", token=viewer)["previews"]
    assert [p["policy"] for p in previews] == ["trim", "shed", "borrow", "warn"]
    for p in previews:
        assert {d["reason"] for d in p["deletions"]} == {"keep_days"} and p["messages"] == sum(d["messages"] for d in p["deletions"])
        assert {d["from_day"] for d in p["deletions"]} == {text(DAYS)} and p["messages"] in ((oldest - 1) * 300, oldest * 300, (oldest + 1) * 300), p
    one = api.call("GET", f"{RULE}/preview?policy=warn", token=viewer)["previews"]
    assert len(one) == 1 and one[0]["deletions"] == [] and one[0]["shed_from"] is None
    after = api.call("PUT", RULE, token=operator, body={"month_share_percent": 25, "over_budget": "warn", "high_water_percent": None})
    assert after["policy"] == "warn" and after["budget_bytes"] == CAPACITY // 4 and after["high_water_percent"] == 80
    note = box.value("select detail from azekura.audit where actor = 'token:scenario-operator' and action = 'settings.change'")
    assert "retention.over_budget" in note and "retention.month_share_percent" in note
    event = api.call("GET", f"{V1}/events?kind=settings", token=viewer)["entries"][0]
    assert event["params"]["actor"] == "token:scenario-operator" and "retention.over_budget" in event["text_en"], event
    api.call("PUT", RULE, token=operator, body={"month_share_percent": None, "over_budget": None})


def check_holds(api, box):
    """A held range is counted, and no deletion takes it."""
    operator, viewer, admin = box.token("operator"), box.token("viewer"), box.token("admin")
    wish = {"from": day(40).isoformat(), "to": day(38).isoformat(), "group": None, "reason": "incident 17 <b>"}
    api.call("POST", f"{RULE}/holds", body=wish, expect=401)
    api.call("POST", f"{RULE}/holds", token=viewer, body=wish, expect=403)
    for change, field in (({"to": wish["from"]}, "to"), ({"from": "2026-11-03"}, "from"), ({"reason": ""}, "reason"), ({"reason": "x" * 501}, "reason"),
                          ({"group": 3}, "group"), ({"to": None}, "to"), ({"until": 1}, "until")):
        assert api.call("POST", f"{RULE}/holds", token=operator, body={**wish, **change}, expect=400)["error"]["field"] == field, change
    api.call("POST", f"{RULE}/holds", token=operator, body={**wish, "group": "nobody"}, expect=404)
    held = api.call("POST", f"{RULE}/holds", token=operator, body=wish, expect=201)["id"]
    hold = api.call("GET", RULE, token=viewer)["holds"][0]
    # the day before may reach a quarter of an hour into the range, and is pinned with it
    assert hold["id"] == held and hold["reason"] == wish["reason"] and hold["messages"] in (600, 900), hold
    days = {d["day"]: d["is_held"] for d in api.call("GET", f"{RULE}/days?from={text(44)}&to={text(30)}", token=viewer)["days"]}
    assert days[text(40)] and days[text(39)] and not days[text(37)] and not days[text(42)], days
    preview = api.call("POST", f"{RULE}/deletions/preview", token=viewer, body={"from": text(40), "to": text(39)})
    assert preview["deletions"] == [] and preview["held_bytes"] > 0, preview
    api.call("POST", f"{RULE}/deletions", token=admin, body={"from": text(40), "to": text(39), "messages": 0}, expect=409)
    for expect, token, path in ((401, None, held), (403, viewer, held), (404, operator, "77"), (404, operator, "x"), (204, operator, held), (404, operator, held)):
        api.call("DELETE", f"{RULE}/holds/{path}", token=token, expect=expect)
    kinds = [e["kind"] for e in api.call("GET", f"{V1}/events?kind=retention.hold", token=viewer)["entries"]]
    assert kinds == ["retention.hold_removed", "retention.hold_added"], kinds


def check_deletions(api, box):
    """What a deletion deletes is what its preview said; the keeper does it, and its receipt stays."""
    admin, operator, viewer = box.token("admin"), box.token("operator"), box.token("viewer")
    wish = {"from": text(DAYS), "to": text(DAYS - 2), "group": "debug"}
    preview = api.call("POST", f"{RULE}/deletions/preview", token=viewer, body=wish)
    assert preview["messages"] == 300 and [(d["from_day"], d["to_day"], d["group"], d["reason"]) for d in preview["deletions"]] == [
        (text(DAYS), text(DAYS - 2), "debug", "request")], preview
    api.call("POST", f"{RULE}/deletions/preview", body=wish, expect=401)
    api.call("POST", f"{RULE}/deletions/preview", token=viewer, body={**wish, "group": "nobody"}, expect=404)
    session = sign_in(api, box)
    api.call("POST", f"{RULE}/deletions/preview", session=(session[0], "wrong"), body=wish, expect=403)
    for change, field in (({"from": "yesterday"}, "from"), ({"to": "2026-02-30"}, "to"), ({"to": text(DAYS + 1)}, "to"), ({"messages": 1}, "messages")):
        assert api.call("POST", f"{RULE}/deletions/preview", token=viewer, body={**wish, **change}, expect=400)["error"]["field"] == field
    ask = {**wish, "messages": 300}
    api.call("POST", f"{RULE}/deletions", body=ask, expect=401)
    for token in (viewer, operator):
        api.call("POST", f"{RULE}/deletions", token=token, body=ask, expect=403)
    api.call("POST", f"{RULE}/deletions", token=admin, body=wish, expect=400)
    api.call("POST", f"{RULE}/deletions", token=admin, body={**ask, "group": "nobody"}, expect=404)
    error = api.call("POST", f"{RULE}/deletions", token=admin, body={**ask, "messages": 299}, expect=409)["error"]
    assert "300 by now, not 299" in error["message"], error
    asked = api.call("POST", f"{RULE}/deletions", session=session, body=ask, expect=202)["id"]
    assert api.call("GET", f"{RULE}/deletions", token=viewer)["entries"] == [] or True

    def answered():
        state = api.call("GET", f"{RULE}/deletions/{asked}", token=viewer)
        return state if state["state"] != "waiting" else None
    state = wait_for(answered, "the keeper answers the request")
    assert state["state"] == "done" and state["receipt"]["messages"] == 300 and state["receipt"]["group"] == "debug", state
    assert state["receipt"]["actor"] == "account:admin" and state["receipt"]["reason"] == "request", state
    page = api.call("GET", f"{RULE}/deletions?limit=1", token=viewer)
    assert page["entries"] == [state["receipt"]]
    rest = api.call("GET", f"{RULE}/deletions?cursor={page['next']}", token=viewer)
    assert rest == {"entries": [], "next": None}
    left = api.call("GET", f"{RULE}/days?from={text(DAYS)}&to={text(DAYS - 2)}", token=viewer)["days"]
    assert {g["group"] for d in left for g in d["groups"]} == {"default"}, left
    assert api.call("GET", f"{V1}/events?kind=retention.deleted", token=viewer)["entries"][0]["params"]["messages"] == "300"
    for path in ("77", "x", "99999999999999999999"):
        api.call("GET", f"{RULE}/deletions/{path}", token=viewer, expect=404)


def sign_in(api, box):
    box.cli("user", "add", "admin", stdin="a good long password\n")
    who = api.call("POST", f"{V1}/session", body={"name": "admin", "password": "a good long password"})
    return api.last.headers["Set-Cookie"].partition("azekura_session=")[2].partition(";")[0], who["csrf"]


def check_clock(api, box):
    """Only an administrator says that the clock is right."""
    api.call("POST", f"{RULE}/clock", body={"is_right": True}, expect=401)
    api.call("POST", f"{RULE}/clock", token=box.token("operator"), body={"is_right": True}, expect=403)
    for body in ({}, {"is_right": False}, {"is_right": True, "x": 1}):
        api.call("POST", f"{RULE}/clock", token=box.token("admin"), body=body, expect=400)
    api.call("POST", f"{RULE}/clock", token=box.token("admin"), body={"is_right": True}, expect=204)
    assert api.call("GET", RULE, token=box.token("viewer"))["clock"] == {"is_doubted": False, "since": None, "from": None, "to": None}


def check_removed_groups(api, box):
    """A group with messages stays until they are gone, and comes back under its name; there are 32 at most."""
    operator, viewer = box.token("operator"), box.token("viewer")
    api.call("DELETE", f"{RULE}/groups/1", token=operator, expect=204)
    api.call("PUT", f"{RULE}/groups/1", token=operator, body={"name": "debug"}, expect=404)
    debug = next(g for g in api.call("GET", RULE, token=viewer)["groups"] if g["id"] == 1)
    assert debug["retired"] and debug["members"] == [] and (debug["month_bytes"] > 0) == (TODAY.day > 1), debug  # what it has ends yesterday
    assert box.value("select string_agg(prefix::text, ',') from azekura.source_group_member") == "127.66.0.0/16", "the benchmark's"
    back = api.call("POST", f"{RULE}/groups", token=operator, body={"name": "debug", "quota_percent": 50, "members": ["192.0.2.0/24"]}, expect=201)
    assert back == {"id": 1}, back
    assert not next(g for g in api.call("GET", RULE, token=viewer)["groups"] if g["id"] == 1)["retired"]
    made = [api.call("POST", f"{RULE}/groups", token=operator, body={"name": f"group {i}"}, expect=201)["id"] for i in range(30)]
    assert made == list(range(2, 32)), made
    assert api.call("POST", f"{RULE}/groups", token=operator, body={"name": "one more"}, expect=409)["error"]["code"] == "too_many"
    for i in made:
        api.call("DELETE", f"{RULE}/groups/{i}", token=operator, expect=204)
    assert len(api.call("GET", RULE, token=viewer)["groups"]) == 2
    box.psql("insert into azekura.hold (lower, upper, reason, actor) select now() + i * interval '1 hour' + interval '1 year',"
             " now() + (i + 1) * interval '1 hour' + interval '1 year', 'x', 'x' from generate_series(1, 256) i")
    wish = {"from": day(40).isoformat(), "to": day(38).isoformat(), "reason": "one more"}
    assert api.call("POST", f"{RULE}/holds", token=operator, body=wish, expect=409)["error"]["code"] == "too_many"
    box.psql("delete from azekura.hold")


def check_doubt(api, box):
    """While the keeper doubts the clock or refuses severities, both show it."""
    box.stop("keeper")
    box.psql("update azekura.retention_clock set doubted_since = now(), doubted_from = now() - interval '40 days', doubted_to = now();"
             "insert into azekura.shed values (1, 6, now())")
    rule = api.call("GET", RULE, token=box.token("viewer"))
    assert rule["clock"]["is_doubted"] and rule["clock"]["from"] < rule["clock"]["to"] <= rule["at"], rule["clock"]
    assert {g["name"]: g["shed_from"] for g in rule["groups"]} == {"default": None, "debug": "info"}
    shown = box.cli("retention")
    assert "group debug with severity info and below are refused" in shown and "The clock jumped" in shown, shown
    doubted = box.cli("retention", "clock", check=False)
    assert doubted.returncode == 1 and "the clock jumped from" in doubted.stdout, doubted
    assert "trusted from now on" in box.cli("retention", "clock", "confirm")
    assert box.cli("retention", "clock") == "the clock is trusted\n"
    assert box.value("select count(*) from azekura.audit where action = 'clock.confirm'") == "1"
    box.psql("delete from azekura.shed")
    box.start("keeper")


def cli_fails(box, expect, said, *args, stdin=None):
    result = box.cli(*args, check=False, stdin=stdin)
    assert result.returncode == expect and said in result.stderr, (args, result)


def check_a_setting_that_deletes_asks(api, box):
    """What a change would delete at once is shown first, and nothing is changed unless somebody says yes."""
    before = api.call("GET", RULE, token=box.token("viewer"))
    for args in (("retention", "set", "keep_days", "5 days"), ("config", "set", "retention.keep_days", "5"),
                 ("retention", "group", "set", "default", "--keep-days", "5")):
        for answer in ("no\n", ""):
            asked = box.cli(*args, check=False, stdin=answer)
            assert asked.returncode == 1 and "would remove at once" in asked.stdout and "(keep_days)" in asked.stdout, asked
            assert "nothing was changed" in asked.stdout, asked
    after = api.call("GET", RULE, token=box.token("viewer"))
    for key in ("keep_days", "months", "groups"):
        assert before[key] == after[key], (key, before, after)
    box.cli("retention", "set", "keep_days", "9000", stdin="")  # nothing would go: nobody is asked
    box.cli("config", "reset", "retention.keep_days", stdin="")
    refused = api.call("GET", f"{RULE}/preview?capacity_bytes=500", token=box.token("viewer"), expect=400)["error"]
    assert refused["field"] == "capacity_bytes" and "200 MB" in refused["message"], refused
    for args, said in ((("set", "capacity_bytes", "500"), "200 MB"), (("set", "shed_severity", "loud"), "whole number"), (("group", "add", " lab"), "blank"),
                       (("days", "--from", text(3), "--to", text(5)), "is after"), (("days", "--from", "2026-11-31"), "no such day"),
                       (("show", "--state", "/x"), "before the command"), (("--state", "/x"), "before the command")):
        cli_fails(box, 2, said, "retention", *args)
    box.cli("retention", "set", "shed_severity", "notice")
    wait_for(lambda: api.call("GET", RULE, token=box.token("viewer"))["shed_severity"] == 5, "the console knows the new severity")
    box.cli("retention", "set", "shed_severity", "4")
    many = [f"10.9.{i // 256}.{i % 256}" for i in range(1000)]
    box.cli("retention", "group", "add", "支社", *many)
    line = next(x for x in box.cli("retention", "groups").splitlines() if x.startswith("支社"))
    assert len(line) < 160 and "and 996 more" in line, line
    assert sorted(box.cli("retention", "groups", "支社").split()) == sorted(many)
    box.cli("retention", "group", "remove", "支社")


def check_command_line(api, box):
    """The same on the command line."""
    shown = box.cli("retention")
    print(shown)
    rule = api.call("GET", RULE, token=box.token("viewer"))
    assert f"{rule['month']}: " in shown and "% = 800 MB" in shown and shown.count("│") == len(rule["months"]), shown
    assert box.cli("retention", "show") and "trim (in force) would remove nothing now" in box.cli("retention", "preview")
    assert box.cli("retention", "preview", "--policy", "shed").startswith("shed would")
    box.cli("retention", "set", "over_budget", "warn")
    assert "policy     warn" in box.cli("retention")
    box.cli("retention", "set", "retention.over_budget", "trim")
    cli_fails(box, 2, "trim", "retention", "set", "over_budget", "burn")
    cli_fails(box, 2, "NAME is", "retention", "set", "box.name", "x")
    box.cli("retention", "group", "add", "lab", "203.0.113.0/24", "10.1.2.3", "--quota", "5")
    box.cli("retention", "group", "set", "lab", "--keep-days", "0", "--rename", "labor")
    line = next(x for x in box.cli("retention", "groups").splitlines() if x.startswith("labor"))
    assert "5 %" in line and "for ever" in line and "10.1.2.3, 203.0.113.0/24" in line, line
    box.cli("retention", "group", "set", "labor", "--no-networks", "--quota", "none", "--keep-days", "none")
    line = next(x for x in box.cli("retention", "groups").splitlines() if x.startswith("labor"))
    assert "none" in line and "as set" in line and "203" not in line, line
    cli_fails(box, 2, "no network", "retention", "group", "add", "x", "10.0.0.0/99")
    cli_fails(box, 1, "already", "retention", "group", "add", "labor")
    cli_fails(box, 1, "no group", "retention", "group", "remove", "nobody")
    cli_fails(box, 1, "it stays", "retention", "group", "remove", "default")
    box.cli("retention", "group", "remove", "labor")
    held = box.cli("retention", "hold", "add", "--from", text(30), "--to", text(29), "--group", "debug", "evidence for 基幹").strip()
    cli_fails(box, 2, "control character", "retention", "hold", "add", "--from", text(30), "--to", text(29), "evidence \x1b[2J")
    holds = box.cli("retention", "holds")
    assert f"{held} " in holds and "evidence for 基幹 (cli:" in holds, holds
    assert "  held" in box.cli("retention", "days", "--from", text(31), "--to", text(28))
    cli_fails(box, 2, "is not before", "retention", "hold", "add", "--from", text(29), "--to", text(30), "x")
    box.cli("retention", "hold", "remove", held)
    cli_fails(box, 1, "no hold", "retention", "hold", "remove", held)
    check_a_setting_that_deletes_asks(api, box)
    kept = box.cli("retention", "delete", "--from", text(44), "--to", text(43), check=False, stdin="no\n")
    assert kept.returncode == 1 and "nothing was deleted" in kept.stdout, kept
    cli_fails(box, 2, "write a day", "retention", "delete", "--from", "yesterday", "--to", text(1))
    gone = box.cli("retention", "delete", "--from", text(44), "--to", text(43), "--yes")
    print(gone)
    assert "400 messages" in gone and "request, cli:" in gone, gone
    assert len(box.cli("retention", "receipts").splitlines()) >= 2
    assert box.cli("retention", "clock") == "the clock is trusted\n"
    events = box.cli("events", "--kind", "retention", "--limit", "5")
    print(events)
    assert len(events.splitlines()) == 5 and "removed the hold" in events, events
    assert "保全を解除" in box.cli("events", "--kind", "retention.hold", "--language", "ja")
    assert '"kind":"settings.changed"' in box.cli("events", "--format", "json", "--kind", "settings", "--severity", "notice")
    cli_fails(box, 2, "--severity", "events", "--severity", "loud")
    cli_fails(box, 2, "no retention", "retention", "destroy")


def check_size_without_a_box(box):
    def size(*args):
        return subprocess.run([box.program / "bin" / "azekura", "size", *args], env={"HOME": "/nonexistent"}, capture_output=True, text=True, check=False)
    shown = size("--rate", "2000", "--bytes", "200", "--days", "365", "--storage", "240GB")
    assert shown.returncode == 0 and "8.6 GB" in shown.stdout and "3.9 TB" in shown.stdout and "22 days" in shown.stdout, shown
    assert "1.1 TB" in size("--rate", "2000", "--storage", "1TiB").stdout and "1.0 TB" in size("--rate", "2000", "--storage", "1 tb").stdout
    for args, said in (((), "--rate"), (("--rate", "x"), "--rate"), (("--rate", "1", "--storage", "240G"), "240GB"), (("--rate", "99999999"), "0..10000000"),
                       (("--rate", "1", "--share", "0.5"), "1..90"), (("--rate", "1", "more"), "more")):
        bad = size(*args)
        assert bad.returncode == 2 and said in bad.stderr and not bad.stdout, (args, bad)


def check_database_away(api, box):
    box.allow_errors(r"database|FATAL|terminating")
    admin = box.token("admin")
    for role in ("viewer", "operator"):
        box.token(role)
    box.cluster.halt()
    wish = {"from": text(3), "to": text(2), "group": None}
    for path in ("", "/days", "/preview", "/size", "/deletions", "/deletions/1", "/cost"):
        api.call("GET", RULE + path, token=admin, expect=503)
    for method, path, body in (("PUT", "", {"keep_days": 3}), ("POST", "/groups", {"name": "x"}), ("PUT", "/groups/1", {"name": "x"}), ("DELETE", "/groups/1", None),
                               ("POST", "/holds", {"from": day(2).isoformat(), "to": day(1).isoformat(), "reason": "x"}), ("DELETE", "/holds/1", None),
                               ("POST", "/clock", {"is_right": True}), ("POST", "/deletions", {**wish, "messages": 1}), ("POST", "/deletions/preview", wish)):
        api.call(method, RULE + path, token=admin, body=body, expect=503)
    cli_fails(box, 3, "database", "retention")
    box.cluster.start()
    wait_for(lambda: box.request("GET", "/healthz").status == 200, "the web daemon finds the database again")


def main():
    with Product({"storage.capacity_bytes": CAPACITY}) as box:
        api = Contract(box)
        check_size_without_a_box(box)
        empty = api.call("GET", RULE, token=box.token("viewer"))
        assert empty["forecast"]["basis"] == "none" and empty["history"] | {"days": 0} == {
            "oldest": None, "days": 0, "fits_days": None, "fits_low": None, "fits_high": None}, empty
        assert [m["month"] for m in empty["months"]] == [f"{TODAY:%Y-%m}"] and empty["state"] == "ok"
        check_groups(api, box)
        fill(box, [(day(b) + datetime.timedelta(hours=9), g, n) for b in range(DAYS, 0, -1) for g, n in ((0, 200), (1, 100))])
        check_summary(api, box)
        check_changes(api, box)
        check_holds(api, box)
        check_deletions(api, box)
        check_removed_groups(api, box)
        check_clock(api, box)
        check_doubt(api, box)
        for path, expect, token in (("/cost", 200, box.token("viewer")), ("/cost", 401, None), ("/cost?x=1", 400, box.token("viewer"))):
            api.call("GET", RULE + path, token=token, expect=expect)
        for path in ("", "/days", "/preview", "/size", "/deletions", "/deletions/1"):
            api.call("GET", RULE + path, expect=401)
        check_command_line(api, box)
        check_database_away(api, box)
        api.assert_all_exercised(under=RULE)


if __name__ == "__main__":
    run(main)
