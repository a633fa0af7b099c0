"""The receive-rate tables count every stored message exactly once: whatever names senders choose, whichever daemon is
killed in the middle, before and after the keeper has folded what came, and each value as often as the facets of a
search say."""

import random
import re
import threading
import urllib.parse

from azk import Product, ScenarioFailure, numbered, run, wait_for
from cluster import PsqlError

FIELDS = ("source", "hostname", "app_name", "severity", "listener")
# what would hurt where a name is taken for something else: an array, SQL, a formula, our own marks
NAMES = ['a"b', "a\\b", "{x,y}", "*", "-", "=x", "';drop", "NULL", "null", "ホスト", "é", "0", "'", "$1", "(null)", "%s"]
SEVERITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
EACH = 1_500


def strange(n, seed):
    chance = random.Random(seed)
    for i in range(n):
        host, app = (chance.choice(NAMES + ["-"]) for _ in range(2))
        yield f"<{chance.randrange(192)}>1 2026-11-30T12:00:00Z {host} {app} {i} - - number {i}".encode()


def table(box, field, **more):
    query = urllib.parse.urlencode({"field": field, "limit": 10000} | more)
    return box.api("GET", f"/rates/by?{query}", role="viewer")


def facets(box, field):
    found = box.api("GET", f"/logs/facets?field={field}&limit=1000", role="viewer")
    if field == "severity":
        return {SEVERITIES[int(v["value"])] if str(v["value"]).isdigit() else v["value"]: v["count"] for v in found["values"]}
    return {v["value"]: v["count"] for v in found["values"]}


def is_new_month(box):
    """It began while the scenario ran: some messages are of the month before."""
    return box.value("select date_trunc('month', now() at time zone 'Asia/Kolkata') <>"
                     " date_trunc('month', (now() - interval '10 minutes') at time zone 'Asia/Kolkata')") == "t"


def check(box, when):
    sums = box.ledger()
    raw_bytes = int(box.value("select sum(raw_bytes) from azekura.log_block"))
    for field in FIELDS:
        rows = table(box, field)["rows"]
        expected = sums["arrived"] if field == "listener" else sums["stored"]
        for column in ("hour", "day") if is_new_month(box) else ("hour", "day", "month"):
            total = sum(r[column] for r in rows)
            if total != expected:
                raise ScenarioFailure(f"{when}: {field}: {total} in column {column}, {expected} by the ledger")
        assert not any(r["is_others"] for r in rows), (when, field)
        if field != "listener":
            assert sum(r["bytes_day"] for r in rows) == raw_bytes, (when, field)
            # facets name no messages without the field; the sums above have them
            mine = {r["value"]: r["day"] for r in rows if r["day"] and r["value"] is not None}
            assert mine == facets(box, field), (when, field, mine, facets(box, field))
    points = box.api("GET", "/rates?step=60", role="viewer")["points"]
    assert sum(p["total"] for p in points) == sums["arrived"], (when, points, sums)
    assert sum(p["refused"] for p in points) == sums["refused"], (when, points, sums)
    assert sum(p["kernel_dropped"] for p in points) == sums["kernel"], (when, points, sums)


def kill_while_storing(box):
    """kill -9 of the receiver while messages come: what is lost is refused, what is stored is counted."""
    sent = threading.Thread(target=lambda: send_until_gone(box))
    before = box.ledger()["stored"]
    sent.start()
    wait_for(lambda: box.ledger()["stored"] > before, "something is stored")
    box.kill("receiver")
    sent.join()
    box.start("receiver")
    box.assert_ledger()


def send_until_gone(box):
    try:
        box.send_tcp(numbered(200_000, "killed"), rate=20_000)
    except OSError:
        pass


