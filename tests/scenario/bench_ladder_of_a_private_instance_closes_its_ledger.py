"""A short ladder on a private instance, that starts and ends with the run: what was sent is stored, found and visible,
the ledger closes with nothing unaccounted for, the delay is measured, and nothing is left."""

from bench import run_bench, samples_of

RATES = (500, 1_500)
SECONDS = 3


def check(trial, folder):
    stages, sequence = trial["stages"], trial["sequence"]
    sent = stages["sent"]
    # a machine that is very busy sends less, and says so; what it sent must be there
    assert 0 < sent <= trial["load"]["rate"] * SECONDS + 10 * SECONDS + 10, trial
    assert stages["unaccounted"] == 0, stages
    assert stages["kernel_dropped"] == 0 and stages["refused"] == 0 and stages["queued"] == 0, stages
    assert sent == stages["stored"] == stages["visible"] == sequence["found"], (stages, sequence)
    assert sequence["missing"] == sequence["duplicated"] == sequence["unexpected"] == 0, sequence
    assert trial["loss_percent"] == 0, trial
    latency = trial["latency_us"]
    assert latency["n"] > 0 and latency["lost"] == 0, latency
    assert 0 < latency["p50"] <= latency["p99"] <= latency["max"], latency
    assert trial["cpu"]["syslog"]["mean"] > 0 and trial["cpu"]["database"]["mean"] >= 0, trial["cpu"]
    assert trial["memory_bytes"]["syslog"] > 1_000_000, trial
    rows = samples_of(folder, trial["number"])
    assert len(rows) >= 2, rows
    for before, after in zip(rows, rows[1:]):
        for name in ("at_s", "scheduled", "sent", "received", "stored"):
            assert float(before[name]) <= float(after[name]), (name, before, after)


def main():
    with run_bench("ladder", "--target", "azekura", "--rates", ",".join(map(str, RATES)), "--time", SECONDS,
                   "--quiet") as done:
        assert done.code in (0, 1) and done.output == "", done
        report = done.report
        assert report["state"] == "complete" and report["verdict"] in ("pass", "invalid"), report["verdict"]
        assert (done.code == 0) == (report["verdict"] == "pass"), (done.code, report["verdict"])
        assert report["targets"][0]["product"] == "Azekura" and not report["targets"][0]["is_box"], report["targets"]
        assert len(report["trials"]) == len(RATES), report["trials"]
        for trial in report["trials"]:
            check(trial, done.folder)
        assert done.status()["state"] == "complete" and done.status()["progress_percent"] == 100, done.status()
        done.assert_nothing_left()


if __name__ == "__main__":
    main()
