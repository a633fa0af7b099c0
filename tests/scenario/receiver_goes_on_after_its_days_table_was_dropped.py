"""Somebody drops the table of today to make room: what is sent after that is stored, in a table made anew."""

from azk import Product, numbered, run


def main():
    with Product(daemons=("receiver",)) as box:
        box.send_tcp(numbered(100, "before"))
        box.wait_for_stored(100)
        box.psql("drop table azekura." + box.value("select name from azekura.day_partition where lower <= now() and upper > now()"))
        box.send_tcp(numbered(100, "after"))
        box.wait_for_arrived(200)
        sums = box.ledger()
        assert sums["stored"] == 200 and sums["refused"] == 0, sums
        assert box.value("select count(*) from azekura.search('after', null, null, null)") == "100"


if __name__ == "__main__":
    run(main)
