"""Each target of a benchmark is started, takes messages by UDP and TCP on every port, gives exactly these
back, comes again after its process was killed, and leaves nothing."""

import concurrent.futures

from azk import ScenarioFailure, run, wait_for
from bench_target import AGAIN, PEERS, RUN, Target, canaries, marked, processes_of

N = 1000
KEPT = (".log", ".conf", ".lock")  # in its folder, for who reads the results
PORTS = {"azekura": 1, "syslog-ng:maxperf": 4, "syslog-ng:distro": 1, "rsyslog:file": 4, "rsyslog:pgsql": 4,
         "sink:store": 4}


def check(is_so, what):
    if not is_so:
        raise ScenarioFailure(what)


def takes_and_gives_back(t, name):
    ports = len(t.facts["tcp"])
    check(ports == PORTS[name], f"{name} has {ports} TCP ports")
    t.ask(f"watch {RUN}")
    t.send_udp(marked(0, N))
    for port in range(ports):
        t.send_tcp(marked(1 + port, N), port)
    t.send_udp(canaries(5))
    t.wait_for_visible(N * (1 + ports))
    wait_for(lambda: t.ask("found")["found"] >= 5, f"canaries in {name}")
    t.ask("unwatch")
    tally = t.ask(f"read {RUN} {1 + ports} {N}")
    wanted = {"found": N * (1 + ports), "missing": 0, "duplicated": 0, "unexpected": 0}
    check({k: tally[k] for k in wanted} == wanted, f"{name} gave back {tally}")
    check(t.ask("counters")["kernel_dropped"] == 0, f"{name}: the kernel dropped messages")
    wait_for(lambda: t.ask("counters")["stored"] == N * (1 + ports) + 5, f"{name} counts what it stored")
    if name.startswith("syslog-ng"):
        counters = t.ask("counters")
        check((counters["received"], counters["refused"]) == (N * (1 + ports) + 5, 0), f"{name} counts {counters}")


def comes_again_after_it_was_killed(t, name):
    before = t.ask("pids")["syslog"]
    t.ask("forget")
    t.ask("kill")
    after = t.ask("pids")["syslog"]
    check(before != after and after, f"{name}: killed {before}, now {after}")
    t.send_udp(marked(9, N, run=AGAIN))
    t.wait_for_visible(N, AGAIN)


def one(name):
    with Target(name) as t:
        word = t.folder.name
        check(t.facts["receive_buffer_bytes"] > 0, f"{name} does not tell its receive buffer")
        takes_and_gives_back(t, name)
        comes_again_after_it_was_killed(t, name)
        sample = t.ask("sample")
        check(sample["syslog_bytes"] > 1 << 20, f"{name}: {sample}")
        t.process.stdin.close()
        t.process.wait(60)
        left = sorted(p.name for p in t.dir.iterdir() if p.suffix not in KEPT and p.name != "faults")
        check(not left, f"{name} left {left} in its folder")
        check(not processes_of(word), f"{name} left processes: {processes_of(word)}")
    print(f"{name}: {t.facts['product']} {t.facts['version']}")


def main():
    check((PEERS / "usr" / "sbin" / "rsyslogd").exists(),
          f"other collectors are not in {PEERS}: packaging/test.sh fetches them (azekura-bench peers fetch --peers {PEERS})")
    # they mostly wait
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(one, PORTS))


if __name__ == "__main__":
    run(main)
