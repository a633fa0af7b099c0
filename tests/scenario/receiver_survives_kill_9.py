"""kill -9 of the receiver while its database is away, twice: the next start names every message that the killed
ones had read, by sender; with the database there, what was committed is never counted again."""

from azk import Product, numbered, run, wait_for

EACH = 4_000


def waiting_bytes(port):
    """In the kernel's receive buffer of our UDP socket."""
    for line in open("/proc/net/udp", encoding="ascii").read().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].rpartition(":")[2], 16) == port:
            return int(fields[4].rpartition(":")[2], 16)
    raise AssertionError(f"no UDP socket on port {port}")


def send_and_kill(box, prefix):
    box.send_udp(numbered(EACH, prefix), rate=50_000)
    wait_for(lambda: waiting_bytes(box.address("udp")[1]) == 0, "the receiver has read everything")
    # the last batch is read before it is counted: one more datagram shows that it has been
    box.send_udp(numbered(1, prefix))
    wait_for(lambda: waiting_bytes(box.address("udp")[1]) == 0, "the receiver has read the last one")
    box.kill("receiver")


def main():
    with Product({"store.flush_ms": "60000"}, daemons=("receiver",)) as box:
        box.allow_errors(r"terminating|canceling|database system|shut ?down|connection to client")
        box.send_tcp(numbered(EACH, "open"))
        wait_for(lambda: box.queued() == EACH, "the messages are in the open block")
        box.kill("receiver")
        box.start("receiver")
        wait_for(lambda: box.ledger()["refused"] == EACH, "the ledger names the open block's messages")

        box.cluster.halt()
        for prefix in ("first", "second"):
            send_and_kill(box, prefix)
            box.start("receiver")
        box.cluster.start()
        # the kill may meet the last datagram itself between the socket and the page
        wait_for(lambda: box.ledger()["refused"] >= 3 * EACH, "the ledger names what both killed ones had read")
        sums = box.ledger()
        assert sums["stored"] == 0 and sums["arrived"] == sums["refused"] <= 3 * EACH + 2, sums
        rows = box.psql("select listener, host(source), sum(crash), sum(arrived - crash) from azekura.ledger"
                        " group by 1, 2 order by 1")
        assert [r[:2] for r in rows] == [("tcp", "127.0.0.1"), ("udp", "127.0.0.1")], rows
        assert all(r[3] == "0" for r in rows), f"only crash may have refused: {rows}"

        box.psql("insert into azekura.setting (name, value, changed_by) values ('store.flush_ms', '10', 'test')")
        box.send_tcp(numbered(EACH, "stored"))
        box.wait_for_stored(EACH)
        box.kill("receiver")
        box.start("receiver")
        box.send_tcp(numbered(1, "after"))
        box.wait_for_stored(EACH + 1)
        after = box.ledger()
        assert after["refused"] == sums["refused"] and after["stored"] == EACH + 1, (sums, after)


if __name__ == "__main__":
    run(main)
