"""Addresses of listeners change by the settings while the receiver runs: open connections and what waits in a socket
are not lost, TCP and TLS may change places, an address that cannot be had leaves the old one in place and is told of,
and is taken when it is free."""

import json
import socket

from azk import Product, free_port, numbered, run, wait_for


def set_to(box, name, value):
    box.psql(f"insert into azekura.setting (name, value, changed_by) values ('{name}', '{value}', 'test')"
             " on conflict (name) do update set value = excluded.value")


def detail(box, name):
    text = box.value("select detail from azekura.receiver_detail")
    return next(row for row in json.loads(text)["listeners"] if row["name"] == name) if text else None


def wait_for_bound(box, name, *addresses):
    def is_so():
        row = detail(box, name)
        return row and sorted(row["bound"]) == sorted(addresses)
    wait_for(is_so, f"{name} is bound to {addresses}")


def send_tcp(connection, first, n):
    connection.sendall(b"".join(m + b"\n" for m in list(numbered(first + n, "change"))[first:]))


def send_udp(port, n, host="127.0.0.1"):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for m in numbered(n, f"udp{port}"):
            s.sendto(m, (host, port))
    return n


def connections_stay(box, before):
    """Returns how many messages were sent."""
    first, second = free_port(), free_port()
    old = socket.create_connection(box.address("tcp"))
    send_tcp(old, 0, 10)
    set_to(box, "listen.tcp", f"127.0.0.1:{first},127.0.0.2:{second}")
    wait_for_bound(box, "tcp", f"127.0.0.1:{first}", f"127.0.0.2:{second}")
    send_tcp(old, 10, 10)
    with socket.create_connection(("127.0.0.1", first)) as a, socket.create_connection(("127.0.0.2", second)) as b:
        send_tcp(a, 0, 10)
        send_tcp(b, 0, 10)
        box.wait_for_stored(before + 40)
        # the same port on every address: the old sockets are in the way of it
        set_to(box, "listen.tcp", f"0.0.0.0:{first}")
        wait_for_bound(box, "tcp", f"0.0.0.0:{first}")
        send_tcp(a, 10, 10)
        send_tcp(old, 20, 10)
    old.close()
    with socket.create_connection(("127.0.0.3", first)) as c:
        send_tcp(c, 0, 10)
    return 70


def tcp_and_tls_change_places(box, sent):
    with box.connect_tls() as tls, socket.create_connection(box.address("tcp")) as plain:
        new = {"tcp": "%s:%d" % box.address("tls"), "tls": "%s:%d" % box.address("tcp")}
        box.psql("insert into azekura.setting (name, value, changed_by) values"
                 f" ('listen.tcp', '{new['tcp']}', 'test'), ('listen.tls', '{new['tls']}', 'test')"
                 " on conflict (name) do update set value = excluded.value")
        wait_for_bound(box, "tcp", new["tcp"])
        wait_for_bound(box, "tls", new["tls"])
        send_tcp(plain, 0, 10)
        send_tcp(tls, 0, 10)
        sent += 20 + box.send_tcp(numbered(10, "moved")) + box.send_tls(numbered(10, "moved"))
        box.wait_for_stored(sent)
        # and one takes the place of the other, which goes
        set_to(box, "listen.tcp", "")
        wait_for_bound(box, "tcp")
        set_to(box, "listen.tls", new["tcp"])
        wait_for_bound(box, "tls", new["tcp"])
        send_tcp(tls, 10, 10)
        sent += 10 + box.send_tls(numbered(10, "moved again"))
        box.wait_for_stored(sent)
    set_to(box, "listen.tls", "")
    wait_for_bound(box, "tls")
    set_to(box, "listen.tcp", "127.0.0.1:0")
    wait_for(lambda: "tcp" in names(box), "TCP is there again")
    return sent


def what_waits_is_taken_first(box, sent):
    old, new = box.address("udp")[1], free_port()
    sent += send_udp(old, 500)
    set_to(box, "listen.udp", f"127.0.0.1:{new}")
    wait_for_bound(box, "udp", f"127.0.0.1:{new}")
    sent += send_udp(new, 500)
    box.wait_for_stored(sent)
    return sent, new


def an_address_in_use_is_told_of(box, sent, old):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        taken = other.getsockname()[1]
        set_to(box, "listen.udp", f"127.0.0.1:{taken}")
        wait_for(lambda: detail(box, "udp")["error"], "the error is told")
        row = detail(box, "udp")
        assert row["error"] == f"listen.udp: cannot listen on 127.0.0.1:{taken}: Address already in use", row
        assert row["bound"] == [f"127.0.0.1:{old}"] and row["wanted"] == f"127.0.0.1:{taken}", row
        sent += send_udp(old, 100)
        box.wait_for_stored(sent)
    wait_for_bound(box, "udp", f"127.0.0.1:{taken}")  # tried again
    assert detail(box, "udp")["error"] is None
    sent += send_udp(taken, 100)
    box.wait_for_stored(sent)
    return sent


def names(box):
    return {line.split()[0] for line in (box.state / "receiver" / "listeners").read_text(encoding="utf-8").splitlines()}


def none_is_a_choice(box):
    set_to(box, "listen.udp", "")
    wait_for_bound(box, "udp")
    assert names(box) == {"tcp"}
    assert box.psql("select name from azekura.receiver_listener") == [("tcp",)]


def main():
    places = {"listen.tcp": f"127.0.0.1:{free_port()}", "listen.tls": f"127.0.0.1:{free_port()}"}
    with Product(places, daemons=("receiver",)) as box:
        sent = tcp_and_tls_change_places(box, 0)
        sent += connections_stay(box, sent)
        box.wait_for_stored(sent)
        sent, port = what_waits_is_taken_first(box, sent)
        sent = an_address_in_use_is_told_of(box, sent, port)
        none_is_a_choice(box)
        # the next start begins where this one was
        box.stop("receiver")
        box.start("receiver")
        assert names(box) == {"tcp"} and box.address("tcp")[0] == "0.0.0.0"
        box.assert_ledger(sent)


if __name__ == "__main__":
    run(main)
