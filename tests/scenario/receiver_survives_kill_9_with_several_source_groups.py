"""kill -9 of the receiver again and again while senders of five source groups send: a unit with blocks of several groups
is stored whole, nothing is stored twice, and nothing that was read is lost."""

import contextlib
import threading

from azk import Product, numbered, run, wait_for

GROUPS, EACH, KILLS = 5, 4_000, 6


def send(box, kill, group):
    with contextlib.suppress(ConnectionRefusedError):  # nobody listens any more
        box.send_udp(numbered(EACH, f"kill {kill} group {group}"), rate=20_000, source=f"127.0.0.{group + 1}")


def main():
    with Product({"store.flush_ms": "10"}, daemons=("receiver",)) as box:
        box.allow_errors(r"terminating|connection to client|unexpected EOF|could not receive data")
        box.psql("insert into azekura.source_group (id, name) select i, 'group ' || i from generate_series(1, 4) i")
        box.psql("insert into azekura.source_group_member select cidr(format('127.0.0.%s/32', i + 1)), i"
                 " from generate_series(1, 4) i")
        groups_file = box.state / "receiver" / "senders"
        wait_for(lambda: groups_file.exists() and "127.0.0.5/32 4" in groups_file.read_text(encoding="utf-8"),
                 "the receiver knows the groups")
        stored = 0
        for kill in range(KILLS):
            senders = [threading.Thread(target=send, args=(box, kill, group)) for group in range(GROUPS)]
            for sender in senders:
                sender.start()
            wait_for(lambda: box.ledger()["stored"] >= stored + EACH // 2, "some of it is stored", every=0.005)
            box.kill("receiver")
            for sender in senders:
                sender.join()
            box.start("receiver")
            # the killed run's units are settled before this message is stored
            before = box.ledger()["stored"]
            box.send_tcp(numbered(1, f"settled {kill}"))
            wait_for(lambda before=before: box.ledger()["stored"] > before, "the new run stores")
            stored = box.assert_ledger()["stored"]
        sums = box.ledger()
        print(f"{sums['stored']} stored, {sums['refused']} refused of {KILLS * GROUPS * EACH + KILLS} sent")
        assert box.value("select count(*) - count(distinct message) from azekura.logs") == "0", "a message is there twice"
        assert box.value("select count(*) - count(distinct id) from azekura.logs") == "0", "an id is there twice"
        assert sums["refused"] == 0, "what had been read is stored"
        wrong = box.psql("select source_group, encode(senders, 'hex') from azekura.log_block"
                         " where senders <> decode('047f0000' || lpad(to_hex(source_group + 1), 2, '0'), 'hex')")
        assert wrong == [], wrong
        assert box.value("select count(distinct source_group) from azekura.log_block") == str(GROUPS)
        counted = box.psql("select source_group, sum(messages) from azekura.day_partition group by 1 order by 1")
        there = box.psql("select source_group, sum(messages) from azekura.log_block group by 1 order by 1")
        assert counted == there, (counted, there)


if __name__ == "__main__":
    run(main)
