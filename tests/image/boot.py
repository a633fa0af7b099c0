#!/usr/bin/python3
"""boot.py IMAGE [bios|uefi …]: the first and the second start of the image, by default of two boxes (BIOS, UEFI).

Each boot may take 300 s; what it took is printed.  Needs qemu-system-x86, ovmf and openssh-client.  The folders with
serial.log stay where a check failed."""

import http.client
import pathlib
import re
import shutil
import socket
import ssl
import sys
import tempfile

from vm import Vm

OPEN_PORTS = {22, 80, 443, 5514, 6514}  # 22: switched on by the test


def check(is_good, what):
    if not is_good:
        raise AssertionError(what)


def https(vm, path):
    """Status of the answer, and the certificate that was shown."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", vm.ports["https"], context=context, timeout=60)
    connection.request("GET", path)
    certificate = connection.sock.getpeercert(binary_form=True)
    status = connection.getresponse().status
    connection.close()
    return status, certificate


def identity(vm):
    return {"machine": vm.ssh("cat /etc/machine-id"), "ssh": vm.ssh("cat /data/ssh/ssh_host_ed25519_key.pub"),
            "certificate": https(vm, "/")[1],
            "database": vm.ssh("/usr/lib/postgresql/15/bin/pg_controldata /data/postgresql/15/main | grep 'system identifier'")}


def check_running(vm):
    check(vm.ssh("systemctl --failed --no-legend") == "", "units have failed: " + vm.ssh("systemctl --failed --no-legend"))
    check("azekura: cannot" not in vm.said() and "not found" not in vm.said(), "the initramfs script complains")
    check(vm.ssh("findmnt -no OPTIONS /").split(",")[0] == "ro", "the root is not read-only")
    check(vm.ssh("touch /usr/x 2>&1", check=False).endswith("Read-only file system"), "/usr can be written")
    check(int(vm.ssh("df -BM --output=size /data | tail -n 1 | tr -dc 0-9")) > 2000, "the data partition has not grown")
    check("policy drop" in vm.ssh("nft list chain inet azekura input"), "the firewall lets through by default")
    for address in vm.ssh("ss -Hltn | awk '{ print $4 }'").split():
        host, port = address.rsplit(":", 1)
        check(int(port) in OPEN_PORTS or host.startswith(("127.", "[::1]")), f"{address} listens")
    status = re.sub(r"\x1b\[[0-9;]*m", "", vm.ssh("rauc status"))  # it colours always
    check("Booted from: rootfs.0 (A)" in status and "boot status: good" in status, f"rauc: {status}")
    check(https(vm, "/")[0] == 200, "the console does not answer by HTTPS")


def send_and_find(vm, word):
    with socket.create_connection(("127.0.0.1", vm.ports["syslog"]), timeout=60) as sender:
        sender.sendall(f"<13>Jan  1 00:00:00 switch test: {word}\n".encode())
    find = f"for i in $(seq 60); do azekura search {word} | grep {word} && exit; sleep 1; done; exit 1"
    check(word in vm.ssh(find, limit_s=200), f"a message with {word} is not found")


def one_box(image, folder, firmware):
    with Vm(image, folder, firmware) as vm:
        vm.start()
        print(f"{firmware}: first start, good after {vm.wait_for('slot A is good'):.0f} s", flush=True)
        check_running(vm)
        send_and_find(vm, "firstword")
        first = identity(vm)
        vm.shut_down()
        vm.start()
        print(f"{firmware}: second start, good after {vm.wait_for('slot A is good'):.0f} s", flush=True)
        check(identity(vm) == first, "the identity has changed")
        check("azekura: made" not in vm.said(), "a step of the first start was done again")
        check("firstword" in vm.ssh("azekura search firstword"), "a message is gone after a restart")
        check(len(vm.ssh("journalctl --list-boots --no-pager").splitlines()) >= 2, "the journal of the first start is gone")
        check_running(vm)
        vm.shut_down()
        return first


def main():
    image, kinds = sys.argv[1], sys.argv[2:] or ["bios", "uefi"]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="azekura-boot-"))
    boxes = [one_box(image, folder / f"{n}-{kind}", kind) for n, kind in enumerate(kinds)]
    for name in boxes[0]:
        check(len({box[name] for box in boxes}) == len(boxes), f"two boxes have the same {name}")
    shutil.rmtree(folder)
    print("boot.py: all is as it should be")


main()
