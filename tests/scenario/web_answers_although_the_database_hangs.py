"""PostgreSQL hangs (all its processes are stopped): every request is answered with an error in time, a client that leaves
keeps no worker, the console can be told to stop, and all is well when the database goes on."""

import concurrent.futures
import time

from azk import Product, run, wait_for, within

PATIENCE_S = 1 + 5 + 5  # web.search_seconds, what the database has beyond it, what we wait beyond that
CONNECTIONS = 10


def ask(box, path, timeout):
    """The status, or None when we left first."""
    headers = {"Authorization": f"Bearer {box.token('viewer')}"}
    try:
        return box.request("GET", f"/api/v1{path}", headers=headers, timeout=timeout).status
    except TimeoutError:
        return None


def ask_many(box, n, timeout):
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        return list(pool.map(lambda i: ask(box, ("/logs", "/session", "/sources", "/settings")[i % 4], timeout), range(n)))


def main():
    with Product(settings={"web.search_seconds": 1}) as box:
        box.allow_errors("connection to client|unexpected EOF|terminating connection|did not take")
        box.token("viewer")
        assert ask_many(box, CONNECTIONS, 30) == [200] * CONNECTIONS
        with box.cluster.hung():
            ask_many(box, CONNECTIONS, 1)  # these clients leave at once
            begin = time.monotonic()
            replies = ask_many(box, 2 * CONNECTIONS, 60)
            assert replies == [503] * (2 * CONNECTIONS), replies
            assert time.monotonic() - begin < within(PATIENCE_S + 10)
            begin = time.monotonic()
            assert ask(box, "/logs", 60) == 503
            assert time.monotonic() - begin < within(PATIENCE_S + 5)
            assert box.request("GET", "/healthz").status == 503
            box.stop("web")
            box.start("web")
            assert ask(box, "/logs", 60) == 503
        wait_for(lambda: ask(box, "/logs", 60) == 200, "the console is back")


if __name__ == "__main__":
    run(main)
