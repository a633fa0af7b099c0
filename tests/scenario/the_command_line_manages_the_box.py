"""`azekura`: accounts, tokens, settings, search in its formats, the ledger, verify; and exit codes that mean something."""

import json
import os
import subprocess

from azk import Product, run, wait_for

PASSWORD = "correct horse battery"


def fails(box, expect, said, *args, stdin=None):
    result = box.cli(*args, check=False, stdin=stdin)
    assert result.returncode == expect, f"{args}: exit {result.returncode}: {result.stderr}"
    assert said in result.stderr, f"{args}: {result.stderr}"
    assert result.stdout == "", f"{args}: {result.stdout}"


def accounts(box):
    code = box.cli("setup-code").strip()
    assert len(code) == 19 and code.count("-") == 3, code
    fails(box, 2, "the first account must be an admin", "user", "add", "eve", "--role", "viewer", stdin=f"{PASSWORD}\n")
    fails(box, 2, "10 to 256 bytes", "user", "add", "root", stdin="short\n")
    box.cli("user", "add", "root", stdin=f"{PASSWORD}\n")
    box.cli("user", "add", "bob", stdin=f"{PASSWORD}\n")
    fails(box, 1, "there is an account bob already", "user", "add", "bob", stdin=f"{PASSWORD}\n")
    rows = [line.split()[:2] for line in box.cli("user", "list").splitlines()[1:]]
    assert sorted(rows) == [["bob", "viewer"], ["root", "admin"]], rows
    box.api("POST", "/session", {"name": "bob", "password": PASSWORD}, role=None)
    box.cli("user", "password", "bob", stdin="another good one\n")
    box.api("POST", "/session", {"name": "bob", "password": "another good one"}, role=None)
    fails(box, 1, "last admin", "user", "remove", "root")
    fails(box, 1, "nobody", "user", "remove", "nobody")
    box.cli("user", "remove", "bob")
    fails(box, 1, "already", "setup-code")


def closed_output(box):
    """Nothing printed ends up in the connection to the database."""
    command = [box.program / "bin" / "azekura", "--config", box.config_file]
    for arguments in ("config list", "ledger", "status"):
        result = subprocess.run(["sh", "-c", f'"$@" {arguments} >&-', "sh", *command], env={**os.environ, "PGUSER": "postgres"},
                                capture_output=True, text=True, check=False)
        assert result.returncode == 1 and "cannot write the whole output" in result.stderr, (arguments, result)


def tokens(box):
    token = box.cli("token", "create", "--role", "viewer", "--name", "grafana")
    assert token.startswith("azk_") and token.count("\n") == 1, token
    fails(box, 1, "there is a token grafana already", "token", "create", "--role", "viewer", "--name", "grafana")
    assert "grafana" in box.cli("token", "list")
    headers = {"Authorization": f"Bearer {token.strip()}"}
    assert box.request("GET", "/api/v1/logs", headers=headers).status == 200
    box.cli("token", "remove", "grafana")
    assert box.request("GET", "/api/v1/logs", headers=headers).status == 401


def settings(box):
    assert box.cli("config", "get", "store.flush_ms") == "1000\n"
    fails(box, 2, '"5" is out of 10..60000', "config", "set", "store.flush_ms", "5")
    fails(box, 2, 'did you mean "store.flush_ms"', "config", "set", "stor.flush_ms", "50")
    fails(box, 2, "set it in", "config", "set", "listen.http", "0.0.0.0:1")
    box.cli("config", "set", "store.flush_ms", "50")
    assert "store.flush_ms = 50 ms  # database, default 1000" in box.cli("config", "diff")
    box.cli("config", "reset", "store.flush_ms")
    assert box.cli("config", "get", "store.flush_ms") == "1000\n"
    assert "store.flush_ms" not in box.cli("config", "diff")


