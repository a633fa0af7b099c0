#!/usr/bin/env python3
"""The keeper and then the database are killed again and again while 125 blocks are parsed anew, are merged, and more messages
come: in the end each message of the source is decoded, once, with the id, bytes and time it had; all others are as they were."""

import itertools
import signal

from azk import Product, run, wait_for

BATCHES = 125
OURS, OTHER = "127.0.0.3", "127.0.0.4"
WORDS = "ポート{}の障害を検知しました"


def batch(n):
    return ([f"<13>Mar 10 21:00:07 sw1 app: {WORDS.format(n * 5 + i)}".encode("cp932") for i in range(5)],
            [f"<13>Mar 10 21:00:07 sw2 app: other {n * 5 + i}".encode() for i in range(5)])


def snapshot(box, where):
    return box.psql(f"select id, received_at, encode(azekura.raw(id), 'hex') from azekura.logs where {where} order by id")


def request(box):
    return box.psql("select state, messages, changed, skipped, blocks from azekura.reparse_request order by id desc limit 1")[0]


def main():
    with Product({"store.flush_ms": 10, "store.compact_after_seconds": 1}) as box:
        box.allow_errors("terminating|connection|database|FATAL|not properly shut down|in recovery")
        sent = 0
        box.stop("keeper")  # nothing is merged yet
        for n in range(BATCHES):
            for messages, source in zip(batch(n), (OURS, OTHER)):
                box.send_udp(messages, source=source)
                sent += len(messages)
            box.wait_for_stored(sent)
        assert int(box.value("select count(*) from azekura.log_block")) >= BATCHES, "many small blocks"
        before, others = snapshot(box, "true"), box.psql(f"select * from azekura.logs where source = '{OTHER}' order by id")
        box.api("PUT", f"/sources/settings/{OURS}", {"charset": "Shift_JIS"})
        box.api("POST", "/sources/reparse", {"network": OURS}, expect=202)

        kills = []
        for what in itertools.cycle(["database", "keeper"]):
            if request(box)[0] == "done" or len(kills) == 9:
                break
            blocks = int(request(box)[4])
            box.start("keeper")
            wait_for(lambda: request(box)[0] == "done" or int(request(box)[4]) > blocks, "it goes on")  # pylint: disable=cell-var-from-loop
            kills.append(what)
            box.kill("keeper")
            if what == "database":
                box.cluster.halt(signal.SIGQUIT)
                box.cluster.start()
                wait_for(lambda: box.queued() == 0, "the receiver is back")
            box.send_udp([b"<13>Mar 10 21:00:07 sw2 app: more"], source=OTHER)
            sent += 1
            box.wait_for_stored(sent)
        box.start("keeper")
        wait_for(lambda: request(box)[0] == "done", "all of it is done")
        state, messages, changed, skipped, _ = request(box)
        assert (state, int(messages), int(changed), int(skipped)) == ("done", BATCHES * 5, BATCHES * 5, 0), request(box)
        wait_for(lambda: int(box.value("select count(*) from azekura.log_block")) < BATCHES, "small blocks are merged afterwards")
        now = {row[0]: row for row in snapshot(box, "true")}
        assert [now[row[0]] for row in before] == before, "ids, times and bytes are as they were"
        assert len(now) == sent, f"{len(now)} messages of {sent}"
        assert box.psql(f"select * from azekura.logs where source = '{OTHER}' and message like 'other%' order by id") == others
        assert sorted(r[0] for r in box.psql(f"select message from azekura.logs where source = '{OURS}'")) == sorted(WORDS.format(i) for i in range(BATCHES * 5))
        assert box.value("select count(*) from azekura.log_block b where azekura.verify_block(b) is not null") == "0"
        assert box.value("select sum(messages) from azekura.day_partition") == str(sent), "pieces count as many"
        assert box.value("select count(*) from azekura.search('検知 source:127.0.0.3', null, null, 10000)") == str(BATCHES * 5)
        box.assert_ledger(sent)
        assert "database" in kills, kills
        print(f"killed {len(kills)} times: {kills}")


if __name__ == "__main__":
    run(main)
