"""The receiver alone: datagrams over IPv4 and IPv6 and both TCP framings are stored and counted by sender and
listener; a setting changed in the database takes effect at once; a second receiver on its folder is refused."""

import socket
import subprocess

from azk import Product, numbered, run, wait_for

UDP, TCP = 3_000, 20_000


def send_udp(box, family, host, messages):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        for m in messages:
            s.sendto(m, (host, box.address("udp")[1]))


def a_second_receiver_is_refused(box):
    argv = [str(box.program / "bin" / "azekura-receiver"), "--config", str(box.config_file)]
    second = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False)
    assert second.returncode == 1, second
    assert f"another receiver (process {box.pid('receiver')})" in second.stderr, second.stderr


def the_last_message_needs_no_trailer(box):
    before = box.ledger()["stored"]
    with socket.create_connection(box.address("tcp")) as s:
        s.sendall(b"<34>Oct 11 22:14:15 fw01 su[123]: first\n<34>Oct 11 22:14:16 fw01 su[123]: last")
    box.wait_for_stored(before + 2)


def a_counted_message_is_not_held_until_the_next(box):
    """What its count or a NUL ends is taken when nothing follows, though the connection stays open."""
    before = box.ledger()["stored"]
    with socket.create_connection(box.address("tcp")) as s:
        s.sendall(b"24 <34>1 - fw01 - - - - end")
        box.wait_for_stored(before + 1)


def a_setting_takes_effect_at_once(box):
    box.psql("insert into azekura.setting (name, value, changed_by) values ('store.flush_ms', '60000', 'test')")
    before = box.ledger()["stored"]
    kept = box.state / "receiver" / "settings"
    wait_for(lambda: "60000" in kept.read_text(), "the setting is kept for the next start")
    box.send_tcp(numbered(1))
    wait_for(lambda: box.queued() == 1, "the message waits in the open block")
    assert box.ledger()["stored"] == before
    box.psql("update azekura.setting set value = '20' where name = 'store.flush_ms'")
    box.wait_for_stored(before + 1)


def main():
    with Product({"listen.udp": "[::]:0"}, daemons=("receiver",)) as box:
        box.allow_errors(r"terminating")
        send_udp(box, socket.AF_INET, "127.0.0.1", numbered(UDP, "udp4"))
        send_udp(box, socket.AF_INET6, "::1", numbered(100, "udp6"))
        box.send_tcp(numbered(TCP, "lines"))
        box.send_tcp(numbered(TCP, "counted"), is_counted=True)
        box.wait_for_stored(UDP + 100 + 2 * TCP)
        rows = box.psql("select listener, host(source), sum(arrived), sum(stored) from azekura.ledger"
                        " group by 1, 2 order by 1, 2")
        assert rows == [("tcp", "127.0.0.1", str(2 * TCP), str(2 * TCP)), ("udp", "127.0.0.1", str(UDP), str(UDP)),
                        ("udp", "::1", "100", "100")], rows
        a_second_receiver_is_refused(box)
        the_last_message_needs_no_trailer(box)
        a_counted_message_is_not_held_until_the_next(box)
        a_setting_takes_effect_at_once(box)
        box.stop("receiver")
        last = box.psql("select arrived, stored, refused, queued from azekura.receiver_status")
        n = str(UDP + 100 + 2 * TCP + 4)
        assert last == [(n, n, "0", "0")], last
        assert box.value("select sum(messages) from azekura.log_block") == n
        assert box.value("select count(*) - count(distinct first_seq) from azekura.log_block") == "0"


if __name__ == "__main__":
    run(main)
