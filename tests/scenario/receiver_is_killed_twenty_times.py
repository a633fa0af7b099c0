"""The receiver is killed -9 twenty times at moments that chance chooses, under 20,000 messages a second by TCP that carry
sequence numbers: everything it had read is stored once, so of each connection the first messages are there without
a hole; what follows them was never read, and the sequence numbers name it."""

import contextlib
import random
import socket
import threading
import time

from azk import Product, run, wait_for

KILLS, RATE, PART = 20, 20_000, 200


class Sender(threading.Thread):
    """Connection k sends bench numbers seq=KILL-k-0, 1, … and ends when its receiver does; `next` continues the stream
    over connections, so what was lost with one is a gap before the first message of the next."""

    def __init__(self, box):
        super().__init__()
        self.box, self.is_over = box, False
        self.begins = []  # number of the first message of each connection
        self.next = 1

    def connect(self):
        while not self.is_over:
            with contextlib.suppress(OSError, AssertionError):
                return socket.create_connection(self.box.address("tcp"), 5)
            time.sleep(0.005)
        return None

    def run(self):
        connection = self.connect()
        self.begins.append(self.next)
        begin, sent = time.monotonic(), 0
        while not self.is_over:
            part = b"".join(
                f"<13>1 2026-11-30T12:00:00Z host app - - [meta sequenceId=\"{n}\"] number {n}\n".encode()
                for n in range(self.next, self.next + PART))
            self.next += PART
            try:
                connection.sendall(part)
            except OSError:
                connection.close()
                connection = self.connect()
                self.begins.append(self.next)
            sent += PART
            time.sleep(max(0, begin + sent / RATE - time.monotonic()))
        if connection:
            connection.close()


def main():
    chance = random.Random(20)
    with Product({"store.flush_ms": "100"}, daemons=("receiver",)) as box:
        box.allow_errors(r"terminating|connection to client|unexpected EOF|could not receive data")
        sender = Sender(box)
        sender.start()
        for _ in range(KILLS):
            at = time.monotonic() + chance.uniform(0.05, 0.5)
            wait_for(lambda at=at: time.monotonic() > at, "the moment of the kill", every=0.001)
            box.kill("receiver")
            box.start("receiver")
        stored = box.ledger()["stored"]
        box.wait_for_stored(stored + PART)
        sender.is_over = True
        sender.join()
        sums = box.assert_ledger()
        assert sums["refused"] == 0, sums
        numbers = sorted(int(row[0]) for row in box.psql(
            "select split_part(message, ' ', 2) from azekura.logs where message like 'number %'"))
        assert len(numbers) == len(set(numbers)), "a message is stored twice"
        there, lost = set(numbers), 0
        for first, after in zip(sender.begins, sender.begins[1:] + [sender.next]):
            n = sum(1 for k in range(first, after) if k in there)
            assert all(k in there for k in range(first, first + n)), f"a hole among {first}…{first + n}"
            lost += after - first - n
        print(f"{sender.next - 1} sent over {len(sender.begins)} connections, {len(numbers)} stored, {lost} never read")
        assert len(numbers) + lost == sender.next - 1
        # the first and the last message that is there know of what is missing between them
        between = numbers[-1] - numbers[0] + 1 - len(numbers)
        missing, repeated = map(int, box.psql(
            "select coalesce(sum(missing), 0), coalesce(sum(repeated), 0) from azekura.sequence_gap")[0])
        assert missing == between and repeated == 0, (missing, repeated, between)


if __name__ == "__main__":
    run(main)
