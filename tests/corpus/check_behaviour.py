"""Each case of cases.jsonl that tells its behaviour in words stands in behaviour.json: under "shown" with the tests that
show it, or under "not_shown" with what is missing.  Fails where a case is in neither or in both, or a test is not there."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def faults():
    lines = (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    told = {c["id"] for c in map(json.loads, filter(str.strip, lines)) if "behaviour" in c["expect"]}
    table = json.loads((HERE / "behaviour.json").read_text(encoding="utf-8"))
    shown, missing = table["shown"], table["not_shown"]
    yield from (f"{name}: not in behaviour.json" for name in sorted(told - shown.keys() - missing.keys()))
    yield from (f"{name}: tells no behaviour in cases.jsonl" for name in sorted((shown.keys() | missing.keys()) - told))
    yield from (f"{name}: both shown and not shown" for name in sorted(shown.keys() & missing.keys()))
    yield from (f"{name}: does not say what is missing" for name, why in missing.items() if not why)
    for name, tests in shown.items():
        if not tests:
            yield f"{name}: no test is named"
        for test in tests:
            if not (HERE.parent / test["test"]).is_file():
                yield f"{name}: there is no test {test['test']}"
            if not test["where"]:
                yield f"{name}: it is not said where in {test['test']}"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or "every case has its test or says what is missing")
    sys.exit(1 if found else 0)
