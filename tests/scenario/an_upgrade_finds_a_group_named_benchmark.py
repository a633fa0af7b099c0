"""A box in service gets the benchmark's group: what is stored stays, is searched, split and dropped as before; a group that
people had named benchmark has another name, and keeps everything but the benchmark's own network."""

import pathlib
import subprocess
import tempfile

from azk import ScenarioFailure, run
from cluster import SOURCE, TEST_PROGRAMS, Cluster, PsqlError

GROUP = 31
BLOCKS = f"""@per-block 100
@at 2026-03-10T12:00:00.000000Z
@repeat 1000 <13>Mar 10 12:00:00 h0 p: default %d
@group {GROUP}
@seq 10001
@at 2026-03-10T12:00:00.000000Z
@repeat 500 <13>Mar 10 12:00:00 h1 p: mine %d
"""


def fill(db, tmp):
    """As a box of the version before has it: 31 groups, as many as there could be, and messages."""
    made = subprocess.run([TEST_PROGRAMS / "make_blocks"], input=BLOCKS, capture_output=True, text=True, check=True)
    blocks = pathlib.Path(tmp, "blocks.copy")
    blocks.write_text(made.stdout, encoding="ascii")
    blocks.chmod(0o644)
    db.psql("insert into azekura.source_group (id, name) select i, 'group no ' || i from generate_series(1, 30) i")
    db.psql(f"insert into azekura.source_group (id, name, quota_percent, keep_days) values ({GROUP}, 'benchmark', 5, 90)")
    db.psql("update azekura.source_group set name = 'benchmark (2)' where id = 7")
    db.psql(f"insert into azekura.source_group_member values ('127.66.0.0/16', {GROUP}), ('127.66.1.0/24', 3),"
            f" ('127.0.0.0/8', 4), ('192.0.2.0/24', {GROUP})")
    for group in (0, GROUP):
        db.psql(f"select azekura.ensure_partition('2026-03-10 12:00Z', 'UTC', {group}::smallint)")
    db.psql(f"copy azekura.log_block from '{blocks}'")
    db.psql("update azekura.day_partition d set messages = case source_group when 0 then 1000 else 500 end")
    db.psql("""select azekura.count_unit('{2026-03-10 12:00Z,2026-03-10 12:00Z}', '{udp,udp}', '{192.0.2.1,127.66.0.9}',
        '{1000,500}', '{1000,500}', '{9000,4000}', '{0,0}', array_fill(0, array[16])::bigint[])""")
    db.psql("select azekura.report_receiver('/state', gen_random_uuid(), now(), 10, 7, 2, 1, 100, 3, 200000, 0)")


def searched(db):
    return db.psql("select count(*), count(*) filter (where message like 'mine %'), md5(string_agg(id, ',' order by id))"
                   " from azekura.search('', \"limit\" := null)")


def main():
    migrations = sorted((SOURCE / "sql" / "migrations").glob("[0-9]*.sql"))
    upgrade = next(m for m in migrations if m.name.endswith("_benchmark.sql"))
    with Cluster() as db, tempfile.TemporaryDirectory(prefix="azk-upgrade-", dir="/tmp") as tmp:
        pathlib.Path(tmp).chmod(0o755)
        db.install_extension()
        for path in migrations[:migrations.index(upgrade)]:
            db.psql_file(path)
        fill(db, tmp)
        before = searched(db)
        assert before[0][:2] == ("1500", "500"), before
        functions = ("select p.oid::regprocedure::text, r.rolname, p.proacl::text from pg_proc p join pg_roles r on r.oid = p.proowner"
                     " where p.pronamespace = 'azekura'::regnamespace and p.proname in ('count_unit', 'piece_is_held') order by 1")
        owned = db.psql(functions)

        # a server that could not lock all pieces at once says so, and stays as it was
        db.halt()
        conf = pathlib.Path(db.data, "postgresql.conf")
        kept = conf.read_text(encoding="utf-8")
        conf.write_text(kept + "\nmax_locks_per_transaction = 10\nmax_connections = 20\nmax_wal_senders = 2\n", encoding="utf-8")
        db.start()
        try:
            db.psql_file(upgrade)
            raise ScenarioFailure("it was applied all the same")
        except PsqlError as e:
            assert "room for 200 locks" in str(e) and "max_locks_per_transaction" in str(e), e
        db.halt()
        conf.write_text(kept, encoding="utf-8")
        db.start()
        assert searched(db) == before

        db.psql_file(upgrade)
        assert searched(db) == before, "what is stored is as it was"
        assert db.psql(functions) == owned, "functions that were replaced keep owner and grants"
        names = db.psql(f"select id, name, quota_percent, keep_days from azekura.source_group where id in (7, {GROUP}, 32) order by 1")
        assert names == [("7", "benchmark (2)", None, None), (str(GROUP), "benchmark (3)", "5", "90"),
                         ("32", "benchmark", None, "7")], names
        members = db.psql("select prefix, source_group from azekura.source_group_member order by 1")
        assert members == [("127.0.0.0/8", "4"), ("127.66.0.0/16", "32"), ("192.0.2.0/24", str(GROUP))], members
        told = db.psql("select detail ->> 'id', detail ->> 'former_name', detail -> 'removed_members' from azekura.audit"
                       " where actor = 'azekura' order by 1, 2 nulls last")
        assert told == [("3", None, '["127.66.1.0/24"]'), (str(GROUP), "benchmark", None),
                        (str(GROUP), None, '["127.66.0.0/16"]')], told
        assert db.psql("select host(address) from azekura.source") == [("192.0.2.1",)]
        assert db.psql("select benchmark_queued from azekura.receiver_status") == [("0",)]

        # pieces of before and of now live together: split, dropped, and the new group's made
        new = db.value(f"select azekura.split_piece('log_block_g{GROUP}_20260310', '2026-03-10 13:00Z')")
        assert new == f"log_block_g{GROUP}_20260310_1", new
        assert searched(db) == before
        assert db.value("select azekura.ensure_partition('2026-03-10 12:00Z', 'UTC', 32::smallint)") == "log_block_g32_20260310"
        db.psql(f"select azekura.drop_pieces('{{log_block_g{GROUP}_20260310}}', '{{500}}', 'test', 'test')")
        assert searched(db)[0][:2] == ("1000", "0")


if __name__ == "__main__":
    run(main)
