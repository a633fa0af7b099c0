"""packaging/run.sh: the supervisor holds the receiver's sockets and starts it again at once; what was sent meanwhile is
stored.  --syslog-tls listens by TLS with a certificate of its own, goes on with it, and ends with none."""

import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile

from azk import free_port, run, wait_for
from instance import Instance

DATAGRAMS = 20_000


def send(port, texts):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.connect(("127.0.0.1", port))
        for n, text in enumerate(texts):
            s.send(b"<13>1 - held app - - - " + text)
            yield n


def certificate_of(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(socket.create_connection(("127.0.0.1", port), 30)) as s:
        s.sendall(b"23 <13>1 - tls app - - - a")
        der = s.getpeercert(binary_form=True)
        s.unwrap().close()
        return der


def check_kill(box):
    before = box.pids()
    for n in send(box.syslog, (b"datagram %d" % i for i in range(DATAGRAMS))):
        if n in (DATAGRAMS // 4, DATAGRAMS // 2):
            os.kill(before["receiver"], signal.SIGKILL)
            before = wait_for(lambda b=before: (p := box.pids())["receiver"] not in (None, b["receiver"]) and p,
                              "the receiver runs again")

    facts = wait_for(lambda: ledger_of(box).get("arrived", 0) >= DATAGRAMS and ledger_of(box), "all have arrived")
    assert facts["arrived"] == facts["stored"], facts


def ledger_of(box):
    env = {**os.environ, "PGHOST": str(box.state / "run"), "PGUSER": "postgres"}
    out = subprocess.run(["psql", "-XAtq", "-d", "azekura", "-c", "select sum(arrived), sum(stored) from azekura.ledger"],
                         env=env, capture_output=True, text=True, check=False).stdout.strip()
    arrived, _, of_it = out.partition("|")
    return {"arrived": int(arrived or 0), "stored": int(of_it or 0)}


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="azk-held-", dir="/tmp"))
    box = Instance(folder / "box")
    tls = free_port()
    try:
        said = box.run("--http", f"127.0.0.1:{box.http}", "--syslog", f"127.0.0.1:{box.syslog}", "--syslog-tls",
                       f"127.0.0.1:{tls}", "--detach")
        for line in ("UDP", "TCP"):
            assert f"127.0.0.1:{box.syslog} ({line})" in said, said
        assert f"127.0.0.1:{tls} (TLS)" in said, said
        mine = certificate_of(tls)
        check_kill(box)
        assert certificate_of(tls) == mine
        box.run("--stop")
        assert f"127.0.0.1:{tls} (TLS)" in box.run("--detach"), "it goes on with its addresses"
        assert certificate_of(tls) == mine, "and with its certificate"
        assert "TLS" not in box.run("--syslog-tls", "none", "--detach")
        box.run("--syslog-tls", f"127.0.0.1:{box.syslog}", "--detach", expect=2)
    finally:
        box.run("--stop")
        shutil.rmtree(folder)


if __name__ == "__main__":
    run(main)
