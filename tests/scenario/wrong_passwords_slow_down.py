"""Ten wrong passwords: after some the box asks to wait, longer each time; the right password works after it."""

import json
import time

from azk import Product, run, wait_for

PASSWORD = "a right password"


def log_in(box, password):
    body = json.dumps({"name": "admin", "password": password})
    return box.request("POST", "/api/v1/session", body, {"Content-Type": "application/json"})


def set_up(box):
    code = box.cli("setup-code").strip()
    wrong = {"code": "AAAA-AAAA-AAAA-AAAA", "name": "admin", "password": PASSWORD}
    box.api("POST", "/setup", wrong, role=None, expect=403)
    box.api("POST", "/setup", {**wrong, "code": code}, role=None, expect=201)
    box.api("POST", "/setup", {**wrong, "code": code, "name": "second"}, role=None, expect=409)


def wait_asked(reply):
    seconds = int(reply.headers["Retry-After"])
    assert seconds >= 1, seconds
    assert json.loads(reply.body)["error"]["message"], reply.body
    return seconds


def sit_out(seconds):
    begin = time.monotonic()
    wait_for(lambda: time.monotonic() - begin >= seconds, "the wait asked for", seconds + 5)


def main():
    with Product(daemons=("web",)) as box:
        set_up(box)
        assert log_in(box, PASSWORD).status == 200
        replies = [log_in(box, f"wrong password {n}") for n in range(10)]
        statuses = [r.status for r in replies]
        print(statuses)
        assert statuses[0] == 401 and statuses[-1] == 429, statuses
        assert statuses == sorted(statuses), f"it must not let another one through at once: {statuses}"
        first = wait_asked(replies[-1])
        assert log_in(box, PASSWORD).status == 429, "the right password does not jump the queue"
        sit_out(first)
        assert log_in(box, "another wrong password").status == 401
        second = wait_asked(log_in(box, PASSWORD))
        assert second > first or second >= 2, f"asked to wait {first} s, then {second} s"
        sit_out(second)
        assert log_in(box, PASSWORD).status == 200
        assert log_in(box, PASSWORD).status == 200, "a log-in takes the failures back"


if __name__ == "__main__":
    run(main)
