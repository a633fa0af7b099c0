"""Pairs and marks of messages as devices send them are found by the API, its histogram, facets, export and live view,
by the command line and by SQL, and each shows the same."""

import http.client
import json
import urllib.parse

from azk import Product, run, wait_for

MESSAGES = [
    '<189>date=2026-03-10 time=11:58:01 devname="fg-edge1" action="deny" srcip=10.0.0.7 sentbyte=2048 msg="say \\"hi\\""',
    '<189>date=2026-03-10 time=11:58:02 devname="fg-edge1" action="accept" srcip=10.0.0.8 sentbyte=10 msg=""',
    '<134>Mar 10 11:58:03 fw01 CEF:0|Vendor|Product|1.0|100|port scan|7|src=10.0.0.7 act=deny cs1Label=Rule cs1=allow all',
    '<134>Mar 10 11:58:04 fw02 LEEF:2.0|Vendor|Product|1.0|41|^|src=10.0.0.7^act=deny^usrName=bob',
    '<134>Mar 10 11:58:05 h1 app: {"user":{"name":"bob","tags":["a","b"]},"text":"\\u5fdc\\u7b54 \\u003cb\\u003e"}',
    '<165>1 2026-03-10T11:58:06Z h2 app 12 ID47 [exampleSDID@32473 iut="3" eventSource="App"] started',
    'no priority at all, code=7',
]
# query → messages it finds
QUERIES = {
    "kv.action:deny": [0],
    "kv.act*:deny": [0, 2, 3],
    "kv.srcip:10.0.0.7 OR kv.src:10.0.0.7": [0, 2, 3],
    "kv.sentbyte:>1000": [0],
    "kv.msg:\"say \\\"hi\\\"\"": [0],
    "kv.msg:\"\"": [1],
    "kv.rule:\"allow all\"": [2],
    "kv.cef.vendor:vendor": [2],
    "kv.usrName:bob": [3],
    "kv.user.tags:b": [4],
    "kv.text:\"応答 <b>\"": [4],
    "kv.iut:3": [5],
    "kv.exampleSDID@32473.eventSource:App": [5],
    "kv.devname:* -kv.action:deny": [1],
    "mark:no_pri kv.code:7": [6],
    "kv.nosuch:*": [],
}


def path(what, **params):
    return f"{what}?{urllib.parse.urlencode(params)}"


def check_query(box, query, ids):
    """Every way to search finds exactly these messages."""
    asked = {"query": query, "from": "2020-01-01T00:00:00Z"}
    by_api = box.api("GET", path("/logs", limit=100, **asked))["entries"]
    assert sorted(e["id"] for e in by_api) == ids, (query, by_api)
    buckets = box.api("GET", path("/logs/histogram", buckets=5, **asked))["buckets"]
    assert sum(b["count"] for b in buckets) == len(ids), (query, buckets)
    formats = box.api("GET", path("/logs/facets", field="format", **asked))["values"]
    assert sum(v["count"] for v in formats) == len(ids), (query, formats)
    reply = box.request("GET", "/api/v1" + path("/logs/export", format="jsonl", **asked),
                        headers={"Authorization": f"Bearer {box.token()}"})
    assert reply.status == 200, reply.body
    assert sorted(json.loads(line)["id"] for line in reply.body.decode().splitlines()) == ids, query
    by_cli = box.cli("search", "--format", "json", "--from", asked["from"], query, check=False)
    assert sorted(json.loads(line)["id"] for line in by_cli.stdout.splitlines()) == ids, (query, by_cli.stderr)
    quoted = query.replace("'", "''")
    by_sql = box.psql(f"select id from azekura.logs where azekura.matches(logs, '{quoted}') order by 1")
    assert [row[0] for row in by_sql] == ids, (query, by_sql)


def check_detail(box, ids):
    """The page of one message and SQL name the same pairs."""
    forms = ["kv", "kv", "cef", "leef", "json", "sd", "kv"]
    for at, form in zip(ids, forms):
        detail = box.api("GET", f"/logs/{at}")
        assert detail["pairs_form"] == form, detail
        by_sql = box.psql(f"select name, value from azekura.pairs('{at}')")
        assert [(p["name"], p["value"]) for p in detail["pairs"]] == [tuple(row) for row in by_sql], detail
        marks = box.value(f"select 'marks ' || array_to_string(azekura.marks('{at}'), ',')")
        assert "marks " + ",".join(detail["marks"]) == marks, detail
    values = box.api("GET", path("/logs/facets", field="kv.act", query="", **{"from": "2020-01-01T00:00:00Z"}))["values"]
    assert values == [{"value": "deny", "count": 2}], values


def check_tail(box):
    """A live view of a pair shows what has it."""
    stream = http.client.HTTPConnection("127.0.0.1", box.http_port, timeout=60)
    stream.request("GET", "/api/v1" + path("/logs/tail", query="kv.action:deny mark:no_pri"),
                   headers={"Authorization": f"Bearer {box.token()}"})
    reply = stream.getresponse()
    assert reply.status == 200, reply.read()
    box.send_udp([b"live, action=accept n=1", b"live, action=deny n=2", b"<13>live, action=deny n=3", b"live, action=deny n=4"])
    seen = []
    while len(seen) < 2:
        line = reply.readline()
        assert line, "the live view ended"
        if line.startswith(b"data: {\"received_at\""):
            seen.append(json.loads(line[6:])["message"])
    assert seen == ["live, action=deny n=2", "live, action=deny n=4"], seen
    stream.close()


def main():
    with Product() as box:
        box.send_udp([m.encode() for m in MESSAGES])
        box.wait_for_stored(len(MESSAGES))
        rows = wait_for(lambda: box.psql("select id, azekura.raw(id) from azekura.logs order by 1"), "the messages are there")
        ids = [None] * len(MESSAGES)
        for at, raw in rows:
            ids[[m.encode().hex() for m in MESSAGES].index(raw.removeprefix("\\x"))] = at
        for query, found in QUERIES.items():
            check_query(box, query, sorted(ids[i] for i in found))
        check_detail(box, ids)
        check_tail(box)
        box.assert_ledger(sent=len(MESSAGES) + 4)


if __name__ == "__main__":
    run(main)
