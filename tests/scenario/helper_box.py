#!/usr/bin/env python3
"""The helper on a box in a folder: its programs there write down how they were called.

A network on trial comes back by itself: by its time, after kill -9 of the helper, after a restart of the
box; it stays when it is confirmed.  A malformed request ends the connection and is logged.  The support
bundle holds no secret.  The files of a boot, factory settings.  Where nft is installed, it reads the rules.
"""
import ctypes
import ctypes.util
import json
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path

PROGRAM = Path(os.environ["AZEKURA_BUILD"]) / "bin" / "azekura-helper"
TRIAL_S = 1
SECRETS = ["hunter2", "s3cr3t-token", "MIIsecretkeybytes"]
RECORDER = """#!/bin/sh
echo "$0 $*" >>"{root}/calls"
case "$0 $*" in
    *journalctl*) echo "mail.password=hunter2"; echo "fine line"; echo "Authorization: Bearer s3cr3t-token"
        echo "-----BEGIN PRIVATE KEY-----"; echo MIIsecretkeybytes; echo "-----END PRIVATE KEY-----" ;;
    *"ip -json"*) echo '[{{"ifname":"eth0"}}]' ;;
    *"networkctl reload"*) test ! -e "{root}/reload-fails" ;;
esac
"""
PROGRAMS = """bin/networkctl bin/systemctl bin/journalctl bin/ip bin/ss sbin/nft bin/chronyc bin/rauc bin/df bin/ps
bin/dpkg-query bin/hostname sbin/nginx bin/busctl""".split()


def until(what, condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.05)


class Box:
    def __init__(self, root):
        self.root, self.helper = root, None
        for name in PROGRAMS:
            path = root / "usr" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(RECORDER.format(root=root))
            path.chmod(0o755)
        (root / "sys/class/net/eth0").mkdir(parents=True)
        (root / "calls").touch()
        self.boot("first")

    def boot(self, name):
        path = self.root / "proc/sys/kernel/random/boot_id"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name + "\n")

    def file(self, path):
        return self.root / path.lstrip("/")

    def calls(self):
        return (self.root / "calls").read_text()

    def apply(self):
        subprocess.run([PROGRAM, "--root", self.root, "--apply"], check=True)

    def start(self):
        log = open(self.root / "log", "a")
        before = (self.root / "log").read_text().count("serves")
        self.helper = subprocess.Popen([PROGRAM, "--root", str(self.root)], stderr=log)
        until("serving", lambda: (self.root / "log").read_text().count("serves") > before)

    def end(self, number):
        if self.helper:
            self.helper.send_signal(number)
            self.helper.wait()
            self.helper = None

    def connect(self):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(120)
        s.connect(str(self.file("/run/azekura/helper.sock")))
        return s

    def ask(self, command, **arguments):
        with self.connect() as s:
            s.send(json.dumps({"command": command, "actor": "alice", "arguments": arguments}).encode())
            data, fds, _, _ = socket.recv_fds(s, 65536, 1)
        return json.loads(data), fds

    def good(self, command, **arguments):
        answer, _ = self.ask(command, **arguments)
        assert answer.get("ok"), answer
        return answer["result"]


def static(address):
    return {"interfaces": [{"name": "eth0", "ipv4": {"method": "static", "addresses": [address]}}]}


def network(box):
    automatic, card = box.file("/run/systemd/network/70-azekura-automatic.network"), box.file(
        "/run/systemd/network/70-azekura-eth0.network")
    assert automatic.exists()
    wrong, _ = box.ask("network.set", settings=static("192.0.2.0/24"))
    assert wrong["error"]["field"] == "interfaces[0].ipv4.addresses[0]", wrong

    def is_back():
        return automatic.exists() and not card.exists() and not box.file("/data/config/network.trial.json").exists()

    # its time is over
    box.good("network.set", settings=static("192.0.2.10/24"), confirm_seconds=TRIAL_S)
    until("the network before is back", is_back)
    # killed meanwhile
    box.good("network.set", settings=static("192.0.2.10/24"), confirm_seconds=TRIAL_S)
    box.end(signal.SIGKILL)
    box.start()
    until("it is back after kill -9", is_back)
    # restarted meanwhile
    box.good("network.set", settings=static("192.0.2.10/24"), confirm_seconds=600)
    assert card.exists() and not automatic.exists()
    busy, _ = box.ask("network.set", settings=static("192.0.2.11/24"))
    assert busy["error"]["code"] == "on_trial", busy
    box.end(signal.SIGKILL)
    box.boot("second")
    box.apply()
    assert is_back()
    box.start()
    # the network cannot be brought up
    (box.root / "reload-fails").touch()
    failed, _ = box.ask("network.set", settings=static("192.0.2.10/24"))
    assert failed["error"]["code"] == "program", failed
    (box.root / "reload-fails").unlink()
    until("it is back after a failure", is_back)
    # confirmed, it stays over a restart
    trial = box.good("network.set", settings=static("192.0.2.20/24"), confirm_seconds=600)["trial"]
    other, _ = box.ask("network.confirm", trial="0" * 32)
    assert other["error"]["field"] == "trial", other
    box.good("network.confirm", trial=trial)
    box.end(signal.SIGKILL)
    box.boot("third")
    box.apply()
    box.start()
    assert "192.0.2.20/24" in card.read_text()
    assert box.good("network.get")["settings"] == static("192.0.2.20/24")
    assert "/usr/bin/networkctl reconfigure eth0" in box.calls()