def search(box):
    sent = [f"<163>Nov 30 12:34:56 fw-{i % 4} link[7]: cedar {i} \x1b[2J\tend".encode() for i in range(250)]
    box.send_tcp(sent)
    box.wait_for_stored(250)
    lines = box.cli("search", "cedar").splitlines()
    assert len(lines) == 100 and all("\\x1b[2J\\tend" in line and "\x1b" not in line for line in lines), lines[:2]
    everything = [json.loads(x) for x in box.cli("search", "--format=json", "--limit", "all", "cedar").splitlines()]
    assert len(everything) == 250
    assert [e["message"].split()[1] for e in everything] == [str(i) for i in range(249, -1, -1)]
    oldest = json.loads(box.cli("search", "cedar", "--order", "asc", "--limit", "1", "--format", "json"))
    assert oldest["message"].startswith("cedar 0 "), oldest
    raw = box.cli("search", "--format", "raw", "--limit", "2", "--order", "asc", "cedar")
    assert raw.encode() == sent[0] + b"\n" + sent[1] + b"\n", raw
    assert len(box.cli("search", "cedar", "hostname:fw-1", "-13", "--limit", "1000").splitlines()) == 62
    assert len(box.cli("search", "link[7]: cedar 249").splitlines()) == 1
    assert len(box.cli("search", "--from", "-1h", "--to", "now", "severity:err", "cedar").splitlines()) == 100
    nothing = box.cli("search", "--to", "-1h", "cedar", check=False)
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (1, "", ""), nothing
    fails(box, 2, "did you mean hostname; to search for this text put it into quotes\n  a hostnme:x\n    ^^^^^^^\n",
          "search", "a hostnme:x")
    fails(box, 2, "--limit 0", "search", "--limit", "0", "x")
    fails(box, 2, "--from: \"soon\" is not a time", "search", "--from", "soon", "x")
    fails(box, 2, "unknown option --frm", "search", "--frm", "-1h", "x")


def search_pages(box):
    """More than one page of the database's search, each message once."""
    box.send_tcp(f"<14>Nov 30 12:34:56 host app: birch number {i}".encode() for i in range(25000))
    box.wait_for_stored(25250)
    for order in ("asc", "desc"):
        text = box.cli("search", "--format", "json", "--limit", "all", "--order", order, "birch")
        numbers = [int(json.loads(line)["message"].split()[2]) for line in text.splitlines()]
        assert numbers == sorted(range(25000), reverse=order == "desc"), (order, len(numbers))
    assert len(box.cli("search", "--limit", "20001", "birch").splitlines()) == 20001


def ledger_and_verify(box):
    ledger = box.cli("ledger")
    all_row = next(line for line in ledger.splitlines() if line.startswith("all"))
    assert all_row.split()[2:5] == ["25,250", "25,250", "0"], ledger
    assert "all sound" in box.cli("verify")
    wait_for(lambda: "runs since" in box.cli("status", check=False).stdout, "the receiver has reported")
    box.cli("status")
    # one byte of one block
    box.psql("""update azekura.log_block set message = set_byte(message, length(message) / 2,
                    get_byte(message, length(message) / 2) # 1)
                 where ctid = (select ctid from azekura.log_block limit 1)""")
    result = box.cli("verify", check=False)
    assert result.returncode == 1 and result.stdout.count("damaged: block of ") == 1, result
    box.allow_errors("verif|damaged")


def without_a_database(box):
    for name in ("web", "keeper", "receiver"):
        box.stop(name)
    box.cluster.halt()
    for args in (["status"], ["search", "x"], ["migrate"], ["user", "list"], ["ledger"], ["verify"]):
        fails(box, 3, "the database is away", *args)


def main():
    with Product() as box:
        accounts(box)
        tokens(box)
        settings(box)
        search(box)
        search_pages(box)
        closed_output(box)
        ledger_and_verify(box)
        without_a_database(box)


if __name__ == "__main__":
    run(main)
