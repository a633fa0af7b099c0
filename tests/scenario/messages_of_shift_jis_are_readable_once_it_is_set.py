"""10,000 messages of Shift_JIS from one source: they are stored with their bytes, the box suggests the charset, and once it is set what comes
is readable at once and what is stored after it was parsed again: found by a Japanese word, the bytes as they were sent."""

from azk import Product, run, wait_for

N = 10_000
SOURCE = "127.0.0.3"
# 0x5c and 0x7c are second bytes of letters here: a form that splits bytes would cut them
TEXT = "ポート{}の障害を検知 表示能力 ソ|ー:[予]"


def line(i):
    return f"<{8 + i % 8}>Mar 10 21:00:07 sw{i % 7} 監視[{i}]: {TEXT.format(i)}".encode("cp932")


def main():
    with Product() as box:
        box.send_tcp([line(i) for i in range(N)], is_counted=True, source=SOURCE)
        box.wait_for_stored(N)
        word = "/logs?limit=10000&query=%E9%9A%9C%E5%AE%B3"  # 障害
        assert not box.api("GET", word)["entries"], "nothing is readable yet"
        raw = "select md5(string_agg(encode(azekura.raw(id), 'hex'), ' ' order by id)) from azekura.logs"
        before = box.value(raw)
        guess = wait_for(lambda: (box.api("GET", f"/sources/{SOURCE}")["health"] or {}).get("charset_guess"), "the box suggests a charset")
        assert guess["name"] == "Shift_JIS", guess
        preview = box.api("POST", "/sources/preview", {"network": SOURCE, "charset": guess["name"]})
        assert preview["examined"] == preview["changed"] == 1000 and preview["marks"]["after"].get("decoded") == 1000, preview

        box.api("PUT", f"/sources/settings/{SOURCE}", {"name": "sw", "charset": guess["name"]})
        fresh = [0]

        def is_decoded():
            box.send_udp([line(N + fresh[0])], source=SOURCE)
            fresh[0] += 1
            return box.value(f"select count(*) from azekura.search('検知 source:{SOURCE}', null, null, 1)") == "1"
        wait_for(is_decoded, "what comes now is readable", every=0.2)

        box.api("POST", "/sources/reparse", {"network": SOURCE}, expect=202)
        wait_for(lambda: len(box.api("GET", word)["entries"]) == N, "all of them are found by a Japanese word")
        wait_for(lambda: box.api("GET", "/sources/reparse")["requests"][0]["state"] == "done", "that is all of it")
        box.wait_for_stored(N + fresh[0])
        rows = box.psql("select app_name, procid, message, encode(azekura.raw(id), 'hex') from azekura.logs where app_name is not null order by procid::int")
        assert len(rows) == N + fresh[0], f"{len(rows)} of {N + fresh[0]}"
        for i, row in enumerate(rows):
            assert row == ("監視", str(i), TEXT.format(i), line(i).hex()), (i, row)
        ours = raw.replace("from azekura.logs", f"from azekura.logs where procid::int < {N}")
        assert box.value(ours) == before, "the bytes are as they were sent"
        assert box.value("select count(*) from azekura.log_block b where azekura.verify_block(b) is not null") == "0"
        box.assert_ledger(N + fresh[0])


if __name__ == "__main__":
    run(main)
