"""A receiver of several lanes: connections are spread by their source, each message is stored once and counted with its
sender, also when the receiver is killed and comes back with another number of lanes."""

import json
import socket
import threading

from azk import Product, numbered, run, wait_for

SOURCES, EACH = 24, 400


def source(i):
    return f"127.0.1.{i + 1}"


def in_turns(box, name):
    """From all sources at once, a connection each, with pauses between nothing: every lane has several."""
    def send(i):
        box.send_tcp(numbered(EACH, f"{name}-{i}"), is_counted=i % 2 == 0, source=source(i))
    threads = [threading.Thread(target=send, args=(i,)) for i in range(SOURCES)]
    for t in threads:
        t.start()
    for i in range(SOURCES):
        box.send_udp(numbered(20, f"{name}-udp-{i}"), source=source(i))
    for t in threads:
        t.join()
    return SOURCES * (EACH + 20)


def by_source(box):
    return {(listener, address): int(n) for listener, address, n in box.psql(
        "select listener, host(source), sum(stored) from azekura.ledger group by 1, 2")}


def detail(box):
    return json.loads(box.value("select detail from azekura.receiver_detail"))


def main():
    with Product({"receiver.threads": "3"}, daemons=("receiver",)) as box:
        open_ones = [socket.create_connection(box.address("tcp"), source_address=(source(i), 0)) for i in range(SOURCES)]
        for connection in open_ones:
            connection.sendall(b"<13>held open\n")
        sent = in_turns(box, "first") + SOURCES
        box.wait_for_stored(sent)
        assert by_source(box) == {("tcp", source(i)): EACH + 1 for i in range(SOURCES)} | {
            ("udp", source(i)): 20 for i in range(SOURCES)}
        wait_for(lambda: detail(box)["connections"]["open"] == SOURCES, "the connections of all lanes are counted")
        assert detail(box)["threads"] == {"lanes": 3, "packers": 3}
        for connection in open_ones:
            connection.close()
        wait_for(lambda: detail(box)["connections"]["open"] == 0, "and their ends")

        # a long flush: everything of the second turn is in open units of all lanes when the receiver is killed
        box.psql("insert into azekura.setting (name, value, changed_by) values ('store.flush_ms', '60000', 'test'),"
                 " ('receiver.threads', '2', 'test')")
        kept = box.state / "receiver" / "settings"
        wait_for(lambda: "60000" in kept.read_text(), "the setting is kept")
        sent += in_turns(box, "second")
        wait_for(lambda: box.queued() > 0 and box.ledger()["stored"] + box.queued() == sent, "everything was read")
        box.kill("receiver")
        box.psql("delete from azekura.setting where name = 'store.flush_ms'")
        box.start("receiver")
        box.wait_for_stored(sent)
        wait_for(lambda: detail(box)["threads"] == {"lanes": 2, "packers": 2}, "two lanes after the restart")
        sent += in_turns(box, "third")
        box.wait_for_stored(sent)
        assert set(by_source(box).values()) == {3 * EACH + 1, 60}
        box.stop("receiver")
        assert box.value("select count(*) - count(distinct first_seq) from azekura.log_block") == "0"
        box.assert_ledger(sent)


if __name__ == "__main__":
    run(main)
