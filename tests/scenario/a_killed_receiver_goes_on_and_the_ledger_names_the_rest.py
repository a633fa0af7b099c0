"""kill -9 of the receiver under load, three times: whatever it had read is stored once, also what it had not stored
before it was killed."""

import socket
import threading

from azk import Product, frame, numbered, run, wait_for


class Sender(threading.Thread):
    """Sends each message at most once over TCP and comes back when the receiver does."""

    def __init__(self, box, messages):
        super().__init__()
        self.box, self.messages, self.sent = box, messages, 0
        self.is_over = False

    def connect(self):
        while True:
            try:
                return socket.create_connection(self.box.address("tcp"), timeout=5)
            except (OSError, AssertionError):
                if self.is_over:
                    raise

    def run(self):
        connection = self.connect()
        for message in self.messages:
            if self.is_over:
                break
            try:
                connection.sendall(frame(message, False))
            except OSError:
                connection.close()
                connection = self.connect()
            self.sent += 1
        connection.close()


def main():
    with Product() as box:
        sender = Sender(box, numbered(100_000_000))
        sender.start()
        try:
            for _ in range(3):
                before = box.ledger()["stored"]
                box.wait_for_stored(before + 20_000)
                kept = box.ledger()["stored"]
                box.kill("receiver")
                box.start("receiver")
                wait_for(lambda kept=kept: box.ledger()["stored"] > kept, "messages are stored again")
        finally:
            sender.is_over = True
            sender.join()
        sums = box.assert_ledger()
        print(f"{sender.sent} sent, {sums}")
        assert sums["arrived"] <= sender.sent, sums
        distinct = int(box.value("select count(distinct message) from azekura.logs"))
        assert distinct == sums["stored"], f"{distinct} distinct messages of {sums['stored']} stored"
        assert sums["refused"] == 0, f"a crash refuses nothing: {sums}"


if __name__ == "__main__":
    run(main)
