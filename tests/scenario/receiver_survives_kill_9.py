"""kill -9 of the receiver while its database is away, twice: the next start stores every message that the killed
ones had read, by sender and once; with the database there, what was committed is never stored or counted again."""

from azk import Product, numbered, run, wait_for

EACH = 4_000


def waiting_bytes(port):
    """In the kernel's receive buffers of our UDP sockets: who floods has one of its own."""
    lines = [line.split() for line in open("/proc/net/udp", encoding="ascii").read().splitlines()[1:]]
    waiting = [int(f[4].rpartition(":")[2], 16) for f in lines if int(f[1].rpartition(":")[2], 16) == port]
    assert waiting, f"no UDP socket on port {port}"
    return sum(waiting)


def send_and_kill(box, prefix):
    box.send_udp(numbered(EACH, prefix), rate=50_000)
    wait_for(lambda: waiting_bytes(box.address("udp")[1]) == 0, "the receiver has read everything")
    # the last batch is read before it is counted: one more datagram shows that it has been
    box.send_udp(numbered(1, f"{prefix}-last"))
    wait_for(lambda: waiting_bytes(box.address("udp")[1]) == 0, "the receiver has read the last one")
    box.kill("receiver")


def main():
    with Product({"store.flush_ms": "60000"}, daemons=("receiver",)) as box:
        box.allow_errors(r"terminating|canceling|database system|shut ?down|connection to client")
        box.send_tcp(numbered(EACH, "open"))
        wait_for(lambda: box.queued() == EACH, "the messages are in the open block")
        box.kill("receiver")
        box.start("receiver")
        box.wait_for_stored(EACH)

        box.cluster.halt()
        for prefix in ("first", "second"):
            send_and_kill(box, prefix)
            box.start("receiver")
        box.cluster.start()
        # the kill may meet the last datagram itself between the socket and the journal
        box.wait_for_stored(3 * EACH)
        sums = box.assert_ledger()
        assert sums["refused"] == 0 and sums["stored"] <= 3 * EACH + 2, sums
        rows = box.psql("select listener, host(source), sum(arrived) from azekura.ledger group by 1, 2 order by 1")
        assert rows[0] == ("tcp", "127.0.0.1", str(EACH)) and rows[1][:2] == ("udp", "127.0.0.1"), rows
        assert box.value("select count(*) - count(distinct message) from azekura.logs") == "0", "a message is there twice"

        box.psql("insert into azekura.setting (name, value, changed_by) values ('store.flush_ms', '10', 'test')")
        box.send_tcp(numbered(EACH, "stored"))
        box.wait_for_stored(sums["stored"] + EACH)
        box.kill("receiver")
        box.start("receiver")
        box.send_tcp(numbered(1, "after"))
        box.wait_for_stored(sums["stored"] + EACH + 1)
        after = box.assert_ledger()
        assert after["refused"] == 0 and after["stored"] == sums["stored"] + EACH + 1, (sums, after)


if __name__ == "__main__":
    run(main)
