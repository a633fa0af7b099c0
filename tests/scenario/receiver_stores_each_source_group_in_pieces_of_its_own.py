"""Two senders in different source groups: their messages are stored in different pieces, in one transaction, and found by
one search.  A sender moves to another group while the receiver runs, and a receiver that starts without its database
remembers the groups."""

from azk import Product, numbered, run, wait_for

EACH = 3_000
LAB = "127.0.0.2"


def pieces(box):
    """{group: messages} as the pieces are counted, which must be what the blocks in each of their tables hold."""
    counted = {}
    for name, group, messages in box.psql(
            "select name, source_group, messages from azekura.day_partition where messages > 0"):
        rows = box.psql(f"select source_group, sum(messages) from azekura.{name} group by 1")
        assert rows == [(group, messages)], (name, group, messages, rows)
        counted[int(group)] = counted.get(int(group), 0) + int(messages)
    return counted


def wait_until_in_group(box, source, group):
    """Send single messages until one is stored in the group; how many."""
    sent = 0
    while pieces(box).get(group, 0) == 0:
        sent += box.send_udp(numbered(1, f"probe of group {group}"), source=source)
        box.wait_for_arrived(sent)
    return sent


def main():
    with Product({"store.flush_ms": "50"}, daemons=("receiver",)) as box:
        box.psql("insert into azekura.source_group (id, name) values (5, 'lab'), (31, 'guests')")
        box.psql(f"insert into azekura.source_group_member values ('127.0.0.0/8', 31), ('{LAB}/32', 5),"
                 " ('127.0.0.1/32', 0)")
        sent = wait_until_in_group(box, LAB, 5)
        box.wait_for_stored(sent)
        before = pieces(box)

        sent += box.send_tcp(numbered(EACH, "office"))
        sent += box.send_tcp(numbered(EACH, "lab"), source=LAB)
        sent += box.send_udp(numbered(EACH, "guest"), source="127.9.9.9", rate=20_000)
        box.assert_ledger(sent=sent)
        after = pieces(box)
        assert {g: after[g] - before.get(g, 0) for g in after} == {0: EACH, 5: EACH, 31: EACH}, (before, after)
        senders = box.psql("select source_group, encode(senders, 'hex') from azekura.log_block group by 1, 2 order by 1")
        assert senders == [("0", "047f000001"), ("5", "047f000002"), ("31", "047f090909")], senders
        assert box.value("select count(distinct substr(name, 1, 12)) from azekura.day_partition"
                         " where name ~ '^log_block_(g5_|g31_|2)' and messages > 0") == "3", "names tell the group"

        # one search over the pieces of all groups
        for query, text in (("office 77", "office 77 "), ("lab 77", "lab 77 "), ("guest 77", "guest 77 ")):
            found = box.cli("search", "--format", "raw", f'"{query} from"')
            assert len(found.splitlines()) == 1 and text in found, (query, found)
        order = "select string_agg(id, ',') from (select id from azekura.logs order by received_at, id) s"
        assert len(box.value(order).split(",")) == len(set(box.value(order).split(","))) == sent, "no id twice"

        # another group while it runs: what is stored stays where it is
        box.psql(f"update azekura.source_group_member set source_group = 31 where prefix = '{LAB}/32'")
        guests = after[31]
        moved = 0
        while pieces(box)[31] == guests:
            moved += box.send_udp(numbered(1, "moves"), source=LAB)
            box.wait_for_arrived(sent + moved)
        assert pieces(box)[5] - after[5] == moved - 1, "the first one in the new group ended the wait"
        sent += moved

        # a start without the database
        lab, guests = pieces(box)[5], pieces(box)[31]
        box.allow_errors(r"terminating|database system|shut ?down|connection to client|connection to server")
        box.stop("receiver")
        box.cluster.halt()
        box.start("receiver")
        sent += box.send_tcp(numbered(EACH, "remembered"), source=LAB)
        box.cluster.start()
        box.assert_ledger(sent=sent)
        assert pieces(box)[31] == guests + EACH and pieces(box)[5] == lab, pieces(box)


if __name__ == "__main__":
    run(main)
