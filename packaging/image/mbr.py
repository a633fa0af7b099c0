#!/usr/bin/python3
"""mbr.py IMAGE CORE: makes IMAGE start under a BIOS, as grub-install would, without a mounted disk.

GRUB's boot.img goes into the code area of the protective MBR and is told the sector of the first partition
(offset 0x5c, 64 bit little endian); core.img goes there, and its first sector is told where the rest is
(offset 0x1f4: the sector after it)."""

import pathlib
import struct
import sys

FIRST_SECTOR, SECTOR, CODE_BYTES, PARTITION_BYTES = 2048, 512, 440, 1 << 20


def main():
    image, core_file = sys.argv[1:]
    boot = bytearray(pathlib.Path("/usr/lib/grub/i386-pc/boot.img").read_bytes()[:CODE_BYTES])
    core = bytearray(pathlib.Path(core_file).read_bytes())
    if len(core) > PARTITION_BYTES:
        sys.exit(f"mbr.py: {core_file} has {len(core)} bytes, the partition {PARTITION_BYTES}")
    boot[0x5C:0x64] = struct.pack("<Q", FIRST_SECTOR)
    core[0x1F4:0x1FC] = struct.pack("<Q", FIRST_SECTOR + 1)
    with open(image, "r+b") as disk:
        disk.write(boot)
        disk.seek(FIRST_SECTOR * SECTOR)
        disk.write(core)


main()
