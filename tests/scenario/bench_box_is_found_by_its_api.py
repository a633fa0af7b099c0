"""The running product as a target: found by its API alone.  On this machine the benchmark sends from
addresses nobody else has; from another one it learns how the box sees it and is known for the time of the
run.  Its messages are counted apart; nothing of the box is killed."""

import os
import pathlib
import subprocess
import tempfile

from azk import Product, ScenarioFailure, Skipped, run, wait_for
from bench_target import RUN, Target, canaries, marked

N = 1000


def check(is_so, what):
    if not is_so:
        raise ScenarioFailure(what)


def options(box, token):
    return ["--api", f"http://127.0.0.1:{box.http_port}", "--token-file", token]


def takes_and_gives_back(t):
    t.ask(f"watch {RUN}")
    t.send_udp(marked(0, N))
    t.send_tcp(marked(1, N))
    t.send_udp(canaries(3))
    t.wait_for_visible(2 * N)
    wait_for(lambda: t.ask("found")["found"] >= 3, "canaries")
    t.ask("unwatch")
    tally = t.ask(f"read {RUN} 2 {N}")
    check((tally["found"], tally["missing"], tally["duplicated"]) == (2 * N, 0, 0), f"gave back {tally}")
    wait_for(lambda: t.ask("counters")["stored"] == 2 * N + 3, f"stored: {t.ask('counters')}")
    check(t.ask("search 600 seq")["entries"] == 100, "a search finds a page of messages")


def on_this_machine(box, token):
    with Target("box", options(box, token)) as t:
        check(t.facts["is_box"] and t.facts["is_local"], f"{t.facts}")
        check(t.facts["source_network"] == "127.66.0.0/16", f"{t.facts}")
        check(t.ask("pids")["syslog"] == [box.pid("receiver")], f"{t.ask('pids')}")
        check(t.ask("pids")["database"] == [box.cluster.process.pid], f"{t.ask('pids')}")
        takes_and_gives_back(t)
        sample = t.ask("sample")
        check(sample["cpu_syslog"] is not None and sample["database_bytes"] > 1 << 20, f"{sample}")
        check(t.try_ask("kill").get("code") == "in_service", "a box in service is killed")


def from_another_machine(box, token):
    """The bench sees another boot id, as on another machine; the box sees it at 127.0.0.1."""
    with tempfile.NamedTemporaryFile("w", suffix=".boot") as boot:
        boot.write("00000000-0000-4000-8000-000000000000\n")
        boot.flush()
        prefix = ["unshare", "--mount", "sh", "-c",
                  f'mount --bind {boot.name} /proc/sys/kernel/random/boot_id && exec "$@"', "sh"]
        if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
            raise Skipped("no file can be laid over another here")
        with Target("box", options(box, token), prefix=prefix) as t:
            check(not t.facts["is_local"] and t.facts["source_network"] == "", f"{t.facts}")
            takes_and_gives_back(t)
            check(t.ask("sample")["cpu_syslog"] is None, "it measures another machine's processes")
        gone = box.api("DELETE", "/bench/senders/127.0.0.1", expect=404)
        check(gone is not None, "the address is still known")


def no_month_counts_it(box):
    """Not even the probe that finds the bench's address."""
    told = box.api("GET", "/retention")
    check([m["messages"] for m in told["months"]] in ([], [0]), f"a month counts a benchmark: {told['months']}")
    check(told["benchmark"]["messages"] > 4 * N, f"the benchmark's own: {told['benchmark']}")


def a_viewer_is_told_before_anything_is_sent(box, folder):
    token = pathlib.Path(folder, "viewer")
    token.write_text(box.token("viewer") + "\n", encoding="ascii")
    before = box.api("GET", "/bench/messages")
    try:
        with Target("box", options(box, token)):
            raise ScenarioFailure("a viewer's token is accepted, and reading back will fail")
    except ScenarioFailure as failure:
        check("--role operator" in str(failure), f"{failure}")
    check(box.api("GET", "/bench/messages") == before, "something was sent")


def wrong_answers(box, token):
    bad = pathlib.Path(token).with_name("bad")
    bad.write_text("not-a-token\n", encoding="ascii")
    for extra, word in ((["--token-file", bad], "401"), (["--api", "http://127.0.0.1:1"], "onnect"),
                        (["--api", "ftp://x"], "not the address of a box"), (["--syslog", "nowhere"], "HOST:PORT")):
        try:
            with Target("box", options(box, token) + extra):
                raise ScenarioFailure(f"{extra} is accepted")
        except ScenarioFailure as failure:
            check(word in str(failure), f"{extra}: {failure}")


def main():
    with Product() as box, tempfile.TemporaryDirectory() as folder:
        token = os.path.join(folder, "token")
        pathlib.Path(token).write_text(box.token("admin") + "\n", encoding="ascii")
        on_this_machine(box, token)
        wrong_answers(box, token)
        a_viewer_is_told_before_anything_is_sent(box, folder)
        from_another_machine(box, token)
        no_month_counts_it(box)


if __name__ == "__main__":
    run(main)
