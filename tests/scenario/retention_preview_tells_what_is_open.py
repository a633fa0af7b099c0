#!/usr/bin/env python3
"""What came today is no deletion yet, but where only it is over a quota it goes some seconds after the rule is set: the
previews of API and command line tell it beforehand, and the receipt says the same."""

import datetime

from azk import Product, run, wait_for
from history import fill
from openapi import Contract

RULE = "/api/v1/retention"
UTC = datetime.timezone.utc
CAPACITY = 400_000_000
QUOTA = 0.1  # percent of 80 MB
MESSAGES = 20_000


def now_or_after_midnight():
    """All of the messages, a millisecond apart, are in the past and of today; an open piece is not split at the end of its day."""
    span = datetime.timedelta(milliseconds=MESSAGES)

    def at():
        now = datetime.datetime.now(UTC)
        ends = (now + datetime.timedelta(seconds=90)).date() != now.date()
        return now - span if not ends and (now - span).date() == now.date() else None

    return wait_for(at, "a time well within a day", 150)


def main():
    with Product({"storage.capacity_bytes": CAPACITY, "retention.over_budget": "warn"}) as box:
        api = Contract(box)
        operator, viewer = box.token("operator"), box.token("viewer")
        wish = {"name": "debug", "quota_percent": None, "members": ["192.0.2.0/24"]}
        assert api.call("POST", f"{RULE}/groups", token=operator, body=wish, expect=201) == {"id": 1}

        def previews(query=""):
            return {p["policy"]: p for p in api.call("GET", f"{RULE}/preview{query}", token=viewer)["previews"]}

        fill(box, [(now_or_after_midnight(), 1, MESSAGES), (now_or_after_midnight(), 0, 100)])
        size = int(box.value("select bytes from azekura.piece_size where name like 'log_block_g1_%' order by bytes desc limit 1"))
        assert size > CAPACITY // 5 * QUOTA / 100 + 100_000, size
        assert all(p["open"] == [] and p["deletions"] == [] for p in previews().values()), previews()
        api.call("PUT", f"{RULE}/groups/1", token=operator, body={**wish, "quota_percent": QUOTA})
        told = previews()
        for policy in ("trim", "shed"):
            p = told[policy]
            assert p["deletions"] == [] and p["messages"] == 0 and len(p["open"]) == 1, p
            gone = p["open"][0]
            assert (gone["group"], gone["reason"], gone["messages"], gone["bytes"]) == ("debug", "quota", MESSAGES, size), p
            assert gone["raw_bytes"] > MESSAGES * 20, p
        assert told["borrow"]["open"] == [] and told["warn"]["open"] == [], told
        today = f"{datetime.datetime.now(UTC):%Y-%m-%d}"
        request = api.call("POST", f"{RULE}/deletions/preview", token=viewer, body={"from": today, "to": today, "group": "debug"})
        assert request["open"] == [] and request["deletions"] == [], request
        shown = box.cli("retention", "preview", "--policy", "trim")
        assert "trim would remove now:" in shown and f"{today}, what came up to now, of group debug: 20,000 messages" in shown, shown
        assert "remove nothing now" in box.cli("retention", "preview", "--policy", "warn")
        asked = box.cli("retention", "set", "over_budget", "trim", check=False, stdin="no\n")
        assert asked.returncode == 1 and "what came up to now, of group debug: 20,000 messages" in asked.stdout, asked
        assert box.value("select count(*) from azekura.logs") == str(MESSAGES + 100)

        api.call("PUT", RULE, token=operator, body={"over_budget": "trim"})
        receipts = wait_for(lambda: api.call("GET", f"{RULE}/deletions", token=viewer)["entries"], "what was told goes")
        assert [(r["group"], r["reason"], r["messages"]) for r in receipts] == [("debug", "quota", MESSAGES)], receipts
        assert box.value("select count(*) from azekura.logs") == "100"
        wait_for(lambda: all(p["open"] == [] for p in previews().values()), "nothing more would go")


if __name__ == "__main__":
    run(main)
