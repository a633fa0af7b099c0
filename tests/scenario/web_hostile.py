"""Requests made to hurt: too large, half-sent, under a foreign name, to files that are not the console's."""

import concurrent.futures
import json
import socket
import time

from azk import Product, run, wait_for, within
from openapi import Contract

V1 = "/api/v1"


def exchange(box, data, close_write=False, seconds=30):
    """Send bytes, read until the box closes."""
    with socket.create_connection(("127.0.0.1", box.http_port), timeout=seconds) as s:
        try:
            s.sendall(data)
            if close_write:
                s.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it need not read all of it
        reply = b""
        try:
            while part := s.recv(65536):
                reply += part
        except ConnectionResetError:
            pass
        return reply


def status(reply):
    return int(reply.split(b" ", 2)[1]) if reply.startswith(b"HTTP/1.") else None


def check_names(api, box):
    """DNS rebinding: a name that is not the box's is not answered."""
    for name, expect in (("127.0.0.1", 200), ("localhost", 200), ("[::1]", 200), ("192.0.2.7:8080", 200), ("x.localhost", 200),
                         ("evil.example", 421), ("evil.example:8080", 421), ("127.0.0.1.evil.example", 421),
                         ("localhost.evil.example", 421), ("logs.example.net", 421)):
        api.call("GET", f"{V1}/setup", headers={"Host": name}, expect=expect)
    api.call("PATCH", f"{V1}/settings", token=box.token("admin"), body={"web.host_names": "logs.example.net, other.example"})
    api.call("GET", f"{V1}/setup", headers={"Host": "logs.example.net:8443"})
    api.call("GET", f"{V1}/setup", headers={"Host": "other.example"})
    reply = box.request("GET", "/", headers={"Host": "evil.example"})
    assert reply.status == 421


def check_sizes(api, box):
    """Bodies, header lines, their number, the request line."""
    token = box.token("admin")
    api.call("PATCH", f"{V1}/settings", token=token, body=b"x" * 65537, headers={"Content-Type": "application/json"}, expect=413)
    api.call("POST", f"{V1}/session", body=b" " * 70000, headers={"Content-Type": "application/json"}, expect=413)
    api.call("POST", f"{V1}/session", body=b"[" * 60000, headers={"Content-Type": "application/json"}, expect=400)
    deep = b'{"name":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b',"password":"x"}'
    api.call("POST", f"{V1}/session", body=deep, headers={"Content-Type": "application/json"}, expect=400)
    head = f"GET {V1}/setup HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
    big = b"X-Filler: " + b"a" * 4000 + b"\r\n"
    for data in (head + big * 5 + b"\r\n", head + b"X: " + b"a" * 20000 + b"\r\n\r\n", f"GET /{'a' * 20000} HTTP/1.1\r\n\r\n".encode()):
        reply = exchange(box, data)
        assert status(reply) in (400, 431, 413, 414, None), reply[:200]
        assert b"Content-Security-Policy" in reply or not reply, reply[:300]
    many = head + b"".join(b"X-%d: a\r\n" % i for i in range(200)) + b"\r\n"
    assert status(exchange(box, many)) in (400, 431)
    chunked = f"POST {V1}/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    assert status(exchange(box, chunked + b"8000\r\n" + b"a" * 0x8000 + b"\r\n" + b"8001\r\n" + b"a" * 0x8001 + b"\r\n0\r\n\r\n")) == 413
    lying = f"POST {V1}/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99999999999999\r\n\r\n"
    assert status(exchange(box, lying.encode())) in (413, 400)


