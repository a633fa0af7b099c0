"""An address that is not listened on any more is let go of by whoever holds the receiver's sockets: it is free at once,
also when it was changed while the receiver was down; what stays keeps its socket."""

import socket

from azk import Product, free_port, run, wait_for


def is_free(box, port):
    box.take_sockets()
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def held(box):
    box.take_sockets()
    return {name for name, _, _ in box.store.held}


def listeners(box):
    return set((box.state / "receiver" / "listeners").read_text(encoding="utf-8").splitlines())


def change(box, name, value):
    box.psql(f"insert into azekura.setting (name, value, changed_by) values ('{name}', '{value}', 'test')"
             " on conflict (name) do update set value = excluded.value")


def main():
    first, second, third = (free_port() for _ in range(3))
    settings = {"listen.tcp": f"127.0.0.1:{first}"}
    with Product(settings, daemons=("receiver",), holds_sockets=True) as box:
        udp = box.address("udp")
        assert f"tcp@127.0.0.1_{first}" in held(box), held(box)

        change(box, "listen.tcp", f"127.0.0.1:{second}")
        wait_for(lambda: f"tcp 127.0.0.1:{second}" in listeners(box), "it listens on the new address")
        wait_for(lambda: is_free(box, first), "the old address is free")
        wait_for(lambda: f"tcp@127.0.0.1_{second}" in held(box) and f"tcp@127.0.0.1_{first}" not in held(box),
                 "the new socket is held, the old one is not")
        box.send_tcp([b"<13>1 - a app - - - to the new address"])

        # several addresses, and one of them taken by somebody else
        with socket.socket() as other:
            other.bind(("127.0.0.1", third))
            other.listen()
            change(box, "listen.tcp", f"127.0.0.1:{second}, 127.0.0.1:{third}")
            wait_for(lambda: box.log_text("receiver").count(str(third)) > 0, "it says that the address is taken")
        wait_for(lambda: {f"tcp 127.0.0.1:{second}", f"tcp 127.0.0.1:{third}"} <= listeners(box),
                 "it listens on both once the second is free", 60)

        # changed while it is down: what is held then is closed by the start
        box.kill("receiver")
        assert not is_free(box, second) and not is_free(box, third), "its addresses are held while it is down"
        box.psql("delete from azekura.setting where name = 'listen.tcp'")
        (box.state / "receiver" / "settings").write_text("", encoding="utf-8")
        box.start("receiver")
        wait_for(lambda: is_free(box, second) and is_free(box, third), "addresses that are not wanted are free")
        wait_for(lambda: f"tcp@127.0.0.1_{first}" in held(box) and f"tcp@127.0.0.1_{second}" not in held(box),
                 "only what is listened on is held")
        assert box.address("udp") == udp, "what stays keeps its socket"
        box.send_tcp([b"<13>1 - b app - - - to the first address"])
        box.send_udp([b"<13>1 - c app - - - by UDP"])
        box.assert_ledger(sent=3)


if __name__ == "__main__":
    run(main)
