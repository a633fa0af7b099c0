"""Ten wrong passwords: after some the box asks to wait, longer each time; the right password works after it."""

import json
import time

from azk import Product, run, wait_for

PASSWORD = "a right password"
FREE_TRIES = 5  # then the wait is 1 s, and twice that after each further one


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


class Tries:
    """Wrong passwords, each checked to be let through no earlier than it may.  A wait counts from the begin of the
    failed try before it, so that also a slow machine cannot make a right answer look wrong."""

    def __init__(self, box):
        self.box = box
        self.begun = []  # when those that were let through began

    def wrong(self):
        began = time.monotonic()
        reply = log_in(self.box, f"wrong password {began}")
        assert reply.status in (401, 429), reply.status
        if reply.status == 401:
            over = len(self.begun) - FREE_TRIES
            if over >= 0:
                since = time.monotonic() - self.begun[-1]
                assert since >= 2 ** over, f"try {len(self.begun) + 1} was let through after {since:.3f} s"
            self.begun.append(began)
        return reply

    def until_refused(self):
        while (reply := self.wrong()).status == 401:
            pass
        return reply


def main():
    with Product(daemons=("web",)) as box:
        set_up(box)
        assert log_in(box, PASSWORD).status == 200
        tries = Tries(box)
        statuses = [tries.wrong().status for _ in range(10)]
        print(statuses)
        assert statuses[:FREE_TRIES] == [401] * FREE_TRIES and 429 in statuses, statuses
        asked = []
        for _ in range(2):
            asked.append(wait_asked(tries.until_refused()))
            sit_out(asked[-1])
            assert tries.wrong().status == 401
        reply = log_in(box, PASSWORD)
        assert reply.status == 429, "the right password does not jump the queue"
        asked.append(wait_asked(reply))
        assert asked[-1] > asked[0], f"asked to wait {asked} s"
        sit_out(asked[-1])
        assert log_in(box, PASSWORD).status == 200
        assert log_in(box, PASSWORD).status == 200, "a log-in takes the failures back"


if __name__ == "__main__":
    run(main)
