#!/usr/bin/python3
"""static.py IMAGE: what can be seen without starting it.  Reads the disk with sfdisk, mtools and debugfs."""

import json
import pathlib
import subprocess
import sys
import tempfile

WANTED = [("bios", 1), ("esp", 64), ("rootfs-a", 1536), ("rootfs-b", 1536), ("data", 512)]
# set-uid programs that Debian's essential packages bring
SETUID = {"su", "mount", "umount", "passwd", "chsh", "chfn", "newgrp", "gpasswd", "unix_chkpwd", "chage", "expiry",
          "ssh-agent", "ssh-keysign", "dbus-daemon-launch-helper", "wall", "write"}
ABSENT = ["/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_ecdsa_key",
          "/etc/ssl/private/ssl-cert-snakeoil.key", "/var/lib/systemd/random-seed", "/root/.ssh/authorized_keys",
          "/data/tls/web.pem"]
PRESENT = ["/usr/bin/azekura", "/usr/bin/azekura-receiver", "/usr/bin/azekura-keeper", "/usr/bin/azekura-web",
           "/usr/share/azekura/webui/index.html", "/usr/lib/postgresql/15/lib/azekura.so", "/etc/rauc/ca.cert.pem",
           "/boot/vmlinuz", "/boot/initrd.img", "/usr/bin/grub-editenv"]


def run(*argv):
    return subprocess.run([str(a) for a in argv], capture_output=True, text=True, check=False)


def check(is_good, what):
    if not is_good:
        sys.exit(f"static.py: {what}")


def partitions(image):
    table = json.loads(run("sfdisk", "-J", image).stdout)["partitiontable"]
    got = [(p["name"], p["size"] * 512 >> 20) for p in table["partitions"]]
    check(got == WANTED, f"the partitions are {got}, wanted {WANTED}")
    return {p["name"]: p for p in table["partitions"]}


def cut_out(image, partition, file):
    run("dd", f"if={image}", f"of={file}", "bs=1M", f"skip={partition['start'] >> 11}",
        f"count={partition['size'] >> 11}", "conv=sparse")


def stat(slot, path):
    """The inode's text of debugfs, or empty where the path is not."""
    result = run("debugfs", "-R", f"stat {path}", slot)
    return "" if "not found" in result.stderr else result.stdout


def check_esp(esp):
    for path in ["::/EFI/BOOT/BOOTX64.EFI", "::/grub/grub.cfg", "::/grub/grubenv"]:
        check(run("mdir", "-i", esp, path).returncode == 0, f"the ESP lacks {path}")
    check("ORDER=A B" in run("mtype", "-i", esp, "::/grub/grubenv").stdout, "grubenv does not say ORDER=A B")


def check_slot(slot, folder):
    for path in ABSENT:
        check(not stat(slot, path), f"{path} is in the image")
    for path in PRESENT:
        check(stat(slot, path), f"{path} is missing in the image")
    check("Size: 0" in stat(slot, "/etc/machine-id"), "/etc/machine-id is not empty")
    tree = folder / "tree"
    tree.mkdir()
    run("debugfs", "-R", f"rdump / {tree}", slot)
    for path in tree.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        mode, name = path.stat().st_mode, path.relative_to(tree)
        check(not mode & 0o4000 or path.name in SETUID, f"/{name} is set-uid")
        check(not mode & 0o002, f"/{name} can be written by everybody")
        check(not str(name).startswith("var/log/"), f"/{name} is a log of the build")
        if path.suffix in {".pem", ".key"} or "ssh_host" in path.name:
            check(b"PRIVATE KEY" not in path.read_bytes(), f"/{name} holds a private key")
    # the names are plain in a cpio archive
    packed = next((tree / "boot").glob("initrd.img-*"))
    listing = subprocess.run(["zstd", "-dcq", str(packed)], capture_output=True, check=True).stdout
    for name in ["scripts/local-bottom/azekura", "bin/busybox", "overlay.ko", "sbin/e2fsck"]:
        check(name.encode() in listing, f"the initramfs lacks {name}")
    check(not run("dpkg", f"--root={tree}", "--audit").stdout, "dpkg --audit finds something")


def main():
    image = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory(dir=image.parent) as name:
        folder = pathlib.Path(name)
        table = partitions(image)
        for part in ["esp", "rootfs-a"]:
            cut_out(image, table[part], folder / part)
        check_esp(folder / "esp")
        check_slot(folder / "rootfs-a", folder)
    print("static.py: all is as it should be")


main()
