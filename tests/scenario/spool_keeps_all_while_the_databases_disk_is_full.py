"""The file system of PostgreSQL is made full under 20,000 messages a second by UDP and TCP, and emptied again: everything
that was sent is stored once, and nothing was refused.  AZEKURA_AWAY_S makes it longer than its 4 s."""

import contextlib
import os
import signal
import subprocess
import threading
import time

from azk import Product, Skipped, numbered, run, wait_for

RATE = 20_000
AWAY_S = float(os.environ.get("AZEKURA_AWAY_S", "4"))


def mount(box):
    root = box.cluster.root
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", root], check=False, capture_output=True,
                          text=True)
    if done.returncode != 0:
        box.throw_away()
        raise Skipped(f"this machine does not mount: {done.stderr.strip()}")
    box.cluster.socket_dir.mkdir()
    for path in (root, box.cluster.socket_dir):
        os.chown(path, box.cluster.user.pw_uid, box.cluster.user.pw_gid)


def fill(path):
    with open(path, "wb", buffering=0) as f, contextlib.suppress(OSError):
        for size in (1 << 20, 4096):
            with contextlib.suppress(OSError):
                while f.write(bytes(size)) == size:
                    pass


def stores(box):
    with contextlib.suppress(Exception):
        return box.ledger()["stored"]
    return 0


def bring_back(box):
    """A server without room for its log ends itself; so it may have to be started."""
    if box.cluster.process is None or box.cluster.process.poll() is None:
        return
    box.cluster.halt(signal.SIGKILL)

    def starts():
        with contextlib.suppress(RuntimeError):
            box.cluster.start()
            return True
        return False
    wait_for(starts, "the database starts again")


def main():
    box = Product(daemons=("receiver",))
    if not box.user:
        box.throw_away()
        raise Skipped("only root can mount a small file system")
    mount(box)
    try:
        with box:
            box.allow_errors(r"terminating|canceling|database system|shut ?down|starting up|connection to client|"
                             r"lock file|shared memory|No space left|could not|unexpected EOF|server process|PANIC")
            n, sent = int((AWAY_S + 4) * RATE / 2), []
            threads = [
                threading.Thread(target=lambda: sent.append(box.send_tcp(numbered(n, "tcp"), rate=RATE / 2))),
                threading.Thread(target=lambda: sent.append(box.send_udp(numbered(n, "udp"), rate=RATE / 2)))]
            for t in threads:
                t.start()
            box.wait_for_stored(RATE // 10)
            filler = box.cluster.root / "filler"
            spool = box.state / "spool"
            fill(filler)
            wait_for(lambda: any(spool.glob("*.spool")), "units are in the spool")
            end = time.monotonic() + AWAY_S
            wait_for(lambda: time.monotonic() > end, "the time without room", AWAY_S + 5)
            filler.unlink()
            bring_back(box)
            for t in threads:
                t.join()
            wait_for(lambda: stores(box) >= sum(sent), "everything is stored", every=0.2)
            sums = box.assert_ledger(sent=sum(sent))
            print(f"{AWAY_S} s without room: {sums}")
            assert sums["refused"] == 0 and sums["kernel"] == 0, sums
            assert box.value("select count(*) - count(distinct message) from azekura.logs") == "0", "one is there twice"
    finally:
        subprocess.run(["umount", "-l", box.cluster.root], check=False)
        box.throw_away()


if __name__ == "__main__":
    run(main)