def malformed(box):
    before = (box.root / "log").read_text().count("ending its connection")
    packets = [b"x", b"{}", b'{"command":"sh","actor":"a"}', b"[" * 60000, b"\0", b"x" * 70000]
    for packet in packets:
        with box.connect() as s:
            s.send(packet)
            assert s.recv(65536) == b"", packet[:40]
    until("each is logged",
          lambda: (box.root / "log").read_text().count("ending its connection") == before + len(packets))


def settings(box):
    box.good("hostname.set", name="logs.example.net")
    assert box.file("/etc/hostname").read_text() == "logs.example.net\n"
    box.good("timezone.set", zone="Asia/Tokyo")
    assert os.readlink(box.file("/etc/localtime")) == "/usr/share/zoneinfo/Asia/Tokyo"
    box.good("ntp.set", servers=["ntp.example.net", "192.0.2.123"])
    assert box.file("/etc/chrony/sources.d/azekura.sources").read_text() == (
        "server ntp.example.net iburst\nserver 192.0.2.123 iburst\n")
    key = (Path(os.environ["AZEKURA_SOURCE"]) / "tests/corpus/fuzz/helper_request/key_ed25519").read_text()
    box.good("ssh.set", enabled=True, keys=[key])
    assert box.file("/run/azekura/ssh/authorized_keys").read_text() == key.strip() + "\n"
    box.good("firewall.apply", listeners=[{"protocol": "udp", "port": 514}, {"protocol": "tcp", "port": 6514}],
             networks=["192.0.2.0/24", "192.0.2.0/25", "2001:db8::/32"])
    rules = box.file("/run/azekura/nftables.conf").read_text()
    assert "tcp dport 22 accept" in rules and "192.0.2.0/24" in rules
    box.good("ssh.set", enabled=False)
    assert "tcp dport 22" not in box.file("/run/azekura/nftables.conf").read_text()
    certificate = box.good("tls.get")
    assert certificate["self_signed"], certificate
    request = box.good("tls.request", common_name="logs.example.net")["request"]
    assert request.startswith("-----BEGIN CERTIFICATE REQUEST-----")
    answer, _ = box.ask("tls.install", certificate="no certificate", key="MIIsecretkeybytes")
    assert "error" in answer and "MIIsecretkeybytes" not in json.dumps(answer), answer
    box.good("restart")
    assert "/usr/bin/systemctl --no-block reboot" in box.calls()
    return rules


def real_nft(box, rules):
    nft = shutil.which("nft") or shutil.which("nft", path="/usr/sbin:/sbin")
    if not nft or os.geteuid() != 0 or subprocess.run(["unshare", "-n", "true"]).returncode != 0:
        return
    path = box.root / "rules"
    path.write_text(rules)
    # twice: the second time it replaces the first
    subprocess.run(["unshare", "-n", "sh", "-ec", '"$1" -f "$2"; "$1" -f "$2"; "$1" list table inet azekura',
                    "sh", nft, str(path)], check=True, stdout=subprocess.DEVNULL)


def decompressed(packed):
    zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
    for name in ["ZSTD_getFrameContentSize", "ZSTD_decompress"]:
        getattr(zstd, name).restype = ctypes.c_size_t
    n = zstd.ZSTD_getFrameContentSize(packed, ctypes.c_size_t(len(packed)))
    out = ctypes.create_string_buffer(n)
    assert zstd.ZSTD_decompress(out, ctypes.c_size_t(n), packed, ctypes.c_size_t(len(packed))) == n
    return out.raw


def support(box):
    answer, fds = box.ask("support.bundle")
    assert answer.get("ok") and len(fds) == 1, answer
    plain = box.root / "bundle.tar"
    with os.fdopen(fds[0], "rb") as f:
        plain.write_bytes(decompressed(f.read()))
    content = plain.read_bytes()
    assert b"fine line" in content
    for secret in SECRETS:
        assert secret.encode() not in content, secret
    with tarfile.open(plain) as t:
        names = t.getnames()
    assert "azekura-support/journal.txt" in names and "azekura-support/files/data/config/network.json" in names, names


def factory_settings(box):
    for name in ["/data/postgresql/15/main/PG_VERSION", "/data/azekura/updates/x.raucb", "/data/rauc/status",
                 "/data/config/machine-id"]:
        box.file(name).parent.mkdir(parents=True, exist_ok=True)
        box.file(name).write_text("x")
    os.symlink("/", box.file("/data/azekura/link"))
    box.good("factory.reset", confirm="ERASE", keep_network=True)
    box.end(signal.SIGTERM)
    box.apply()
    left = sorted(p.name for p in box.file("/data/config").iterdir())
    assert left == ["machine-id", "network.json"], left
    assert not list(box.file("/data/postgresql").iterdir()) and not list(box.file("/data/azekura").iterdir())
    assert box.file("/data/rauc/status").exists() and box.file("/etc/hostname").read_text() == "azekura\n"


def main():
    with tempfile.TemporaryDirectory(prefix="azk-helper-") as folder:
        box = Box(Path(folder))
        try:
            box.apply()
            assert box.calls() == "", "at boot no program is started"
            box.start()
            network(box)
            malformed(box)
            real_nft(box, settings(box))
            support(box)
            factory_settings(box)
        except BaseException:
            print((box.root / "log").read_text(), box.calls(), sep="\n")
            raise
        finally:
            box.end(signal.SIGKILL)


main()
