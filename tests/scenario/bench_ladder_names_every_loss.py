"""A ladder against a receiver that drops every 1,000th message and stores every 5,000th twice: the report names the
same messages, to the number, as the receiver wrote down while it did it."""

import collections

from bench import run_bench, samples_of

RATES = (2_000, 4_000)
SECONDS = 3


def numbers(ranges):
    return {(r["stream"], n) for r in ranges for n in range(r["from"], r["to"] + 1)}


def faults_of(folder, run):
    """What the receiver wrote down of a run: {"drop": {(stream, number)…}, "duplicate": …}."""
    found = collections.defaultdict(set)
    for line in (folder / "sink-drop=1000+duplicate=5000" / "faults").read_text(encoding="ascii").splitlines():
        what, mark = line.split(" ", 1)
        if mark.startswith(run):
            _, stream, number = mark.split("-")
            found[what].add((int(stream), int(number)))
    return found


def check(trial, folder, runs):
    stages, sequence = trial["stages"], trial["sequence"]
    sent = stages["sent"]
    missing, doubled = numbers(sequence["missing_ranges"]), numbers(sequence["duplicated_ranges"])
    faults = next(f for f in runs if f["drop"] <= missing and f["duplicate"] == doubled)
    runs.remove(faults)
    # what the kernel dropped before the receiver is a loss too, counted by the socket
    assert len(missing) == len(faults["drop"]) + stages["kernel_dropped"], (trial, faults)
    assert sequence["missing"] == len(missing) and sequence["duplicated"] == len(doubled), sequence
    assert sequence["found"] == sent - len(missing) and sequence["unexpected"] == 0, (sent, sequence)
    assert abs(trial["loss_percent"] - 100 * len(missing) / sent) < 1e-9, trial
    assert len(faults["drop"]) in (sent // 1000, sent // 1000 + 1), (sent, faults["drop"])
    assert len(faults["duplicate"]) in (sent // 5000, sent // 5000 + 1), (sent, faults["duplicate"])
    # a receiver that forgets does not count what it forgot: the ledger shows it as having no place
    last = samples_of(folder, trial["number"])[-1]
    assert int(last["sent"]) <= sent and float(last["at_s"]) >= SECONDS, last


def main():
    with run_bench("ladder", "--target", "sink:drop=1000+duplicate=5000", "--rates",
                   ",".join(map(str, RATES)), "--time", SECONDS) as done:
        assert done.code == 1, done
        report = done.report
        assert report["state"] == "complete" and report["verdict"] in ("fail", "invalid"), report["verdict"]
        assert [t["load"]["rate"] for t in report["trials"]] == list(RATES), report["trials"]
        lines = (done.folder / "sink-drop=1000+duplicate=5000" / "faults").read_text(encoding="ascii").split()[1::2]
        runs = [faults_of(done.folder, run) for run in sorted({m.split("-")[0] for m in lines})]
        assert len(runs) == len(RATES), lines
        for trial in report["trials"]:
            check(trial, done.folder, runs)
        done.assert_nothing_left()


if __name__ == "__main__":
    main()