def check_bodies(api, box):
    """Text that the parser would cut, and what stands behind the object."""
    box.cli("user", "add", "root", "--role", "admin", stdin="correct horse battery\n")
    right = b'{"name":"root","password":"correct horse battery"}'
    json_type = {"Content-Type": "application/json"}
    for body in (right.replace(b'root', b'root\\u0000x'), right.replace(b'battery', b'battery\\u0000x'),
                 right.replace(b'"name', b'"name\\u0000x'), right + b"x", right + right, right[:-1]):
        api.call("POST", f"{V1}/session", body=body, headers=json_type, expect=400)
    api.call("PATCH", f"{V1}/settings", token=box.token("admin"), body=b'{"box.name":"a\\u0000b"}', headers=json_type, expect=400)
    api.call("POST", f"{V1}/session", body=right.replace(b"root", b"\\u0072oot") + b" \r\n\t", headers=json_type)


def check_dripping_bodies(box):
    """A body of which a byte comes now and then is waited for no longer than any other."""
    begin = time.monotonic()
    head = f"POST {V1}/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n"

    def drip(_):
        with socket.create_connection(("127.0.0.1", box.http_port)) as s:
            s.settimeout(1)
            s.sendall(head.encode())
            while time.monotonic() - begin < within(40):
                try:
                    s.sendall(b" ")
                    reply = s.recv(4096)
                    return status(reply), time.monotonic() - begin
                except TimeoutError:
                    pass
                except (BrokenPipeError, ConnectionResetError):
                    return None, time.monotonic() - begin
        return 0, time.monotonic() - begin

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(drip, range(8)))
    assert all(code in (408, None) and took < within(30) for code, took in ends), ends


def check_slow_readers(box):
    """Clients that take their answer slowly keep no connection to the database."""
    box.start("receiver")
    box.send_tcp(b"<13>1 - - - - - - " + b"x" * 2000 + b" %d" % i for i in range(5000))
    box.wait_for_stored(5000)
    slow = []
    for _ in range(12):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", box.http_port))
        s.sendall(f"GET {V1}/logs?limit=5000 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {box.token('viewer')}\r\n\r\n".encode())
        s.settimeout(30)
        # Begun to be answered before the next asks (twelve searches at once may have to wait for a connection too
        # long, on a slow machine), and read no further.
        reply = s.recv(200)
        assert status(reply) == 200, reply
        slow.append(s)
    for path in ("/logs?limit=1", "/session", "/sources"):
        box.api("GET", path, role="viewer")
    for s in slow:
        s.close()


def check_revoked(box):
    """A token that is taken away ends what runs under it: a live view, an export."""
    token = box.cli("token", "create", "--role", "operator", "--name", "lent").strip()

    def begin(path):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", box.http_port))
        s.settimeout(within(20))
        s.sendall(f"GET {V1}{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        assert status(s.recv(100)) == 200
        return s

    with begin("/logs/tail") as tail, begin("/logs/export?format=jsonl") as export:
        box.psql("delete from azekura.token where name = 'lent'")
        ended = time.monotonic()
        while tail.recv(65536):
            pass
        assert time.monotonic() - ended < within(8), "the live view ends"
        time.sleep(max(0, ended + 3 - time.monotonic()))  # an export looks again after 2 s: this is its client's pause
        rest = last = b""
        while rest := export.recv(65536):
            last = (last + rest)[-5:]
        assert last != b"0\r\n\r\n", "the export breaks off"


def check_garbage(box):
    """What is no HTTP gets a short answer or none, and the box lives."""
    for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\r\n\r\n\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                 b"\x00" * 100 + b"\r\n\r\n", b"GET /\x00 HTTP/1.1\r\n\r\n", b"GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                 b"GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", b"GET " + b"/" * 8000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                 b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
                 b"GET /api/v1/logs/..%2f..%2fsettings/raw HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"):
        reply = exchange(box, data, close_write=True)
        assert status(reply) in (None, 200, 400, 401, 404, 405, 413, 421, 431, 503, 505), (data[:60], reply[:200])
        assert b"root:" not in reply
    assert box.request("GET", "/healthz").status == 200


