"""A box in service gets settings of sources and the extension of this version: what was stored stays as it is, sources heard before are not
new, and messages from before are decoded when it is asked for."""

import re
import shutil
import subprocess

from azk import DAEMONS, SOURCE, Product, run, wait_for
from cluster import TEST_PROGRAMS

LAST = "0012"  # migration of the version before
WRONG = [f"<13>Mar 10 12:00:07 sw1 app: ポート{i}の障害".encode("cp932") for i in range(200)]


def be_of_version_0_1(box):
    """The extension is made as the newest one that there is: without what came after 0.1."""
    first = (SOURCE / "sql" / "extension" / "azekura--0.1.sql").read_text(encoding="utf-8")
    names = ",".join(sorted(set(re.findall(r"create function azekura[.](\w+)", first))))
    for (function,) in box.psql(f"""select p.oid::regprocedure from pg_depend d join pg_proc p on p.oid = d.objid and d.classid = 'pg_proc'::regclass
            join pg_extension e on e.oid = d.refobjid and d.refclassid = 'pg_extension'::regclass
            where e.extname = 'azekura' and p.proname <> all ('{{{names}}}')"""):
        box.psql(f"alter extension azekura drop function {function}")
        box.psql(f"drop function {function}")
    box.psql("update pg_extension set extversion = '0.1' where extname = 'azekura'")


def fill(box):
    lines = ["@at 2026-03-10T12:00:00Z", "@step 1000", "@per-block 50", "@source 127.0.0.3", *(f"@hex {m.hex()}" for m in WRONG)]
    made = subprocess.run([TEST_PROGRAMS / "make_blocks"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    blocks = box.state / "blocks.copy"
    blocks.write_text(made.stdout, encoding="ascii")
    blocks.chmod(0o644)
    box.psql("select azekura.ensure_partition('2026-03-10 12:00Z')")
    box.psql(f"copy azekura.log_block from '{blocks}'")
    box.psql(f"update azekura.day_partition set messages = {len(WRONG)}")
    box.psql(f"""select azekura.count_unit('{{2026-03-10 12:00Z}}', '{{udp}}', '{{127.0.0.3}}', '{{{len(WRONG)}}}', '{{{len(WRONG)}}}', '{{9000}}', '{{0}}',
        array_fill(0, array[8])::bigint[])""")


def main():
    box = Product(daemons=())
    migrations = box.program / "sql" / "migrations"
    later = [m for m in sorted(migrations.iterdir()) if m.name[:4] > LAST]
    assert len(later) >= 4, later
    for path in later:
        path.unlink()
    with box:
        be_of_version_0_1(box)
        fill(box)
        logs = "select l.*, encode(azekura.raw(id), 'hex') from azekura.logs l order by id"
        before = box.psql(logs)
        assert len(before) == len(WRONG)
        for path in later:
            shutil.copy(SOURCE / "sql" / "migrations" / path.name, migrations)
        box.cli("migrate")
        assert box.value("select extversion from pg_extension where extname = 'azekura'") == "0.2"
        assert box.psql(logs) == before, "what was stored is as it was"
        box.cli("migrate")
        for name in DAEMONS:
            box.start(name)
        source = box.api("GET", "/sources/127.0.0.3", role="viewer")
        assert not source["is_new"] and source["setting"] is None and source["messages"] == len(WRONG), source
        box.api("PUT", "/sources/settings/127.0.0.0%2F8", {"charset": "Shift_JIS"})
        box.api("POST", "/sources/reparse", {"network": "127.0.0.3", "to": "2026-11-01T00:00:00Z"}, expect=202)
        wait_for(lambda: box.api("GET", "/sources/reparse")["requests"][0]["state"] == "done", "messages of the version before are parsed again")
        assert len(box.api("GET", "/logs?limit=1000&query=%E9%9A%9C%E5%AE%B3")["entries"]) == len(WRONG), "they are found by a Japanese word"
        assert [row[-1] for row in box.psql(logs)] == [row[-1] for row in before], "their bytes are as they were"


if __name__ == "__main__":
    run(main)
