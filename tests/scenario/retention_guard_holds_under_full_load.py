#!/usr/bin/env python3
"""300 MB of capacity, and messages as fast as the box takes them: first within the month's budget (trim), then with
nothing but the guard (warn).  What is used stays below the capacity at every moment it is looked at, everything is
received, and what is not there any more is in a receipt."""

import random
import string
import subprocess
import threading
import time

from azk import Product, run, wait_for

CAPACITY = 300_000_000
BUDGET = CAPACITY // 5
MIX_MESSAGES = 2_000_000  # of the usual mix, some 40 bytes each when stored
RANDOM_MESSAGES = 60_000  # of 8 KB that no compression makes much smaller: 350 MB
ALPHABET = (string.ascii_letters + string.digits + "+/").encode()


class Sampler(threading.Thread):
    """What the database and its write-ahead log take, looked at all the time."""

    def __init__(self, box):
        super().__init__(daemon=True)
        self.box = box
        self.used = []
        self.month = []
        self.is_over = False

    def run(self):
        argv = self.box.cluster.psql_argv() + ["-A", "-t", "-F", " "]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as psql:
            while not self.is_over:
                psql.stdin.write("select pg_database_size(current_database()) + (select sum(size) from pg_ls_waldir()),"
                                 " (select coalesce(sum(pg_total_relation_size(inhrelid)), 0) from pg_inherits"
                                 "  where inhparent = 'azekura.log_block'::regclass);\n")
                psql.stdin.flush()
                line = psql.stdout.readline()
                if line:
                    used, month = line.split()
                    self.used.append(int(used))
                    self.month.append(int(month))
                time.sleep(0.02)  # the pace of looking, not a wait for the product
            psql.stdin.close()


def send_mix(box):
    host, port = box.address("tcp")
    subprocess.run([box.program / "bin" / "azekura-bench", "load", "--mix", "-Q", "-r", "0", "-n", str(MIX_MESSAGES), host, str(port)],
                   check=True, capture_output=True)
    return MIX_MESSAGES


def random_messages(n):
    noise = random.Random(20)
    for i in range(n):
        text = noise.randbytes(8000).translate(TABLE)
        yield b"<%d>host%d app: %d %s" % (8 + i % 8, i % 20, i, text)


TABLE = bytes(ALPHABET[i % 64] for i in range(256))


def main():
    settings = {"storage.capacity_bytes": CAPACITY, "store.queue_bytes": 67108864}
    with Product(settings) as box:
        # pieces are split and dropped beside everything else; whoever must wait for that is cancelled and tries again
        box.allow_errors("canceling (autovacuum task|statement due to (user request|lock timeout))")
        wait_for(lambda: box.value("select count(*) from azekura.retention_status") == "1", "the keeper has looked")
        sampler = Sampler(box)
        sampler.start()
        begin = time.monotonic()
        sent = send_mix(box)
        box.wait_for_arrived(sent, 300)
        rate = sent / (time.monotonic() - begin)
        trimmed = max(sampler.month)
        box.api("PATCH", "/settings", {"retention.over_budget": "warn"})
        begin = time.monotonic()
        sent += box.send_tcp(random_messages(RANDOM_MESSAGES))
        box.wait_for_arrived(sent, 300)
        guarded = RANDOM_MESSAGES * 8000 / (time.monotonic() - begin) / 1e6
        sampler.is_over = True
        sampler.join()

        peak = max(sampler.used)
        print(f"{rate:.0f} messages/s, month at most {trimmed / 1e6:.1f} MB; then {guarded:.0f} MB/s,"
              f" used at most {peak / 1e6:.1f} MB in {len(sampler.used)} looks")
        assert peak < CAPACITY, f"{peak} bytes were used"
        assert trimmed < BUDGET + BUDGET // 4, f"the month took {trimmed} bytes"
        reasons = dict(box.psql("select detail ->> 'reason', count(*) from azekura.audit"
                                " where action = 'retention.delete' group by 1"))
        print(f"receipts: {reasons}")
        assert {"trim", "guard"} <= set(reasons), reasons
        wait_for(lambda: box.queued() == 0, "nothing is queued")
        sums = box.ledger()
        assert sums["arrived"] == sent and sums["refused"] == 0, f"{sent} sent, {sums}"
        deleted = int(box.value("select sum((detail ->> 'messages')::bigint) from azekura.audit"
                                " where action = 'retention.delete'"))
        counted = int(box.value("select count(*) from azekura.logs"))
        assert counted + deleted == sums["stored"], f"{counted} there, {deleted} in receipts, {sums}"
        assert box.value("select count(*) from azekura.event where kind = 'storage.high_water'") == "1"


if __name__ == "__main__":
    run(main)
