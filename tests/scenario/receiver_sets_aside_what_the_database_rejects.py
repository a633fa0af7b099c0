"""A block that the database will never take does not hold up those behind it: it is kept as a file, its messages are
counted as refused, and the file can be loaded when the cause is gone."""

import pathlib
import re

from azk import SOURCE, Product, numbered, run, wait_for


def copy_columns():
    text = (SOURCE / "firmware" / "store" / "unit_encode.c").read_text(encoding="utf-8")
    parts = re.findall(r'"([^"]*)"', text[text.index("unit_copy_sql[]"):text.index("from stdin") + 40])
    return re.search(r"\((.*)\) from stdin", "".join(parts)).group(1)


def main():
    with Product(daemons=("receiver",)) as box:
        box.psql("alter table azekura.log_block add constraint no_seven check (messages <> 7)")
        box.allow_errors(r"no_seven|terminating")
        box.send_tcp(numbered(7, "rejected"))
        wait_for(lambda: box.ledger()["refused"] == 7, "the rejected messages are counted")
        assert box.psql("select sum(rejected), sum(crash) from azekura.ledger") == [("7", "0")]
        assert box.psql("select listener, rejected, stored from azekura.ledger_total") == [("tcp", "7", "0")]
        box.send_tcp(numbered(3, "good"))
        box.wait_for_stored(3)
        wait_for(lambda: box.queued() == 0, "nothing is queued")
        status = box.psql("select arrived, stored, refused from azekura.receiver_status")
        assert status == [("10", "3", "7")], status

        folder = box.state / "receiver" / "rejected"
        assert sorted(p.suffix for p in folder.iterdir()) == [".copy", ".counts"], list(folder.iterdir())
        kept = next(folder.glob("*.copy"))
        readable = pathlib.Path(box.state / "rejected.copy")
        readable.write_bytes(kept.read_bytes())
        box.psql("alter table azekura.log_block drop constraint no_seven")
        box.psql(f"\\copy azekura.log_block ({copy_columns()}) from {readable} with (format binary)")
        assert box.value("select sum(messages) from azekura.log_block") == "10"


if __name__ == "__main__":
    run(main)
