"""The receiver's disk is full to the last byte: it is killed -9 and stopped, starts again each time, and stores everything;
also with one file after another missing or not to be trusted, as after a power cut, as far as the disk has room."""

import contextlib
import os
import re
import subprocess

from azk import Product, Skipped, numbered, run, wait_for

EACH = 500


def fill(path):
    with open(path, "wb", buffering=0) as f:
        for size in (1 << 20, 4096):
            with contextlib.suppress(OSError):
                while f.write(bytes(size)) == size:
                    pass


def start(box):
    """Where it listens may be in the log only: the disk is full."""
    before = box.log_text("receiver").count("ready: ")
    box.start("receiver", wait=False)

    def is_ready():
        assert box.processes["receiver"].poll() is None, box.log_text("receiver")[-1500:]
        return box.log_text("receiver").count("ready: ") > before
    wait_for(is_ready, "the receiver receives")
    return int(re.findall(r"ready: .*tcp 127\.0\.0\.1:(\d+)", box.log_text("receiver"))[-1])


class Sender:
    def __init__(self, box):
        self.box, self.sent = box, 0

    def send(self, port):
        self.box.address = lambda listener: ("127.0.0.1", port)
        self.sent += self.box.send_tcp(numbered(EACH, f"part {self.sent}"))
        self.box.wait_for_stored(self.sent)


def of_another_boot(path):
    with open(path, "r+b") as f:
        f.seek(16)
        f.write(b"another boot id.")
        f.seek(32)
        f.write(bytes(4))


def main():
    box = Product(daemons=())
    if not box.user:
        box.throw_away()
        raise Skipped("only root can mount a small file system")
    folder = box.state / "receiver"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=260m", "tmpfs", folder], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        box.throw_away()
        raise Skipped(f"this machine does not mount: {done.stderr.strip()}")
    box.own_folder(folder)
    try:
        with box:
            sender = Sender(box)
            sender.send(start(box))
            fill(folder / "filler")
            box.kill("receiver")
            sender.send(start(box))
            box.stop("receiver")
            sender.send(start(box))
            box.kill("receiver")
            for name in ("journal", "ledger", "sequences"):
                of_another_boot(folder / name)
            sender.send(start(box))
            assert "deleted, since the disk is full" in box.log_text("receiver")
            box.kill("receiver")
            (folder / "sequences").unlink()
            fill(folder / "filler2")
            sender.send(start(box))
            assert "streams of numbers begin anew" in box.log_text("receiver")
            sums = box.assert_ledger(sent=sender.sent)
            assert sums["refused"] == 0, sums
            assert box.value("select count(distinct message) from azekura.logs") == str(sender.sent)
            os.unlink(folder / "filler")
    finally:
        subprocess.run(["umount", "-l", folder], check=False)
        box.throw_away()


if __name__ == "__main__":
    run(main)
