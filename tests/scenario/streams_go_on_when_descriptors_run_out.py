"""Where the process may have few open files, connections leave some for the database: a thousand connections are turned
away with a count and one line, senders that are connected go on, the database can be reached again, the console
opens, and when the crowd has gone new connections are taken at once."""

import contextlib
import resource
import socket

from azk import Product, run, wait_for

GOOD = 10


def detail(box):
    return box.api("GET", "/receiver")["detail"]["connections"]


def turned_away(box):
    return detail(box)["turned_away"]


def say(connections, what):
    for i, s in enumerate(connections):
        s.sendall(b"<13>1 - - good - - - %s %d\n" % (what, i))
    return len(connections)


def main():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    with Product(daemons=("web", "keeper")) as box:
        box.start("receiver", under=("prlimit", "--nofile=256:256", "--"))
        good = [socket.create_connection(box.address("tcp"), 60) for _ in range(GOOD)]
        sent = say(good, b"before")
        box.wait_for_stored(sent)

        crowd = []
        for i in range(1000):
            s = socket.create_connection(box.address("tcp"), 60, (f"127.0.{i % 8 + 1}.1", 0))
            crowd.append(s)
        away = wait_for(lambda: (t := turned_away(box))["descriptors"] >= 1000 + GOOD - 192 and t, "they are turned away")
        assert away["descriptors"] == 1000 + GOOD - 192, away
        lines = [l for l in box.log_text("receiver").splitlines() if "turned away" in l]
        assert len(lines) == 1 and "limit of open files" in lines[0], lines

        # the database's connection is lost at the worst of times
        box.allow_errors("terminating connection due to administrator command|connection to client lost")
        box.value("select count(pg_terminate_backend(pid)) from pg_stat_activity where usename = 'azekura_receiver'")
        sent += say(good, b"within")
        box.wait_for_stored(sent)
        assert box.request("GET", "/").status == 200

        for s in crowd:
            s.close()
        wait_for(lambda: detail(box)["open"] == GOOD, "the crowd has gone")
        sent += box.send_tcp([b"<13>1 - - good - - - a new one"])
        sent += say(good, b"after")
        box.wait_for_stored(sent)
        for s in good:
            with contextlib.suppress(OSError):
                s.close()
        box.assert_ledger(sent=sent)


if __name__ == "__main__":
    run(main)
