"""The certificate is replaced on disk, then by garbage, then by a good one, while a sender keeps its connection: no
message is missing, new connections get what is good, and what is broken stays out of use and is told of."""

import hashlib
import os
import ssl
import threading

from authority import Authority
from azk import TLS, Product, frame, run, wait_for


class Sender(threading.Thread):
    """A hundred numbered messages a second over one connection, until told to stop."""

    def __init__(self, box):
        super().__init__(daemon=True)
        self.connection, self.sent, self.is_over = box.connect_tls(), 0, threading.Event()

    def run(self):
        while not self.is_over.wait(0.01):  # its pace
            self.connection.sendall(frame(b"<13>1 - steady app - - - number %d" % self.sent, True))
            self.sent += 1
        self.connection.unwrap().close()

    def wait_for_more(self):
        goal = self.sent + 20
        wait_for(lambda: self.sent >= goal or not self.is_alive(), "the sender goes on")
        assert self.is_alive(), "the sender's connection was ended"


def shown(box):
    with box.connect_tls() as s:
        return hashlib.sha256(s.getpeercert(binary_form=True)).hexdigest()


def fingerprint_of(pem):
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()


def put(box, text, is_in_place=False):
    """As a tool that renews certificates does it: by a rename, or by writing over the file."""
    path = box.state / "receiver" / "tls" / "identity.pem"
    new = path if is_in_place else path.with_name("from elsewhere")
    new.write_text(text, encoding="ascii")
    if box.user:
        os.chown(new, box.user.pw_uid, box.user.pw_gid)
    new.chmod(0o600)
    if not is_in_place:
        new.rename(path)


def told(box, kind):
    return int(box.value(f"select count(*) from azekura.event where kind = '{kind}'"))


def main():
    with Authority() as ca, Product(TLS, daemons=("receiver",)) as box:
        first = shown(box)
        sender = Sender(box)
        sender.start()
        sender.wait_for_more()

        cert, key = ca.issue("second.example.net")
        put(box, key + cert)
        wait_for(lambda: shown(box) == fingerprint_of(cert), "new connections get the certificate that was put there")
        assert fingerprint_of(cert) != first
        sender.wait_for_more()

        for n, garbage in enumerate(("garbage", cert, key + cert.replace("A", "B", 40))):
            put(box, garbage, is_in_place=n == 0)
            wait_for(lambda n=n: told(box, "tls.file_bad") == n + 1, "what cannot be used is told of")
            assert shown(box) == fingerprint_of(cert), "the old one stays in use"
            sender.wait_for_more()

        third, third_key = ca.issue("third.example.net")
        put(box, third_key + third)
        wait_for(lambda: shown(box) == fingerprint_of(third), "a good one is used again")
        assert told(box, "tls.installed") == 2
        sender.wait_for_more()
        sender.is_over.set()
        sender.join()
        box.wait_for_stored(sender.sent)
        numbers = box.psql("select message from azekura.logs where hostname = 'steady' order by received_at, message")
        assert sorted(int(m.rpartition(" ")[2]) for (m,) in numbers) == list(range(sender.sent)), "no gap, nothing twice"
        box.assert_ledger(sent=sender.sent)

        # and when it starts with garbage there
        put(box, "garbage")
        box.stop("receiver")
        box.start("receiver")
        assert shown(box) == fingerprint_of(third), "the last good one serves after a restart, too"


if __name__ == "__main__":
    run(main)