def fold_and_be_killed(box):
    """The keeper's transaction, broken off at chosen places: nothing of it may stay."""
    before = box.psql("select count(*) from azekura.rate_unit")
    # functions of the fold, from its first writing to its last, end their own server process
    places = {"rate_put": "smallint, timestamptz, text, bigint, integer[], bigint[], bigint[], boolean",
              "rate_make_due": "text", "rate_forget_names": ""}
    for name, arguments in places.items():
        source = box.value(f"select pg_get_functiondef('azekura.{name}({arguments})'::regprocedure)")
        begin = re.search(r"AS \$function\$", source)
        language = re.sub(r"LANGUAGE plpgsql", "LANGUAGE sql", source[:begin.end()])
        box.psql(f"{language} select pg_terminate_backend(pg_backend_pid()) $function$")
        try:
            box.psql("select azekura.fold_rates('Asia/Kolkata', 100000, true)", user="azekura")
            raise ScenarioFailure(f"the fold was not broken off in {name}")
        except PsqlError as e:
            assert "terminating connection" in str(e), e
        box.psql(source)
        assert box.psql("select count(*) from azekura.rate_unit") == before, name
        assert box.value("select count(*) from azekura.rate_sample") == "0", name


def disk_adds_up(box):
    """The pieces may be measured anew between the two looks."""
    month = int(box.value("select sum(bytes)::bigint from azekura.piece_size join azekura.day_partition d using (name)"
                          " where date_trunc('month', d.day) = date_trunc('month', now() at time zone 'Asia/Kolkata')"))
    rows = table(box, "hostname")["rows"]
    return month > 0 and abs(sum(r["disk_month"] for r in rows) - month) <= len(rows)


def main():
    # half an hour off UTC: local days begin within an hour
    with Product({"time.zone": "Asia/Kolkata", "store.flush_ms": "50"}, daemons=("receiver", "web")) as box:
        box.allow_errors(r"terminating connection|connection to client lost|Broken pipe|connection reset")
        box.send_udp(strange(EACH, 1), rate=20_000)
        box.send_tcp(strange(EACH, 2))
        box.send_tcp([b"no header at all", b"<13>Nov 30 12:00:00 old app[1]: rfc 3164"])
        box.assert_ledger(sent=2 * EACH + 2)
        check(box, "fresh")
        live = table(box, "source", sort="value")["rows"][0]
        assert live["value"] == "127.0.0.1" and live["first_heard"] and live["last_heard"], live

        kill_while_storing(box)
        check(box, "after kill -9 of the receiver")
        fold_and_be_killed(box)
        check(box, "after folds that were broken off")

        box.psql("select azekura.fold_rates('Asia/Kolkata', 100000, true)")
        assert box.value("select count(*) from azekura.rate_unit") == "0"
        assert int(box.value("select count(*) from azekura.rate_sample")) > 5
        check(box, "folded")
        box.send_tcp(strange(EACH, 3))
        box.assert_ledger()
        check(box, "folded, and something fresh")
        box.psql("select azekura.fold_rates('Asia/Kolkata', 100000, true)")
        check(box, "folded twice")

        box.send_tcp(strange(EACH, 4))
        box.assert_ledger()
        box.psql("update azekura.rate_unit set minute = minute - interval '5 minutes'")  # as if it were later
        box.start("keeper")
        wait_for(lambda: box.value("select count(*) from azekura.rate_unit") == "0", "the keeper has folded them")
        check(box, "folded by the keeper")
        wait_for(lambda: float(box.value("select coalesce(sum(bytes), 0) from azekura.piece_size")) > 0, "the pieces are measured")
        wait_for(lambda: disk_adds_up(box), "the shares of the month's storage add up to it")
        cost = box.api("GET", "/retention/cost?limit=10000", role="viewer")
        assert abs(sum(r["share_percent"] for r in cost["rows"]) - 100) < 0.01, cost
        assert sum(r["messages"] for r in cost["rows"]) == box.ledger()["stored"]
        filtered = table(box, "hostname", filter="ホス", sort="value", order="asc")
        assert [r["value"] for r in filtered["rows"]] == ["ホスト"] and filtered["total"] == 1, filtered


if __name__ == "__main__":
    run(main)
