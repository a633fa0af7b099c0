"""A virtual machine that runs a copy of the appliance's image, for tests.

The processor is emulated (TCG, said explicitly: a nested /dev/kvm may exist and hang).  The guest reaches nothing;
ports of it are forwarded to free ports of 127.0.0.1.  What it says on the serial console is in a file; markers
are lines of it.  A way in is given from outside by the firmware's strings (SMBIOS), so that the product has none."""

import base64
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

OVMF = pathlib.Path("/usr/share/OVMF")
GUEST_PORTS = {"ssh": 22, "http": 80, "https": 443, "syslog": 5514}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Vm:
    """One box.  folder keeps its disk and serial.log; disk_gib is what the copy is grown to."""

    def __init__(self, image, folder, firmware="bios", disk_gib=6, memory_mib=1024, with_ssh=True):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.firmware, self.memory_mib, self.with_ssh = firmware, memory_mib, with_ssh
        self.disk = self.folder / "disk.img"
        self.serial = self.folder / "serial.log"
        self.key = self.folder / "key"
        self.process = None
        self.ports = {}
        self.began = 0.0
        subprocess.run(["cp", "--sparse=always", str(image), str(self.disk)], check=True)
        os.truncate(self.disk, disk_gib << 30)
        if firmware == "uefi":
            shutil.copy(OVMF / "OVMF_VARS_4M.fd", self.folder / "vars.fd")
        if with_ssh and not self.key.exists():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(self.key)], check=True)

    def arguments(self):
        self.ports = {name: free_port() for name in GUEST_PORTS}
        forwards = [f"hostfwd=tcp:127.0.0.1:{self.ports[n]}-:{p}" for n, p in GUEST_PORTS.items()]
        forwards.append(f"hostfwd=udp:127.0.0.1:{self.ports['syslog']}-:{GUEST_PORTS['syslog']}")
        argv = ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-machine", "q35", "-cpu", "max", "-smp", "2",
                "-m", str(self.memory_mib), "-display", "none", "-nodefaults", "-no-user-config",
                "-drive", f"if=none,id=d0,format=raw,file={self.disk}", "-device", "virtio-blk-pci,drive=d0",
                "-netdev", f"user,id=n0,restrict=on,{','.join(forwards)}", "-device", "virtio-net-pci,netdev=n0",
                "-device", "virtio-rng-pci", "-serial", f"file:{self.serial}"]
        if self.firmware == "uefi":
            argv += ["-drive", f"if=pflash,format=raw,readonly=on,file={OVMF / 'OVMF_CODE_4M.fd'}",
                     "-drive", f"if=pflash,format=raw,file={self.folder / 'vars.fd'}"]
        if self.with_ssh:
            public = base64.b64encode((self.key.with_suffix(".pub")).read_bytes()).decode()
            lines = ("d /root/.ssh 0700 root root -\n"
                     f"f~ /root/.ssh/authorized_keys 0600 root root - {public}\n"
                     "d /run/azekura 0755 root root -\nd /run/azekura/ssh 0755 root root -\n"
                     "f /run/azekura/ssh/enabled 0644 root root -\n"
                     # the product's firewall leaves 22 closed; the rule comes where the rendered ones come
                     "f+ /run/azekura/nftables.conf 0644 root root - "
                     "insert rule inet azekura input tcp dport 22 accept\n")
            extra = base64.b64encode(lines.encode()).decode()
            argv += ["-smbios", f"type=11,value=io.systemd.credential.binary:tmpfiles.extra={extra}"]
        return argv

    def start(self):
        self.serial.write_bytes(b"")
        self.began = time.monotonic()
        self.process = subprocess.Popen(self.arguments(), stdin=subprocess.DEVNULL)  # pylint: disable=consider-using-with

    def said(self):
        return self.serial.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, pattern, limit_s=300):
        """Seconds from the start until a line of the serial console matches."""
        deadline = time.monotonic() + limit_s
        while not re.search(pattern, self.said()):
            if self.process.poll() is not None:
                raise AssertionError(f"the machine ended ({self.process.returncode}) before {pattern!r}; see {self.serial}")
            if time.monotonic() > deadline:
                tail = "\n".join(self.said().splitlines()[-15:])
                raise AssertionError(f"no {pattern!r} within {limit_s} s; the last lines of {self.serial}:\n{tail}")
            time.sleep(0.2)
        return time.monotonic() - self.began

    def ssh(self, command, check=True, limit_s=120):
        result = subprocess.run(
            ["ssh", "-q", "-i", str(self.key), "-p", str(self.ports["ssh"]), "-o", "StrictHostKeyChecking=no",
             "-o", "UserKnownHostsFile=/dev/null", "-o", "BatchMode=yes", "-o", "ConnectTimeout=60",
             "root@127.0.0.1", command],
            capture_output=True, text=True, check=False, timeout=limit_s, stdin=subprocess.DEVNULL)
        if check and result.returncode != 0:
            raise AssertionError(f"{command}: exit code {result.returncode}: {result.stderr or result.stdout}")
        return result.stdout.strip()

    def shut_down(self, limit_s=120):
        self.ssh("systemctl poweroff", check=False)
        self.process.wait(timeout=limit_s)

    def cut(self):
        """The power goes."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut()
