"""The receiver is killed -9 at each step of a unit's way: through the journal, into the spool and out of it, into the
database.  The next start stores everything that had been read, once, and the ledger is exact."""

import socket

from azk import Product, numbered, run, wait_for

EACH = 300

# the point, whether the database is there when it is reached
POINTS = [
    ("journal.segment", True), ("journal.entry:200", True), ("journal.written:200", True),
    ("writer.committed", True), ("backlog.page", True), ("journal.release", True),
    ("spool.file", False), ("spool.head", False), ("spool.body", False), ("spool.body:2", False),
    ("spool.appended", False), ("backlog.page", False), ("journal.release", False), ("spool.synced", False),
    ("writer.committed", None), ("spool.drop", None), ("spool.unlink", None),
]


def wait_until_dead(box, point):
    process = box.processes["receiver"]
    wait_for(lambda: process.poll() is not None, f"the receiver reached {point}")
    assert process.returncode == -9, (point, process.returncode)
    box.processes.pop("receiver")


def send(box, prefix):
    """In order from one connection; what the receiver did not read before it was killed is not counted on."""
    with socket.create_connection(box.address("tcp")) as s:
        try:
            for message in numbered(EACH, prefix):
                s.sendall(message + b"\n")
        except OSError:
            pass


def has_spooled(box):
    return any(p.stat().st_size > 64 for p in (box.state / "spool").glob("*.spool"))


def kill_at(box, number, point, is_up):
    """`is_up` None: the unit waits in the spool, and the database comes back."""
    prefix = f"step{number}"
    if is_up:
        box.start("receiver", fault=point)
        send(box, prefix)
        wait_until_dead(box, point)
        return prefix
    box.cluster.halt()
    if is_up is None:
        box.start("receiver")
        send(box, prefix)
        wait_for(lambda: has_spooled(box), "a unit is in the spool")
        box.stop("receiver")
        box.cluster.start()
        box.start("receiver", wait=False, fault=point)
        wait_until_dead(box, point)
        return prefix
    box.start("receiver", fault=point)
    send(box, prefix)
    wait_until_dead(box, point)
    box.cluster.start()
    return prefix


def check(box, prefix, point):
    """Numbers 0…n of the step are stored once each: an unbroken beginning of what was sent."""
    rows = box.psql("select message, count(*) from azekura.logs"
                    f" where message like '{prefix} %' group by 1 having count(*) > 1")
    assert not rows, f"{point}: stored twice: {rows[:5]}"
    n, highest = map(int, box.psql(
        "select count(*), coalesce(max(split_part(message, ' ', 2)::int) + 1, 0) from azekura.logs"
        f" where message like '{prefix} %'")[0])
    assert n == highest, f"{point}: {n} messages are stored of the first {highest}"
    return n


def main():
    with Product({"store.flush_ms": "50"}, daemons=()) as box:
        box.allow_errors(r"terminating|canceling|database system|shut ?down|connection to client|could not send")
        stored = 0
        for number, (point, is_up) in enumerate(POINTS):
            prefix = kill_at(box, number, point, is_up)
            box.start("receiver")
            box.send_tcp([f"<13>done{number}".encode()])
            wait_for(lambda n=number: box.value(
                f"select count(*) from azekura.logs where message = 'done{n}'") == "1", "the next message is stored", every=0.1)
            wait_for(lambda: box.queued() == 0 and not has_spooled(box), "nothing is queued", every=0.1)
            n = check(box, prefix, point)
            stored += n + 1
            sums = box.ledger()
            assert sums["refused"] == 0 and sums["arrived"] == sums["stored"] == stored, (point, sums, stored)
            if point not in ("journal.segment",):
                assert n > 0, f"{point}: nothing of it was stored"
            box.stop("receiver")
        box.start("receiver")
        box.assert_ledger()


if __name__ == "__main__":
    run(main)
