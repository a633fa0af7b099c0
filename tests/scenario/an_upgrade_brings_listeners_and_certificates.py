"""A box in service gets allow-lists, gaps and certificates: what was stored, counted and reported stays, and its daemons go on."""

import shutil

from azk import DAEMONS, SOURCE, Product, run, wait_for

LAST = "0010"  # of the version before


def fill(box):
    """As a box of the version before has it, with a receiver that had two listeners."""
    box.psql("""select azekura.count_unit('{2026-03-10 12:00Z,2026-03-10 12:01Z}', '{udp,tcp}', '{192.0.2.1,2001:db8::1}',
        '{10,5}', '{10,5}', '{900,400}', '{0,0}', array_fill(0, array[16])::bigint[])""")
    box.psql("select azekura.report_receiver('/state', gen_random_uuid(), now(), 15, 15, 0, 0, 0, 0, 200000, 0)")
    box.psql("select azekura.report_listeners('/state', '{udp,tcp}', '{0.0.0.0,::}', '{514,514}', '{4096,null}')")
    box.psql("insert into azekura.setting (name, value, changed_by) values ('store.flush_ms', '500', 'cli:root')")


def kept(box):
    return {t: box.psql(f"select * from azekura.{t} order by 1, 2") for t in ("ledger", "receiver_listener", "setting")}


def main():
    box = Product({"listen.tls": "127.0.0.1:0"}, daemons=())
    migrations = box.program / "sql" / "migrations"
    later = [m for m in sorted(migrations.iterdir()) if m.name[:4] > LAST]
    assert len(later) >= 2, later
    for path in later:
        path.unlink()
    with box:
        fill(box)
        before = kept(box)
        for path in later:
            shutil.copy(SOURCE / "sql" / "migrations" / path.name, migrations)
        box.cli("migrate")
        assert kept(box) == before, "nothing is lost"
        box.cli("migrate")
        assert kept(box) == before, "again it does nothing"
        box.psql("select azekura.report_listeners('/state', '{udp,udp,tcp}', '{0.0.0.0,::,::}', '{514,514,514}', '{4096,8192,null}')")
        assert box.value("select count(*) from azekura.receiver_listener") == "3", "a listener may have two addresses now"
        for name in DAEMONS:
            box.start(name)
        stored = int(box.value("select coalesce(sum(stored), 0) from azekura.ledger_total"))
        box.send_udp([b"<13>1 - - - - - - after the upgrade"])
        box.wait_for_stored(stored + 1)
        wait_for(lambda: (box.api("GET", "/receiver", role="viewer")["detail"] or {}).get("listeners"), "the receiver tells its detail")
        wait_for(lambda: box.api("GET", "/tls")["certificate"], "and has a certificate")
        assert box.api("GET", "/listeners", role="viewer")["allow"] == []
        assert box.cli("config", "get", "store.flush_ms") == "500\n"


if __name__ == "__main__":
    run(main)
