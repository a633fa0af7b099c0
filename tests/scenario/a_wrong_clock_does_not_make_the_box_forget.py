#!/usr/bin/env python3
"""A box that is started with a clock ten years ahead forgets nothing for its age: ledger, events and the names of the
receive rates are still there when the clock is right again.  When somebody says that it was right, what is over goes."""

import pathlib

from azk import Product, run, wait_for

YEARS = "interval '10 years'"


def kept(box):
    """Rows that are young by the clock as it was, and old by the one that is wrong."""
    return box.psql(f"""
        select (select count(*) from azekura.ledger where minute < now() - {YEARS} / 2),
               (select count(*) from azekura.ledger where minute < now() - {YEARS} / 2 and minute <> date_trunc('hour', minute)),
               (select count(*) from azekura.kernel_drop where minute < now() - {YEARS} / 2),
               (select count(*) from azekura.event where at < now() - {YEARS} / 2),
               (select count(*) from azekura.rate_name where last_heard < now() - {YEARS} / 2),
               (select coalesce(sum(m), 0) from azekura.rate_sample, unnest(messages) m where step = 60 and dimension = 1
                   and at < now() - {YEARS} / 2)""")[0]


def live_through_the_chores(box):
    """Start the keeper, and let it come to the chores that forget."""
    box.psql("insert into azekura.login_failure (subject, failures, last_at) values ('gone', 1, now() - interval '2 days')")
    box.psql("select azekura.count_rates(now() - interval '5 minutes', 0, '{5}', '{=tcp}', '{0}', '{1}', '{1}')")
    box.start("keeper")
    wait_for(lambda: box.value("select count(*) from azekura.login_failure where subject = 'gone'") == "0", "it has forgotten what is over")
    wait_for(lambda: box.value("select count(*) from azekura.rate_unit where minute < now() - interval '3 minutes'") == "0", "it has folded")
    box.stop("keeper")


def main():
    with Product(daemons=()) as box:
        # all this came just now; then the box is off, and its clock comes back ten years ahead: the same as if what it
        # knows of the time were ten years old
        box.psql(f"""
            insert into azekura.ledger (minute, listener, source, arrived, stored, bytes)
                select date_trunc('minute', now() - {YEARS} - make_interval(mins => i)), 'udp', '192.0.2.1', 2, 2, 20 from generate_series(0, 300) i;
            insert into azekura.kernel_drop select date_trunc('minute', now() - {YEARS} - make_interval(mins => i)), 'udp', 1 from generate_series(0, 9) i;
            insert into azekura.event (at, severity, kind, params) select now() - {YEARS}, 6, 'daemon.started', '{{daemon,receiver}}' from generate_series(1, 5);
            insert into azekura.rate_name (dimension, name, first_heard, last_heard, messages)
                select 2, '=fw' || i, now() - {YEARS}, now() - {YEARS}, 1 from generate_series(1, 20) i;
            select azekura.count_rates(now() - {YEARS} - make_interval(mins => i), 100, '{{1}}', '{{=192.0.2.1}}', '{{0}}', '{{7}}', '{{700}}')
                from generate_series(0, 4) i;
            insert into azekura.retention_clock (wall, mono_us, boot_id)
                select now() - {YEARS}, 0, '{pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()}'""")
        before = kept(box)
        live_through_the_chores(box)
        wait_for(lambda: box.value("select doubted_since is not null from azekura.retention_clock") == "t", "the clock is doubted")
        after = kept(box)
        # what had not been folded yet brings its source along
        assert after[:4] == before[:4] and int(after[4]) == 21 and after[5] == "35", f"{before} before, {after} after"

        box.psql("select azekura.confirm_clock('account:admin')")
        live_through_the_chores(box)
        ledger, _, drops, events, names, _ = kept(box)
        assert (ledger, drops, events, names) == ("0", "0", "0", "0"), f"the clock was confirmed: {kept(box)} is left"
        print(f"{before} before, {after} under the wrong clock")


if __name__ == "__main__":
    run(main)
