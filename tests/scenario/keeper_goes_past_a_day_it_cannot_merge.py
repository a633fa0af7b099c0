"""Yesterday has damaged blocks, which stay as they are: the small blocks of today are merged all the same."""

from azk import Product, batches, numbered, run, wait_for

BLOCKS = 130
TODAY = "select count(*) from azekura.log_block where first_at > now() - interval '12 hours'"


def main():
    settings = {"store.flush_ms": "10", "store.compact_after_seconds": "1"}
    with Product(settings, daemons=("receiver",)) as box:
        box.allow_errors("is damaged")
        sent = 0
        for part in batches(numbered(BLOCKS), 1):
            sent += box.send_tcp(part)
            box.wait_for_stored(sent)
        columns = box.value("""
            select string_agg(quote_ident(attname), ', ') from pg_attribute
             where attrelid = 'azekura.log_block'::regclass and attnum > 0 and attname not in ('first_at', 'last_at', 'times')""")
        box.psql("select azekura.ensure_partition(now() - interval '1 day')")
        box.psql(f"""
            insert into azekura.log_block (first_at, last_at, times, {columns})
            select first_at - interval '1 day', last_at - interval '1 day', '\\xdeadbeef', {columns}
              from azekura.log_block order by first_at limit 3""")
        wait_for(lambda: box.value("select max(last_at) < now() - interval '1 second' from azekura.log_block") == "t",
                 "the last block is old enough to be merged")
        box.start("keeper")
        wait_for(lambda: int(box.value(TODAY)) <= 3, "the blocks of today are merged")
        assert box.value("select count(*) from azekura.log_block where times = '\\xdeadbeef'") == "3"
        assert box.value("select sum(messages) from azekura.log_block where first_at > now() - interval '12 hours'") == str(sent)


if __name__ == "__main__":
    run(main)
