"""Nothing came while the receiver was stopped, and nothing came while it ran and nobody sent: the first is a gap in the
receive rate, as in the load, the second a zero."""

import datetime
import time

from azk import Product, numbered, run, wait_for

BEAT_S = 5


def text(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def points(box, step, since, until):
    """(begin, end, messages, is a gap) of each step."""
    rates = box.api("GET", f"/rates?step={step}&from={text(since)}&to={text(until)}")
    begins = [datetime.datetime.fromisoformat(p["at"].replace("Z", "+00:00")).timestamp() for p in rates["points"]]
    return [(at, at + step, p["total"], p["is_gap"]) for at, p in zip(begins, rates["points"])]


def wait_until(wall):
    wait_for(lambda: time.time() >= wall, "the scenario's time", every=0.05)


def samples_since(box, wall):
    """Samples since that show the receiver running."""
    return int(box.value(f"select count(*) from azekura.load_sample where step = {BEAT_S} and at >= to_timestamp({wall})"
                         " and mean[4] is not null"))


def main():
    with Product() as box:
        began = time.time()
        wait_for(lambda: samples_since(box, began) >= 3, "the receiver is measured, and nobody sends")
        sent = time.time()
        box.send_udp(numbered(100))
        box.wait_for_stored(100)
        wait_for(lambda: samples_since(box, sent) >= 2, "it is measured on")
        box.stop("receiver")
        off = time.time()
        wait_until(off + 5 * BEAT_S)
        on = time.time()
        box.start("receiver")
        box.send_udp(numbered(100))
        box.wait_for_stored(200)
        wait_for(lambda: samples_since(box, on + BEAT_S) >= 2, "the new receiver is measured")

        first = int(began) // BEAT_S * BEAT_S - 600
        seen = points(box, BEAT_S, first, time.time())
        print([(int(a - began), n, "gap" if gap else "") for a, _, n, gap in seen if a > began - 10])
        assert sum(n for _, _, n, _ in seen) == 200, seen
        assert all(not gap for _, _, n, gap in seen if n > 0), f"what came was counted: {seen}"
        assert all(gap for _, end, _, gap in seen if end < began - BEAT_S), f"before the box there is nothing: {seen}"
        away = [gap for at, end, _, gap in seen if at > off + BEAT_S and end < on]
        assert len(away) >= 2 and all(away), f"while the receiver is stopped there is a gap: {seen}"
        # the first sample of a keeper knows no difference yet, and the one in which the receiver stops is not whole
        quiet = [gap for at, end, _, gap in seen if at > began + 2 * BEAT_S and end < off - BEAT_S]
        assert quiet and not any(quiet), f"a receiver to which nobody sends is at zero: {seen}"

        minutes = points(box, 60, first, time.time())
        assert [gap for at, end, _, gap in minutes if at <= sent < end] == [False], minutes
        assert all(gap for _, end, _, gap in minutes if end < began - 60), minutes
        hours = points(box, 3600, time.time() - 86400, time.time())
        assert hours[0][3] and not hours[-1][3], f"of longer steps what ran in any part is known: {hours}"


if __name__ == "__main__":
    run(main)
