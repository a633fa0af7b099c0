"""`azekura migrate` applies each migration once, also twice at once, and notices what was changed behind its back."""

import pathlib
import shutil
import subprocess

from azk import Product, run


def migrate(box, expect, said):
    result = box.cli("migrate", check=False)
    text = result.stdout + result.stderr
    assert result.returncode == expect, f"exit {result.returncode}: {text}"
    assert said in text, text
    return text


def recorded(box):
    return box.psql("select number, name from azekura.migration order by number")


def at_once(box, n):
    """n migrations at the same time: each file is applied by exactly one of them."""
    argv = [box.program / "bin" / "azekura", "--config", box.config_file, "migrate"]
    running = [subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(n)]
    said = [process.communicate() for process in running]
    assert all(process.returncode == 0 for process in running), said
    return sum(out.count("applied ") for out, _ in said)


def main():
    with Product(daemons=()) as box:
        sql = pathlib.Path(box.program / "sql" / "migrations")
        files = sorted(p.name for p in sql.glob("*.sql"))
        assert recorded(box) == [(str(i + 1), name) for i, name in enumerate(files)], recorded(box)
        migrate(box, 0, f"up to date at migration {len(files)}")

        # a new one, by five at once
        following = len(files) + 1
        new = sql / f"{following:04}_new.sql"
        new.write_text("create table azekura.new_table (x int);\n", encoding="utf-8")
        assert at_once(box, 5) == 1
        assert recorded(box)[-1] == (str(following), new.name)

        # one that fails leaves nothing behind, and says where
        broken = sql / f"{following + 1:04}_broken.sql"
        broken.write_text("create table azekura.half (x int);\n\nselect no_such_column from azekura.half;\n", encoding="utf-8")
        box.allow_errors("no_such_column|there is no transaction")
        migrate(box, 3, f"migration {broken.name}: line 3: ")
        assert box.value("select to_regclass('azekura.half') is null") == "t"
        broken.write_text("create table azekura.half (x int); commit; begin; commit;\n", encoding="utf-8")
        migrate(box, 2, "it ends the transaction")
        broken.write_text("create table if not exists azekura.half (x int);\n", encoding="utf-8")
        migrate(box, 0, f"applied {broken.name}")

        # a file changed, renamed, gone
        saved = new.read_text(encoding="utf-8")
        new.write_text(saved + "-- later\n", encoding="utf-8")
        migrate(box, 2, f"{new.name} was changed after it was applied")
        new.write_text(saved, encoding="utf-8")
        renamed = sql / f"{following:04}_other.sql"
        shutil.move(new, renamed)
        migrate(box, 2, f"was applied as {new.name}")
        renamed.unlink()
        migrate(box, 2, f"migration {following:04} is missing")
        broken.unlink()
        migrate(box, 2, "belongs to a newer version")


if __name__ == "__main__":
    run(main)
