"""A viewer and an operator read the settings, but no password of the database, and change none; an administrator changes them, and it is noted."""

from azk import Product, run

NAME = "store.flush_ms"


def value_of(box):
    rows = box.api("GET", "/settings", role="viewer")["settings"]
    return next(str(row["value"]) for row in rows if row["name"] == NAME)


def main():
    box = Product()
    box.settings["database"] = f"{box.cluster.conninfo()} password=verysecret"
    box.write_config()
    with box:
        assert b"verysecret" not in box.request("GET", "/api/v1/settings", headers={"Authorization": f"Bearer {box.token()}"}).body
        before = value_of(box)
        for role in ("viewer", "operator"):
            box.api("PATCH", "/settings", {NAME: 250}, role=role, expect=403)
            assert value_of(box) == before, f"a {role} changed a setting"
        assert box.value("select count(*) from azekura.setting") == "0"
        box.api("PATCH", "/settings", {NAME: 250})
        assert value_of(box) == "250", value_of(box)
        audit = box.value("select count(*) from azekura.audit where detail::text like '%store.flush_ms%'")
        assert audit == "1", f"{audit} notes of the change"
        box.api("PATCH", "/settings", {NAME: 250, "store.flush_m": 1}, expect=400)
        box.api("PATCH", "/settings", {NAME: 9}, expect=400)
        assert value_of(box) == "250", "a refused change changed something"


if __name__ == "__main__":
    run(main)
