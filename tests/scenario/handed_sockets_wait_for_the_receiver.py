"""The receiver is killed, and stopped and started, under 20,000 datagrams a second and while senders connect: what
comes meanwhile waits in the kernel, in sockets that are held for it, and every message is stored once."""

import pathlib
import socket
import threading

from azk import Product, run, wait_for

RATE, TOTAL = 20_000, 80_000
WAITING = 2_000  # datagrams that come while there is no receiver, each time
CLIENTS = 20  # connections meanwhile


class Sender(threading.Thread):
    """Numbered datagrams; `sent` is how many have gone."""

    def __init__(self, box):
        super().__init__(daemon=True)
        self.box, self.sent = box, 0

    def messages(self):
        for n in range(TOTAL):
            self.sent = n
            yield b"<13>1 - quiet app - - - number %d" % n

    def run(self):
        self.box.send_udp(self.messages(), rate=RATE)
        self.sent = TOTAL

    def wait_for_more(self, n):
        goal = min(self.sent + n, TOTAL)
        wait_for(lambda: self.sent >= goal, f"{n} more datagrams are sent")


def clients_stored(box):
    return int(box.value("select count(distinct message) from azekura.logs where hostname = 'client'"))


def check_one(box, sender, address, how, round_number):
    """Without receiver the addresses are as they were, and take what comes."""
    sender.wait_for_more(5_000)
    held = sorted(name for name, _, _ in box.store.held)
    assert any(n.startswith("udp@127.0.0.1_") for n in held) and any(n.startswith("tcp@127.0.0.1_") for n in held), held
    how("receiver")
    clients = []
    for n in range(CLIENTS):
        s = socket.create_connection(address, 10)
        s.sendall(b"<13>1 - client app - - - round %d client %d\n" % (round_number, n))
        clients.append(s)
    for s in clients[::2]:
        s.close()  # gone before anybody has accepted it
    sender.wait_for_more(WAITING)
    box.start("receiver")
    assert box.address("tcp") == address, "it listens where it did"
    # once accepted, a connection and what the kernel holds of it end with the receiver: so before the next time
    wait_for(lambda: clients_stored(box) == (round_number + 1) * CLIENTS, "connections in the backlog are served")
    return clients[1::2]


def main():
    with Product({"store.flush_ms": "50"}, daemons=("receiver",), holds_sockets=True) as box:
        tcp, udp = box.address("tcp"), box.address("udp")
        sender = Sender(box)
        sender.start()
        open_ones = []
        for n, how in enumerate((box.kill, box.stop, box.kill)):
            open_ones += check_one(box, sender, tcp, how, n)
        sender.join()
        assert box.address("udp") == udp
        for s in open_ones:
            s.close()
        sent = TOTAL + 3 * CLIENTS
        sums = box.assert_ledger(sent=sent)
        granted = int(pathlib.Path("/proc/sys/net/core/rmem_max").read_text(encoding="ascii"))
        if granted >= 64 << 20:
            assert sums["kernel"] == 0 and sums["stored"] == sent, sums
        numbers = box.value("select count(distinct message) from azekura.logs where hostname = 'quiet'")
        assert int(numbers) == TOTAL - sums["kernel"], (numbers, sums)


if __name__ == "__main__":
    run(main)
