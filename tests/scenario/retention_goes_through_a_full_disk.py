#!/usr/bin/env python3
"""Somebody else's file fills the database's file system to the last byte: reception goes on, PostgreSQL does not stop, the
oldest pieces make room, an event tells it; the file gone, there is room again and nothing is corrupt."""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import time

from azk import Product, Skipped, run, wait_for
from noise import Sender, noise

DISK = 1 << 30
LIMIT = DISK * 3 // 100
MB = 1_000_000


@contextlib.contextmanager
def small_disk():
    if os.geteuid() != 0:
        raise Skipped("mounting a small file system needs root")
    folder = tempfile.mkdtemp(prefix="azk-disk-", dir="/tmp")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=755", "azk-disk", folder],
                             capture_output=True, text=True, check=False)
    try:
        if mounted.returncode != 0:
            raise Skipped(f"mounting is not permitted here: {mounted.stderr.strip()}")
        yield pathlib.Path(folder)
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", folder], check=True)
        os.rmdir(folder)


def free_bytes(disk):
    s = os.statvfs(disk)
    return s.f_bavail * s.f_frsize


def fill(path, disk):
    """To the last byte."""
    with open(path, "wb", buffering=0) as f:
        with contextlib.suppress(OSError):
            os.posix_fallocate(f.fileno(), 0, max(free_bytes(disk) - 8 * MB, 1))
        f.seek(0, os.SEEK_END)
        with contextlib.suppress(OSError):
            while True:
                f.write(bytes(1 << 16))


def events(box, kind):
    return int(box.value(f"select count(*) from azekura.event where kind = '{kind}'"))


def main():
    with small_disk() as disk, Product(parent=disk) as box:
        for pattern in ("No space left on device", "could not (extend|write)", "is full", "no room",
                        "others than this product", "canceling statement due to"):
            box.allow_errors(pattern)
        server = box.cluster.process.pid
        reserve = box.state / "keeper" / "reserve"
        wait_for(reserve.exists, "the keeper keeps a reserve")
        sender = Sender(box, 200)
        sender.start()
        sent = box.send_tcp(b"<13>host app: %d %s" % pair for pair in enumerate(noise(8, 10000, 8000)))
        box.wait_for_stored(sent)
        wait_for(lambda: int(box.value("select coalesce(sum(s.bytes), 0) from azekura.day_partition d"
                                       " join azekura.piece_size s using (name) where d.upper < now()")) > 40 * MB,
                 "pieces are finished")
        box.psql("checkpoint")

        begin = time.monotonic()
        fill(disk / "foreign", disk)
        full = free_bytes(disk)
        wait_for(lambda: free_bytes(disk) >= LIMIT // 2, "there is room again beside the foreign file")
        took = time.monotonic() - begin
        wait_for(lambda: events(box, "storage.full") == 1, "an event tells that the disk is full")
        assert not reserve.exists(), "the reserve is still there"
        before = box.ledger()["stored"]
        wait_for(lambda: box.ledger()["stored"] > before + 500, "messages are stored beside the foreign file")
        guarded = int(box.value("select count(*) from azekura.audit where detail ->> 'reason' = 'guard'"))
        assert guarded > 0, "nothing was deleted to make room"
        # what came in seconds is in several pieces, each hardly larger than the receiver's largest block (64 MiB of text,
        # 51.9 MB of these messages): little more went than was needed
        first = [int(r[0]) for r in box.psql("select p ->> 'bytes' from (select detail from azekura.audit where"
                                             " detail ->> 'reason' = 'guard' order by id limit 1) a,"
                                             " jsonb_array_elements(detail -> 'pieces') p")]
        assert sum(first[:-1]) < LIMIT and max(first) < 53 * MB, f"pieces of {first} bytes went, {LIMIT} were needed"

        (disk / "foreign").unlink()
        wait_for(lambda: events(box, "storage.room_again") == 1, "an event tells that there is room again")
        wait_for(reserve.exists, "the keeper keeps a reserve again")
        sender.is_over = True
        sender.join()
        sent += sender.sent
        box.wait_for_arrived(sent)
        wait_for(lambda: box.queued() == 0, "nothing is queued")

        assert box.cluster.process.pid == server and box.cluster.process.poll() is None
        log = box.cluster.log_text()
        assert "PANIC" not in log and "terminated by signal" not in log and "was not properly shut down" not in log, log[-3000:]
        sums = box.ledger()
        assert sums["arrived"] == sent and sums["stored"] == sent, f"{sent} sent, {sums}"
        deleted = int(box.value("select coalesce(sum((detail ->> 'messages')::bigint), 0) from azekura.audit"
                                " where action = 'retention.delete'"))
        counted = int(box.value("select count(*) from azekura.logs"))
        assert counted + deleted == sent, f"{counted} there, {deleted} in receipts, {sent} sent"
        print(box.cli("verify").strip())
        print(f"{full} bytes were free, {LIMIT // 2} again after {took:.1f} s; {guarded} receipts, {deleted} of {sent}"
              f" messages made room")


if __name__ == "__main__":
    run(main)
