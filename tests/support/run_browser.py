"""Run a browser test: the whole product on free ports, then node with the test file.

    run_browser.py tests/browser/console.mjs

The test finds in its environment AZK_URL, AZK_SETUP_CODE, AZK_UDP_PORT, AZK_TCP_PORT and AZK_WEBUI (where
node's modules are).  It may ask for what only this side can do by writing a line to standard output, and
reads one line of JSON in reply from standard input:

    ::stop web          ::start web         ::kill receiver
    ::database stop     ::database start
    ::token viewer      ::allow PATTERN     (error lines in the logs that are part of the test)
    ::user NAME ROLE PASSWORD
    ::days N MESSAGES   (so many in each of the last N days, in each source group; replies the days, UTC)
    ::today GROUP MESSAGES   (so many that came today up to now, in the source group of this id)
    ::doubt             (the clock is doubted as after a jump of 30 days)
    ::issue NAME USAGE  (a certificate of a test authority for serverAuth or clientAuth: {certificate, key, authority})
    ::sign CSR          (JSON text of a request for a certificate; replies the certificate)
    ::pkcs12 NAME PASSWORD   (a new certificate and key for a server in a file, as base64)

Everything else it writes is passed on.
"""

import base64
import contextlib
import datetime
import json
import os
import subprocess
import sys

from authority import Authority
from azk import Product, ScenarioFailure, run, wait_for
from cluster import SOURCE
from history import fill

WEBUI = SOURCE / "webui"
TEST_S = 540


def fill_days(box, days, messages):
    """Messages at nine in the morning of each of the last days, in every source group."""
    today = datetime.datetime.now(datetime.timezone.utc).replace(hour=9, minute=0, second=0, microsecond=0)
    groups = [int(row[0]) for row in box.psql("select id from azekura.source_group where retired_at is null order by 1")]
    past = [today - datetime.timedelta(days=back) for back in range(days, 0, -1)]
    fill(box, [(at, group, messages) for at in past for group in groups])
    return [f"{at:%Y-%m-%d}" for at in past]


def fill_today(box, group, messages):
    """Messages a millisecond apart, the last of them now; from midnight on where the day is younger than that."""
    now = datetime.datetime.now(datetime.timezone.utc)
    fill(box, [(max(now - datetime.timedelta(milliseconds=messages), now.replace(hour=0, minute=0, second=0, microsecond=0)), group, messages)])


def doubt_the_clock(box):
    """As the keeper leaves it after a jump: a month between what was and what is."""
    wait_for(lambda: box.psql("select 1 from azekura.retention_clock"), "the keeper has looked at the clock")
    box.psql("update azekura.retention_clock set doubted_since = now(), doubted_from = now() - interval '30 days', doubted_to = now()")


def certify(authority, verb, what):
    """Certificates, by an authority that nobody knows before."""
    if verb == "sign":
        return authority.sign(json.loads(what))
    name, _, detail = what.partition(" ")
    if verb == "pkcs12":
        return base64.b64encode(authority.pkcs12(*authority.issue(name), detail)).decode("ascii")
    certificate, key = authority.issue(name, usage=detail)
    return {"certificate": certificate, "key": key, "authority": authority.pem}


def obey(box, authority, command):
    """Do what a line asks for; what to reply."""
    verb, _, what = command.partition(" ")
    if verb in ("issue", "sign", "pkcs12"):
        return certify(authority, verb, what)
    if verb == "stop":
        box.stop(what)
    elif verb == "start":
        box.start(what)
    elif verb == "kill":
        box.kill(what)
    elif verb == "database":
        box.cluster.halt() if what == "stop" else box.cluster.start()
    elif verb == "token":
        return box.token(what)
    elif verb == "user":
        name, role, password = what.split(" ", 2)
        box.cli("user", "add", name, "--role", role, stdin=f"{password}\n")
    elif verb == "days":
        days, messages = what.split()
        return fill_days(box, int(days), int(messages))
    elif verb == "today":
        fill_today(box, *map(int, what.split()))
    elif verb == "doubt":
        doubt_the_clock(box)
    elif verb == "allow":
        box.allow_errors(what)
    else:
        raise ScenarioFailure(f"the browser test asks for something unknown: {command}")
    return True


def check_prepared():
    """node's modules must be there; the pages are built when their sources are newer."""
    if not (WEBUI / "node_modules" / "playwright-core").is_dir():
        raise ScenarioFailure("webui/node_modules is missing: run `npm ci` in webui")
    built = WEBUI / "dist" / "index.html"
    sources = [p for folder in ("src", "public") for p in (WEBUI / folder).rglob("*") if p.is_file()]
    sources += [WEBUI / "index.html", WEBUI / "vite.config.ts", WEBUI / "package-lock.json"]
    if not built.exists() or built.stat().st_mtime < max(p.stat().st_mtime for p in sources):
        subprocess.run(["npm", "run", "--silent", "build"], cwd=WEBUI, check=True, timeout=TEST_S)


def drive(box, test):
    env = os.environ | {
        "AZK_URL": f"http://127.0.0.1:{box.http_port}",
        "AZK_SETUP_CODE": box.cli("setup-code").split()[-1],
        "AZK_UDP_PORT": str(box.address("udp")[1]),
        "AZK_TCP_PORT": str(box.address("tcp")[1]),
        "AZK_WEBUI": str(WEBUI),
    }
    with contextlib.ExitStack() as held:
        node = held.enter_context(subprocess.Popen(["node", test], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        authority = held.enter_context(Authority())
        try:
            for line in node.stdout:
                if line.startswith("::"):
                    node.stdin.write(json.dumps(obey(box, authority, line[2:].strip())) + "\n")
                    node.stdin.flush()
                else:
                    print(line, end="", flush=True)
            code = node.wait(TEST_S)
        finally:
            if node.poll() is None:
                node.kill()
    if code != 0:
        raise ScenarioFailure(f"{test} ended with {code}")


def main():
    check_prepared()
    with Product() as box:
        drive(box, sys.argv[1])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: run_browser.py TEST.mjs")
    run(main)
