"""PostgreSQL stopped for 8 s under 5,000 messages a second, then killed with -9: reception resumes by itself,
everything is there once, and the ledger names every message."""

import signal
import threading
import time

from azk import Product, numbered, run, wait_for

RATE, AWAY_S, AFTER_S = 5_000, 8, 5


def bring_back(cluster):
    """After kill -9 the server's children may hold its memory for a moment more."""
    def starts():
        try:
            cluster.start()
            return True
        except RuntimeError:
            return False
    wait_for(starts, "the database starts again")


def lines_of(box, name):
    """What the keeper's connection of that name said of itself: connected, and lost."""
    return [line for line in box.log_text("keeper").splitlines() if f" {name}: " in line]


def check_keeper(box):
    """Each of its connections that does chores is there again, and each loss was one warning and no error.  One that
    was still waiting for its next attempt does not see a server that lives for a second."""
    for name in ("azekura-keeper", "azekura-keeper rule"):
        wait_for(lambda n=name: "connected to" in lines_of(box, n)[-1], f"{name} has its database again")
        lines = lines_of(box, name)
        connected = sum("connected to the database" in line for line in lines)
        warnings = sum(" warning: " in line for line in lines)
        assert connected >= 2 and warnings == connected - 1, lines


def main():
    with Product() as box:
        box.allow_errors(r"terminating connection|database system|shut ?down|starting up|connection to client|"
                         r"pre-existing shared memory|lock file")
        total = RATE * (AWAY_S + AFTER_S + 10)
        sent = []
        half = RATE // 2
        threads = [threading.Thread(target=lambda: sent.append(box.send_tcp(numbered(total // 2, "tcp"), rate=half))),
                   threading.Thread(target=lambda: sent.append(box.send_udp(numbered(total // 2, "udp"), rate=half)))]
        for t in threads:
            t.start()
        box.wait_for_stored(RATE)
        box.cluster.halt()
        away = time.monotonic()
        wait_for(lambda: time.monotonic() - away >= AWAY_S, f"the {AWAY_S} s of the scenario", AWAY_S + 5)
        assert box.processes["receiver"].poll() is None, "the receiver ended without its database"
        box.cluster.start()
        back = box.ledger()["stored"]
        box.wait_for_stored(back + RATE)
        box.cluster.halt(signal.SIGKILL)
        bring_back(box.cluster)
        for t in threads:
            t.join()
        sums = box.assert_ledger(sent=sum(sent))
        print(f"{sum(sent)} sent, {sums}")
        assert sums["refused"] == 0, "so few fit in memory: none may be refused"
        distinct = int(box.value("select count(distinct message) from azekura.logs"))
        assert distinct == sums["stored"], f"{distinct} distinct messages of {sums['stored']} stored"
        wait_for(lambda: box.request("GET", "/healthz").status == 200, "the web server has its database again")
        check_keeper(box)


if __name__ == "__main__":
    run(main)
