"""Messages of a TCP stream are the same wherever its segments end, when the sender leaves without a line end, when one
of them cannot be parsed, and when what comes is HTTP; and framing may be fixed by the settings."""

import base64
import json
import socket
import time

from azk import SOURCE, TLS, Product, frame, run, wait_for

CASES = ("C027", "C029", "C032", "C034")


def cases():
    lines = (SOURCE / "tests" / "corpus" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return {c["id"]: c for c in map(json.loads, lines) if c["id"] in CASES}


def segments(case):
    return [base64.b64decode(s) for s in case.get("segments_b64") or [case["input_b64"]]]


def send(box, parts, source, pause_s=0.1):
    with socket.create_connection(box.address("tcp"), 60, (source, 0)) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i, part in enumerate(parts):
            if i:
                time.sleep(pause_s)  # the sender's own pause, as the case says
            s.sendall(part)


def stored(box, source, fields="message"):
    rows = box.value(f"select coalesce(json_agg(json_build_array({fields}) order by id), '[]') from azekura.logs"
                     f" where source = '{source}'")
    return [r[0] if len(r) == 1 else tuple(r) for r in json.loads(rows)]


def rows(box, n, source, fields="message"):
    return wait_for(lambda: len(r := stored(box, source, fields)) >= n and r, f"{n} messages of {source}")


def main():
    corpus = cases()
    with Product(TLS) as box:
        send(box, segments(corpus["C027"]), "127.0.27.1")
        assert rows(box, 3, "127.0.27.1") == ["one", "two", "three"]
        whole = b"".join(segments(corpus["C027"]))
        send(box, [whole[i:i + 1] for i in range(len(whole))], "127.0.27.2", 0)
        assert rows(box, 3, "127.0.27.2") == ["one", "two", "three"]

        send(box, segments(corpus["C029"]), "127.0.29.1")
        assert rows(box, 1, "127.0.29.1", "app_name, message") == [("u1", "one off message")]

        first, second = base64.b64decode(corpus["C032"]["input_b64"]).splitlines(keepends=True)
        with socket.create_connection(box.address("tcp"), 60, ("127.0.32.1", 0)) as s:
            s.sendall(first)
            rows(box, 1, "127.0.32.1")
            s.sendall(second)  # by the same connection, which is open still
            got = rows(box, 2, "127.0.32.1", "facility, severity, app_name, message")
        assert got[0][:2] == (1, 5) and got[1] == (1, 5, "good", "second"), got

        with socket.create_connection(box.address("tcp"), 60, ("127.0.34.1", 0)) as s:
            s.sendall(b"".join(segments(corpus["C034"])))
            s.shutdown(socket.SHUT_WR)
            assert s.recv(100) == b"", "HTTP was answered"
        got = rows(box, 1, "127.0.34.1", "facility, severity, hostname")
        assert len(got) <= 5 and set(got) == {(1, 5, None)}, got

        # where the framing is fixed, digits are text, and what has no count is bad but stored
        box.api("PATCH", "/settings", {"receiver.tcp_framing": "delimited", "receiver.tls_framing": "counted"})

        def is_in_force():
            send(box, [b"14 <13>first\nlast\n"], "127.0.40.1")  # one message where the count is believed
            return "last" in stored(box, "127.0.40.1")

        wait_for(is_in_force, "a fixed framing is in force", every=0.3)
        box.send_tls([b"<13>1 - - counted - - - in TLS"], source="127.0.40.2")
        assert rows(box, 1, "127.0.40.2") == ["in TLS"]
        with box.connect_tls(source="127.0.40.3") as s:
            s.sendall(b"no count at all\n" + frame(b"<13>1 - - counted - - - after it", True))
            assert rows(box, 2, "127.0.40.3") == ["no count at all", "after it"]
        assert "TLS on a port without it" not in box.log_text("receiver")
        # noise is stored as everything, and the log says what it is
        send(box, [bytes((0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0)) + b"\n"], "127.0.40.4")
        rows(box, 1, "127.0.40.4")
        assert "the last from 127.0.40.4: send to a port of listen.tls" in box.log_text("receiver")


if __name__ == "__main__":
    run(main)
