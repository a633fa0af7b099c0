"""PostgreSQL hangs (all its processes are stopped): the log says that it does not answer, and since when, not that it is
slower than what comes; the event in the database says the same, and everything is stored once it goes on."""

from azk import Product, numbered, run, wait_for


def main():
    with Product(daemons=("receiver",)) as box:
        box.allow_errors(r"terminating|connection to client")
        sent = box.send_tcp(numbered(100, "before"))
        box.wait_for_stored(sent)
        with box.cluster.hung():
            sent += box.send_tcp(numbered(100, "meanwhile"))
            wait_for(lambda: "units go to the spool" in box.log_text("receiver"), "it is said why units go to the spool")
        said = next(line for line in box.log_text("receiver").splitlines() if "units go to the spool" in line)
        assert "the database has not answered for" in said, said
        assert "slower" not in box.log_text("receiver"), box.log_text("receiver")
        box.assert_ledger(sent=sent)
        wait_for(lambda: box.value("select count(*) from azekura.event where kind = 'spool.filling'") != "0", "the event is kept")
        why = box.value("select params[array_position(params, 'why') + 1] from azekura.event where kind = 'spool.filling'")
        assert why == "hanging", why


if __name__ == "__main__":
    run(main)
