"""The keeper's statement waits for a lock, then the whole PostgreSQL hangs: each time a keeper that is told to stop
obeys at once, and the server does not go on with what nobody waits for."""

import subprocess
import time

from azk import Product, batches, numbered, run, wait_for, within

WAITING = "select count(*) from pg_stat_activity where application_name = 'azekura-keeper' and wait_event_type = 'Lock'"


def stop_takes(box):
    begin = time.monotonic()
    box.stop("keeper")
    return time.monotonic() - begin


def main():
    settings = {"store.flush_ms": "10", "store.compact_after_seconds": "1"}
    with Product(settings, daemons=("receiver",)) as box:
        box.allow_errors(r"connection to client lost|canceling statement")
        sent = 0
        for part in batches(numbered(130), 1):
            sent += box.send_tcp(part)
            box.wait_for_stored(sent)
        box.stop("receiver")

        lock = subprocess.Popen(box.cluster.psql_argv() + ["-A", "-t"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                text=True)
        lock.stdin.write("begin;\nlock table azekura.log_block in access exclusive mode;\n\\echo locked\n")
        lock.stdin.flush()
        assert lock.stdout.readline() == "locked\n"
        box.start("keeper")
        wait_for(lambda: box.value(WAITING) == "1", "the keeper waits for the lock")
        took = stop_takes(box)
        assert took < within(5), f"with a lock in its way the stop took {took:.1f} s"
        wait_for(lambda: box.value(WAITING) == "0", "the server gives the statement up")
        lock.stdin.close()
        lock.wait()

        box.start("keeper")
        wait_for(lambda: int(box.value("select count(*) from azekura.log_block")) < 130, "the keeper works")
        with box.cluster.hung():
            took = stop_takes(box)
            assert took < within(5), f"with a database that hangs the stop took {took:.1f} s"
        assert box.value("select sum(messages) from azekura.log_block") == str(sent)


if __name__ == "__main__":
    run(main)
