"""Messages of a benchmark come in together with logs, and are counted exactly; but the month, the forecast, the table of
receive rates and the list of senders know the logs alone.  One request removes all of them and nothing else."""

import signal
import threading

from azk import Product, numbered, run, wait_for
from openapi import Contract

V1 = "/api/v1"
LOGS, BENCH = 6_000, 30_000
FROM_BENCH = "127.66.7.9"


def lines(host, n):
    return (f"<13>1 2026-03-10T12:00:00Z {host} {host}app - - - {host} message {i} of {n}".encode() for i in range(n))


class Api:
    """Requests as a role, each answer held against the description."""

    def __init__(self, box):
        self.box, self.contract = box, Contract(box)

    def __call__(self, method, path, body=None, role="viewer", expect=200):
        return self.contract.call(method, V1 + path, body=body, token=role and self.box.token(role), expect=expect)


def kept(api):
    return api("GET", "/bench/messages")


def of_benchmark(api, since=None):
    told = api("GET", "/bench/box" + (f"?since={since}" if since else ""))
    counts = told["benchmark"]
    assert counts["arrived"] == counts["stored"] + counts["queued"] + sum(counts["refused"].values()), counts
    return told, counts


def check_box(api, box):
    """What a bench wants to know of the box."""
    pids = {name: box.pid(name) for name in ("receiver", "keeper", "web")} | {"postmaster": box.cluster.process.pid}
    wait_for(lambda: (told := of_benchmark(api)[0])["pids"] == pids and len(told["listeners"]) == 2, f"all daemons say that they run: {pids}")
    told, counts = of_benchmark(api)
    assert counts["arrived"] == 0 and kept(api) == told["messages"] == {"messages": 0, "bytes": 0, "oldest": None, "newest": None}
    udp, tcp = told["listeners"]
    assert (udp["name"], udp["address"], udp["port"]) == ("udp", *box.address("udp")), told
    assert (tcp["name"], tcp["address"], tcp["port"]) == ("tcp", *box.address("tcp")), told
    assert udp["receive_buffer_bytes"] >= 65536 and tcp["receive_buffer_bytes"] is None and udp["kernel_dropped"] == 0
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
        assert told["boot_id"] == f.read().strip()
    assert told["source_network"] == "127.66.0.0/16" and told["hardware_threads"] >= 1


