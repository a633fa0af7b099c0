#!/usr/bin/env python3
"""A quiet box writes many small blocks; the keeper merges them, and every message, its id and its bytes stay."""

from azk import Product, batches, numbered, run, wait_for

MESSAGES = 3000


def main():
    settings = {"store.flush_ms": "10", "store.compact_after_seconds": "1"}
    with Product(settings, daemons=("receiver",)) as box:
        sent = 0
        for part in batches(numbered(MESSAGES), 20):
            sent += box.send_tcp(part)
            box.wait_for_stored(sent)  # each part is in a block of its own
        everything = "select string_agg(id || ' ' || received_at || ' ' || message, E'\\n' order by id) from azekura.logs"
        before, blocks = box.value(everything), int(box.value("select count(*) from azekura.log_block"))
        assert blocks > 120, f"{blocks} blocks are too few for the keeper to begin"
        # the keeper merges once so many have gathered: all of them, if all are old enough when it begins
        wait_for(lambda: box.value("select max(last_at) < now() - interval '1 second' from azekura.log_block") == "t",
                 "the last block is old enough to be merged")
        box.start("keeper")
        wait_for(lambda: int(box.value("select count(*) from azekura.log_block")) <= 3, "blocks are merged")
        assert box.value(everything) == before, "a message, its id or its time has changed"
        assert box.value("select count(*) from azekura.log_block b where azekura.verify_block(b) is not null") == "0"
        one = box.psql("select id, message from azekura.logs order by id limit 1 offset 1234")[0]
        raw = bytes.fromhex(box.value(f"select encode(azekura.raw('{one[0]}'), 'hex')"))
        assert raw == list(numbered(MESSAGES))[1234], raw
        box.assert_ledger(sent=MESSAGES)


if __name__ == "__main__":
    run(main)
