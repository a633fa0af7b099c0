"""The connection to the database breaks around COMMIT, each time the receiver commits for a while: before the server
has it, or after the server has done it and before its answer arrives.  Every message is stored exactly once."""

import contextlib
import os
import socket
import threading

from azk import Product, numbered, run, wait_for

MESSAGES, CUTS = 20_000, 20


class Proxy(threading.Thread):
    """Between the receiver and PostgreSQL's socket; cuts connections around COMMIT while `cuts` is above 0."""

    def __init__(self, folder, server):
        super().__init__(daemon=True)
        folder.mkdir()
        self.server, self.cuts, self.lost_answers, self.lost_commits = server, 0, 0, 0
        self.listener = socket.socket(socket.AF_UNIX)
        path = folder / ".s.PGSQL.5432"
        self.listener.bind(str(path))
        os.chmod(path, 0o777)
        self.listener.listen(64)

    def run(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self.server))
            except OSError:
                client.close()
                continue
            link = {"client": client, "server": server, "is_cut": threading.Event()}
            for target in (self.upwards, self.downwards):
                threading.Thread(target=target, args=(link,), daemon=True).start()

    def upwards(self, link):
        with contextlib.suppress(OSError):
            while data := link["client"].recv(65536):
                if b"commit\0" in data and self.cuts > 0:
                    self.cuts -= 1
                    if self.cuts % 2:
                        self.lost_commits += 1
                        break
                    link["is_cut"].set()
                link["server"].sendall(data)
        self.close(link)

    def downwards(self, link):
        with contextlib.suppress(OSError):
            while data := link["server"].recv(65536):
                if link["is_cut"].is_set():
                    self.lost_answers += 1
                    break
                link["client"].sendall(data)
        self.close(link)

    @staticmethod
    def close(link):
        for end in (link["client"], link["server"]):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def main():
    box = Product({"store.flush_ms": "10"}, daemons=("receiver",))
    folder = box.state / "proxy"
    proxy = Proxy(folder, box.cluster.socket_dir / ".s.PGSQL.5432")
    box.settings["database"] = f"host={folder} dbname=azekura"
    box.write_config()
    proxy.start()
    with box:
        box.allow_errors(r"terminating|connection to client|unexpected EOF")
        # the event of its start is committed too, and not what this is about
        wait_for(lambda: "connected to the database" in box.log_text("receiver"), "the receiver is connected")
        proxy.cuts = CUTS
        sent = 0
        while proxy.cuts > 0:
            sent += box.send_tcp(numbered(MESSAGES, f"round {sent}"))
            before = proxy.cuts
            wait_for(lambda before=before: proxy.cuts < before or proxy.cuts == 0, "a commit is cut")
        box.wait_for_stored(sent)
        wait_for(lambda: box.queued() == 0, "nothing is queued")
        print(f"{sent} sent, {proxy.lost_answers} answers and {proxy.lost_commits} commits lost")
        assert proxy.lost_answers > 0 and proxy.lost_commits > 0
        sums = box.ledger()
        assert (sums["arrived"], sums["stored"], sums["refused"]) == (sent, sent, 0), sums
        assert box.value("select sum(messages) from azekura.log_block") == str(sent)
        assert "outcome of a unit is unknown" in box.log_text("receiver")


if __name__ == "__main__":
    run(main)
