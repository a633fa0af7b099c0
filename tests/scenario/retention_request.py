#!/usr/bin/env python3
"""A person asks to delete some days: it is done exactly as previewed, or refused; whoever reads meanwhile does not hold
it up, and a hold does."""

import datetime
import subprocess

from azk import run, wait_for
from simulation import UTC, Simulation

DAY = datetime.timedelta(days=1)
BEGIN = datetime.datetime(2026, 11, 1, 12, tzinfo=UTC)


def ask(box, first, last, messages, group="null"):
    return box.cluster.psql(
        f"set role azekura_web; insert into azekura.deletion_request (actor, from_day, to_day, source_group, messages)"
        f" values ('account:admin', '{first}', '{last}', {group}, {messages})"
        f" ; reset role; select max(id) from azekura.deletion_request")[0][0]


def answer(box, request):
    return box.cluster.psql(f"select state, message, audit_id from azekura.deletion_request where id = {request}")[0]


def reader(box, statement):
    """A session of the web that has read from the store and not ended its transaction."""
    argv = box.cluster.psql_argv(user="azekura_web") + ["-A", "-t"]
    psql = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # pylint: disable=consider-using-with
    psql.stdin.write(f"begin;\n{statement}\n")
    psql.stdin.flush()
    return psql


def main():
    with Simulation() as box:
        box.cluster.psql("insert into azekura.source_group (id, name) values (1, 'debug')")
        for i in range(20):
            for group in (0, 1):
                box.write(BEGIN + i * DAY, messages=10, size=1000, group=group)
        now = BEGIN + 20 * DAY

        # as another preview said: refused, with the number that is there
        request = ask(box, "2026-11-03", "2026-11-05", 59)
        box.tell(f"step {int(now.timestamp() * 1e6)} 3600000000 boot-1")
        state, message, audit = answer(box, request)
        assert (state, audit) == ("refused", None) and "60" in message and "59" in message, (state, message, audit)

        # one group of three days
        request = ask(box, "2026-11-03", "2026-11-05", 30, group=1)
        seen = box.tell(f"step {int((now + DAY / 24).timestamp() * 1e6)} 7200000000 boot-1")
        state, message, audit = answer(box, request)
        assert (state, message) == ("done", ""), (state, message)
        actor, detail = box.cluster.psql(f"select actor, detail ->> 'messages' from azekura.audit where id = {audit}")[0]
        assert (actor, detail) == ("account:admin", "30"), (actor, detail)
        assert len(seen["receipts"]) == 3 and {p[3] for p in seen["receipts"]} == {"request"}, seen
        assert seen["kept"] + seen["deleted"] == seen["stored"], seen

        # a hold keeps one of the days: the preview does not have it, and it stays
        box.cluster.psql("insert into azekura.hold (lower, upper, reason, actor)"
                         " values ('2026-11-08T00:00Z', '2026-11-09T00:00Z', 'case 7', 'account:admin')")
        request = ask(box, "2026-11-07", "2026-11-09", 40)
        # one reads and does nothing more, one is in the middle of a long search
        idle = reader(box, "select count(*) from azekura.log_block;")
        wait_for(lambda: box.value("select count(*) from pg_stat_activity where state = 'idle in transaction'") == "1",
                 "a session is idle in its transaction")
        busy = reader(box, "select count(*), pg_sleep(300) from azekura.log_block;")
        wait_for(lambda: box.value("select count(*) from pg_stat_activity where wait_event = 'PgSleep'") == "1",
                 "a search is running")
        seen = box.tell(f"step {int((now + DAY / 12).timestamp() * 1e6)} 10800000000 boot-1")
        assert answer(box, request)[0] == "done", answer(box, request)
        assert "canceling statement" in busy.communicate()[1]
        assert "terminat" in idle.communicate("select 1;\n")[1]
        kept = box.value("select sum(messages) from azekura.day_partition where day = '2026-11-08'")
        assert kept == "20", kept
        assert "cancelled" in box.log_text() and "ended" in box.log_text(), box.log_text()[-1000:]
        deleted = box.value("select count(*) from azekura.event where kind = 'retention.deleted'")
        assert deleted == "3", f"{deleted} events: one a receipt, one a group"


if __name__ == "__main__":
    run(main)
