"""All rings of the load are full: every range from 15 minutes to two years is answered within a second, mean and maximum are
those of the samples, and what the rings take is bounded."""

import datetime
import time

from azk import Product, run, wait_for, within

METRICS = 37
# every slot of every ring, as the keeper would have filled it: value of metric i at time t is (t / 900) % 100 + i
FILL = """
insert into azekura.load_sample (step, slot, at, n, mean, max)
select r.step, e / r.step % r.slots, to_timestamp(e), r.step / 5,
       (select array_agg((e / 900 % 100 + i)::real order by i) from generate_series(1, {metrics}) i),
       case when r.step > 5 then (select array_agg((e / 900 % 100 + i + 1000)::real order by i) from generate_series(1, {metrics}) i) end
  from azekura.load_rings() r,
       lateral generate_series((extract(epoch from now())::bigint / r.step - r.slots) * r.step,
                               (extract(epoch from now())::bigint / r.step - 1) * r.step, r.step) e
on conflict (step, slot) do update set at = excluded.at, n = excluded.n, mean = excluded.mean, max = excluded.max
"""
RANGES = {"15 minutes": 900, "1 hour": 3600, "6 hours": 21600, "1 day": 86400, "2 days": 2 * 86400, "1 week": 7 * 86400,
          "30 days": 30 * 86400, "60 days": 60 * 86400, "90 days": 90 * 86400, "180 days": 180 * 86400, "1 year": 365 * 86400,
          "2 years": 730 * 86400}
LONGEST_S = 1.0


def time_text(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def ask(box, query):
    begin = time.monotonic()
    load = box.api("GET", f"/load?{query}")
    return load, time.monotonic() - begin


def best_of(box, query, tries=3):
    """The answer and the shortest of a few tries: other work on the machine is not what is measured."""
    answers = [ask(box, query) for _ in range(tries)]
    return answers[0][0], min(took for _, took in answers)


def check(load, now):
    """Full, and what FILL put there, averaged over the step."""
    step_s = load["step_us"] // 1_000_000
    first = int(datetime.datetime.fromisoformat(load["from"].replace("Z", "+00:00")).timestamp())
    ring_s = max(r for r in (5, 60, 900, 21600) if r <= step_s)
    for i in range(1, load["n"] - 2):  # the ends are cut
        begin = first + i * step_s
        if begin + step_s > now - 21600 and step_s >= 900:
            break  # the longer rings end a step before now
        quarters = [at // 900 % 100 for at in range(begin, begin + step_s, ring_s)]
        mean = load["series"][1]["mean"][i]
        assert mean is not None, f"step {step_s}: a gap at {i} of {load['n']}"
        expected = sum(quarters) / len(quarters) + 2
        assert abs(mean - expected) < 1e-4, f"step {step_s}, point {i}: {mean}, expected {expected}"


def main():
    with Product(daemons=("web",)) as box:
        now = int(time.time())
        box.psql(FILL.format(metrics=METRICS))
        box.psql("analyze azekura.load_sample")
        rows = {int(step): int(n) for step, n in box.psql("select step, count(*) from azekura.load_sample group by 1")}
        assert rows == {5: 34560, 60: 86400, 900: 70272, 21600: 2928}, rows
        size = int(box.value("select pg_total_relation_size('azekura.load_sample')"))
        print(f"full rings take {size / 1e6:.0f} MB")
        assert size < 130e6
        wait_for(lambda: box.request("GET", "/healthz").status == 200, "the console has its database")
        for name, span in RANGES.items():
            load, took = best_of(box, f"from={time_text(now - span)}&to={time_text(now)}")
            print(f"{name:10}: {load['n']} points of {load['step_us'] // 1_000_000} s, all metrics, {took:.3f} s")
            assert took < within(LONGEST_S), f"{name}: {took:.2f} s"
            check(load, now)
        few = "&metrics=load5,cpu_syslog,cpu_database"
        _, took = best_of(box, f"from={time_text(now - 730 * 86400)}&to={time_text(now)}{few}")
        print(f"2 years, three metrics: {took:.3f} s")


if __name__ == "__main__":
    run(main)