def send_both(box):
    """Logs and a benchmark's messages at once, by both listeners."""
    parts = [(box.send_udp, lines("fw01", LOGS), {"rate": 10_000}),
             (box.send_tcp, lines("loadgen", BENCH // 2), {"source": FROM_BENCH}),
             (box.send_udp, lines("loadgen", BENCH // 2), {"source": FROM_BENCH, "rate": 30_000})]
    threads = [threading.Thread(target=f, args=(messages,), kwargs=more) for f, messages, more in parts]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return LOGS + BENCH


def check_apart(api, box, since):
    """The same numbers everywhere: exact for the benchmark, and the logs as if there were none."""
    counts = of_benchmark(api, since)[1]
    assert (counts["arrived"], counts["stored"]) == (BENCH, BENCH), counts
    now = wait_for(lambda: (k := kept(api))["bytes"] > 0 and k, "it is measured")
    assert now["messages"] == BENCH and since <= now["oldest"] <= now["newest"], now
    groups = dict(box.psql("select source_group, sum(messages) from azekura.day_partition where messages > 0 group by 1"))
    assert groups == {"0": str(LOGS), "32": str(BENCH)}, groups

    def rule():
        told = api("GET", "/retention")
        logs = box.value("select sum(s.bytes) from azekura.day_partition d join azekura.piece_size s using (name)"
                         " where d.source_group = 0 and d.day between date_trunc('month', current_date) and current_date")  # None until the keeper has measured
        return told if logs and told["month_bytes"] == int(logs) else None
    told = wait_for(rule, "the month is that of the logs alone")
    assert told["months"][0]["messages"] == LOGS, told["months"]
    assert told["benchmark"]["messages"] == BENCH and told["benchmark"]["bytes"] >= now["bytes"], told["benchmark"]
    assert [g["name"] for g in told["groups"]] == ["default"], told["groups"]
    days = api("GET", "/retention/days")["days"]
    assert sum(d["messages"] for d in days) == LOGS, days

    for field, name in (("hostname", "fw01"), ("app_name", "fw01app"), ("source", "127.0.0.1")):
        rows = api("GET", f"/rates/by?field={field}&sort=day")
        assert [(r["value"], r["day"]) for r in rows["rows"]] == [(name, LOGS)], (field, rows)
    by_listener = api("GET", "/rates/by?field=listener")["rows"]
    assert sum(r["day"] for r in by_listener) == LOGS + BENCH, by_listener
    for order in ("busiest", "silent"):
        sources = api("GET", f"/sources?order={order}")
        assert [s["source"] for s in sources["sources"]] == ["127.0.0.1"] and sources["total"] == 1, sources
    assert api("GET", "/ledger")["total"]["stored"] == LOGS + BENCH
    assert f"{BENCH:,} messages" in box.cli("retention"), box.cli("retention")
    found = box.cli("search", "--format", "raw", '"loadgen message 77 of"')
    assert len(found.splitlines()) == 2, found


def remove(api):
    """What is there of the benchmark goes, in whichever piece, with a receipt."""
    request = api("DELETE", "/bench/messages", role="operator", expect=202)["id"]
    path = f"/retention/deletions/{request}"
    told = wait_for(lambda: (a := api("GET", path))["state"] != "waiting" and a, "the keeper answers")
    assert told["state"] == "done", told
    return told["receipt"]


def check_senders(api, box):
    """A sender elsewhere is the benchmark's while it is registered."""
    for bad in ("192.0.2.0/24", "0.0.0.0", "::", "224.0.0.1", "127.66.0.1", "fw01", ""):
        api("POST", "/bench/senders", {"address": bad}, role="operator", expect=400)
    other = "127.9.9.9"
    box.send_udp(lines("a device", 7), source=other)
    wait_for(lambda: api("GET", "/ledger")["total"]["stored"] >= LOGS + BENCH + 7, "a device has sent logs")
    assert api("GET", "/bench/senders") == {"senders": []}
    made = api("POST", "/bench/senders", {"address": other}, role="operator", expect=201)
    assert made["address"] == other and made["device_messages"] == 7 and made["device_last_heard"], made
    assert api("GET", "/bench/senders") == {"senders": [made]}, "who is registered can be seen"
    again = api("POST", "/bench/senders", {"address": other}, role="operator", expect=201)
    assert again["until"] > made["until"], (made, again)

    def probe(group):
        box.send_udp(numbered(1, f"probe of {group}"), source=other)
        return int(box.value(f"select coalesce(sum(messages), 0) from azekura.day_partition where source_group = {group}"))
    before = probe(32)
    wait_for(lambda: probe(32) > before, "its messages are the benchmark's", every=0.1)
    assert box.value(f"select messages from azekura.source where address = '{other}'") == "7", "it is no device meanwhile"
    api("DELETE", f"/bench/senders/{other}", role="operator", expect=204)
    api("DELETE", f"/bench/senders/{other}", role="operator", expect=404)
    logs = probe(0)
    wait_for(lambda: probe(0) > logs, "and logs again afterwards", every=0.1)
    check_told(api, box, other)
    for i in range(16):
        api("POST", "/bench/senders", {"address": f"2001:db8::{i + 1:x}"}, role="operator", expect=201)
    api("POST", "/bench/senders", {"address": "192.0.2.7"}, role="operator", expect=409)
    api("DELETE", "/bench/senders/2001:db8::1", role="operator", expect=204)
    api("POST", "/bench/senders", {"address": "192.0.2.7"}, role="operator", expect=201)


def check_told(api, box, other):
    """That a device's logs became the benchmark's, until when, and that they are logs again; also when nobody ends it."""
    def told(address):
        events = api("GET", "/events?kind=bench.sender&limit=100")["entries"]
        return [(e["kind"], e["severity"], e["params"].get("messages")) for e in reversed(events) if e["params"]["address"] == address]
    assert told(other) == [("bench.sender_added", "warning", "7"), ("bench.sender_ended", "notice", None)], told(other)
    forgotten = "192.0.2.99"
    api("POST", "/bench/senders", {"address": forgotten}, role="operator", expect=201)
    box.psql(f"update azekura.benchmark_sender set since = now() - interval '27 hours', until = now() - interval '1 hour' where address = '{forgotten}'")
    assert all(s["address"] != forgotten for s in api("GET", "/bench/senders")["senders"])
    box.stop("keeper")
    box.start("keeper")
    wait_for(lambda: told(forgotten)[1:] == [("bench.sender_ended", "notice", None)], "the keeper says that its time is up")


def check_refusals(api, box):
    """Who may not, nonsense, and without the database."""
    calls = [("GET", "/bench/box", None), ("GET", "/bench/messages", None), ("GET", "/bench/senders", None), ("DELETE", "/bench/messages", None),
             ("POST", "/bench/senders", {"address": "192.0.2.8"}), ("DELETE", "/bench/senders/192.0.2.7", None)]
    tokens = {role: box.token(role) for role in ("viewer", "operator")}
    for method, path, body in calls:
        api(method, path, body, role=None, expect=401)
        if method != "GET":
            api.contract.call(method, V1 + path, body=body, token=tokens["viewer"], expect=403)
    for path in ("/bench/box?since=yesterday", "/bench/box?x=1", "/bench/messages?limit=1", "/bench/senders?x=1"):
        api("GET", path, expect=400)
    box.allow_errors(r"database|FATAL|terminating")
    box.cluster.halt(signal.SIGINT)
    for method, path, body in calls:
        api.contract.call(method, V1 + path, body=body, token=tokens["operator"], expect=503)
    box.cluster.start()


def main():
    with Product({"store.flush_ms": "50"}) as box:
        box.allow_errors("the rule has to change the store|canceling (autovacuum task|statement)")
        api = Api(box)
        check_box(api, box)
        api("DELETE", "/bench/messages", role="operator", expect=409)
        since = box.value("select to_char(date_trunc('minute', now()), 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
        sent = send_both(box)
        box.assert_ledger(sent=sent)
        check_apart(api, box, since)

        # nobody can change the group, or hold its messages
        for wish, code in (({"name": "x"}, 409), ({"name": "benchmark", "quota_percent": 5}, 409)):
            api("PUT", "/retention/groups/32", wish, role="operator", expect=code)
        api("DELETE", "/retention/groups/32", role="operator", expect=409)
        api("POST", "/retention/groups", {"name": "benchmark"}, role="operator", expect=409)
        api("POST", "/retention/groups", {"name": "mine", "members": ["127.66.1.0/24"]}, role="operator", expect=409)
        hold = {"from": "2020-01-01T00:00:00Z", "to": "2040-01-01T00:00:00Z", "reason": "everything"}
        api("POST", "/retention/holds", {**hold, "group": "benchmark"}, role="operator", expect=400)
        api("POST", "/retention/holds", hold, role="operator", expect=201)

        # what is written to goes too, and a hold on all logs keeps none of it
        receipt = remove(api)
        assert (receipt["messages"], receipt["group"], receipt["reason"]) == (BENCH, "benchmark", "request"), receipt
        assert kept(api)["messages"] == 0
        assert box.value("select count(*) from azekura.logs") == str(LOGS)
        assert box.value("select count(*) from azekura.logs where hostname = 'fw01'") == str(LOGS)
        assert of_benchmark(api, since)[1]["stored"] == BENCH, "what was counted stays counted"
        ever, deleted = box.psql("select (select sum(stored) from azekura.ledger_total), (select sum((detail ->> 'messages')::int)"
                                 " from azekura.audit where action = 'retention.delete')")[0]
        assert int(ever) - int(deleted) == LOGS, (ever, deleted)
        check_senders(api, box)
        check_refusals(api, box)
        for path in ("box", "messages", "senders"):
            api.contract.assert_all_exercised(f"{V1}/bench/{path}")


if __name__ == "__main__":
    run(main)
