"""The systemd units of rootfs: systemd finds nothing wrong with them, and their names of sockets are the receiver's."""

import pathlib
import re
import shutil
import subprocess
import tempfile

from azk import SOURCE, Skipped, run

UNITS = SOURCE / "rootfs" / "usr" / "lib" / "systemd" / "system"


def main():
    if not shutil.which("systemd-analyze"):
        raise Skipped("systemd-analyze is not installed")
    with tempfile.TemporaryDirectory(prefix="azk-units-", dir="/tmp") as folder:
        units = []
        for path in sorted(UNITS.iterdir()):
            # its program is not installed here
            text = re.sub(r"^ExecStart=/usr/bin/azekura-\S+", "ExecStart=/bin/true", path.read_text(encoding="utf-8"), flags=re.M)
            units.append(pathlib.Path(folder, path.name))
            units[-1].write_text(text, encoding="utf-8")
        assert any(u.name == "azekura-receiver.service" for u in units)
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, check=False)
        ours = [line for line in (said.stdout + said.stderr).splitlines() if "azekura" in line]
        assert said.returncode == 0 and not ours, said.stdout + said.stderr
    for kind, key in (("udp", "ListenDatagram"), ("tcp", "ListenStream")):
        text = (UNITS / f"azekura-receiver-{kind}.socket").read_text(encoding="utf-8")
        assert f"FileDescriptorName={kind}\n" in text and f"\n{key}=0.0.0.0:5514\n" in text, text


if __name__ == "__main__":
    run(main)
