"""A line sent by UDP or TCP is found by the command line, the API and SQL within two seconds."""

import json
import time

from azk import Product, run, wait_for, within


def found(box, word):
    """The one entry with this word, as each way to search gives it."""
    search = box.cli("search", "--format", "json", word, check=False)
    assert search.returncode in (0, 1), search.stderr  # 1: nothing found
    by_cli = [json.loads(line) for line in search.stdout.splitlines()]
    by_api = box.api("GET", f"/logs?query={word}")["entries"]
    return (by_cli, by_api) if by_cli and by_api else None


def check(box, send, listener, word):
    begin = time.monotonic()
    send([f"<163>Nov 30 12:34:56 fw01 link[77]: {word} down on port 7".encode()])
    by_cli, by_api = wait_for(lambda: found(box, word), f"{word} is found")
    seconds = time.monotonic() - begin
    print(f"{listener}: found after {seconds:.2f} s")
    assert seconds < within(2), f"{listener}: found only after {seconds:.2f} s"
    for entries in (by_cli, by_api):
        assert len(entries) == 1, entries
        entry = entries[0]
        wanted = {"facility": 20, "severity": 3, "hostname": "fw01", "app_name": "link", "procid": "77",
                  "message": f"{word} down on port 7", "listener": listener, "source": "127.0.0.1", "format": "rfc3164"}
        got = {name: entry[name] for name in wanted}
        assert got == wanted, got
    by_sql = box.psql(f"select facility, severity, hostname, host(source) from azekura.logs where message like '{word}%'")
    assert by_sql == [("20", "3", "fw01", "127.0.0.1")], by_sql


def main():
    with Product() as box:
        box.token()  # not part of the two seconds
        check(box, box.send_udp, "udp", "cedar")
        check(box, box.send_tcp, "tcp", "cypress")
        box.assert_ledger(sent=2)


if __name__ == "__main__":
    run(main)
