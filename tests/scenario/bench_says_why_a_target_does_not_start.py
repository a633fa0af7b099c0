"""A private instance for which the disk has no room: the benchmark says that, not what the database's tools did then."""

import os
import subprocess
import tempfile

from azk import Product, Skipped, run

SMALL = 'mount -t tmpfs -o mode=755,size=20m small "$0" && exec "$@"'


def main():
    with tempfile.TemporaryDirectory(prefix="azk-small-") as folder:
        os.chmod(folder, 0o755)
        small = ["unshare", "--mount", "sh", "-c", SMALL, folder]
        if subprocess.run([*small, "true"], capture_output=True, check=False).returncode != 0:
            raise Skipped("no file system can be mounted here")
        with Product(daemons=()) as box:  # its folder of programs is whole, as an installed one
            done = subprocess.run([*small, box.program / "bin" / "azekura-bench", "ladder", "--rates", "100", "--time", "1", "--out", folder],
                                  capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 3, done
        said = [line for line in done.stderr.splitlines() if line.startswith("Failed: target azekura: ")]
        assert len(said) == 1 and "there is no room for a database of its own" in said[0], done.stderr


if __name__ == "__main__":
    run(main)
