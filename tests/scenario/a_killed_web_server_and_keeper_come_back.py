"""kill -9 of the web server and of the keeper: reception does not notice, and both go on when started again."""

from azk import Product, numbered, run


def main():
    with Product() as box:
        box.send_udp(numbered(500, "before"))
        box.wait_for_stored(500)
        assert box.api("GET", "/logs?limit=5")["entries"]
        box.kill("web")
        box.kill("keeper")
        box.send_tcp(numbered(500, "between"))
        box.wait_for_stored(1000)
        box.start("keeper")
        box.start("web")
        # tokens live in the database, so they are good still
        entries = box.api("GET", "/logs?limit=1000")["entries"]
        assert len(entries) == 1000, len(entries)
        box.assert_ledger(sent=1000)


if __name__ == "__main__":
    run(main)