def check_files(box):
    """Only files of the console, whatever the path looks like."""
    for path in ("/../azekura.conf", "/%2e%2e/azekura.conf", "/assets/..%2f..%2fazekura.conf", "/.git/config", "//etc/passwd", "/assets",
                 "/assets/", "/..%5c..%5cazekura.conf", "/%c0%ae%c0%ae/azekura.conf", "/index.html/", "/index.html%00.js"):
        reply = box.request("GET", path)
        assert reply.status in (200, 400, 404), (path, reply.status)
        assert b"state.dir" not in reply.body and b"root:" not in reply.body, path
        assert reply.headers.get("Location") is None, path
    assert box.request("GET", "/nothing.js").status == 404
    assert box.request("POST", "/", b"").status == 405
    assert box.request("POST", "/", b"").headers["Allow"] == "GET, HEAD"
    page = box.request("GET", "/")
    if page.status == 200:
        assert page.headers["Cache-Control"] == "no-cache" and "default-src 'none'" in page.headers["Content-Security-Policy"]
        again = box.request("GET", "/", headers={"If-None-Match": page.headers["ETag"]})
        assert again.status == 304 and not again.body
        assert box.request("GET", "/logs").body == page.body, "a page of the console"
        head = box.request("HEAD", "/")
        assert head.status == 200 and not head.body and head.headers["Content-Length"] == page.headers["Content-Length"]


def check_half_sent(box):
    """Forty clients that send half a request: others are served, and the forty are sent away in time."""
    begin = time.monotonic()
    half = [socket.create_connection(("127.0.0.1", box.http_port), timeout=within(40)) for _ in range(40)]
    for i, s in enumerate(half):
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0" if i % 2 else
                  f"POST {V1}/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{{".encode())
    assert box.request("GET", "/healthz").status == 200, "others are served meanwhile"
    assert time.monotonic() - begin < within(9)
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        ends = list(pool.map(lambda s: s.recv(4096), half))
    for s in half:
        s.close()
    assert time.monotonic() - begin < within(35), "they are sent away"
    assert all(e == b"" or status(e) in (400, 408) for e in ends), ends[:4]
    assert box.request("GET", "/healthz").status == 200


def check_abandoned_search(box):
    """A client that leaves takes its search with it."""
    box.allow_errors("canceling statement due to user request|connection to client lost")
    token = box.token("viewer")
    with HeldLock(box):
        with socket.create_connection(("127.0.0.1", box.http_port)) as s:
            s.sendall(f"GET {V1}/logs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            running = "select count(*) from pg_stat_activity where usename = 'azekura_web' and query like '%azekura.search%' and state = 'active'"
            wait_for(lambda: box.value(running) == "1", "the search runs")
        wait_for(lambda: box.value(running) == "0", "the search is cancelled", within(5))


class HeldLock:
    """Another session holds the table of blocks, so that a search must wait."""

    def __init__(self, box):
        self.box = box

    def __enter__(self):
        self.worker = concurrent.futures.ThreadPoolExecutor(1)
        self.done = self.worker.submit(self.box.psql, "begin; lock table azekura.log_block in access exclusive mode; select pg_sleep(20); commit")
        wait_for(lambda: self.box.value("select count(*) from pg_locks where mode = 'AccessExclusiveLock' and granted"
                                        " and relation = 'azekura.log_block'::regclass") == "1", "the lock is held")

    def __exit__(self, *_):
        self.box.psql("select pg_cancel_backend(pid) from pg_locks where mode = 'AccessExclusiveLock' and granted"
                      " and relation = 'azekura.log_block'::regclass")
        self.worker.shutdown(wait=True)


def main():
    with Product(daemons=("web",)) as box:
        api = Contract(box)
        check_names(api, box)
        check_sizes(api, box)
        check_bodies(api, box)
        check_garbage(box)
        check_files(box)
        check_half_sent(box)
        check_dripping_bodies(box)
        check_abandoned_search(box)
        check_slow_readers(box)
        check_revoked(box)
        assert json.loads(box.request("GET", "/healthz").body)["status"] == "ok"


if __name__ == "__main__":
    run(main)
