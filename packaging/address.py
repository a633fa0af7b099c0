#!/usr/bin/python3
"""Checks the addresses that run.sh was given, before anything is started.

    address.py check udp|tcp|http ADDR:PORT     exit 0: well-formed and free; 1: taken, and by whom; 2: malformed

IPv6 addresses stand in brackets: [::]:5514.  The web server has none.  udp and tcp take several, separated by commas.
"""

import errno
import ipaddress
import os
import pathlib
import socket
import sys


def parse(text):
    """(host, port), or ValueError with a sentence."""
    host, colon, port = text.rpartition(":")
    if not colon:
        raise ValueError(f"{text!r} is not ADDR:PORT")
    if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise ValueError(f"port {port!r} of {text!r} is not a number from 1 to 65535")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if (bare != host) != (":" in bare):
        raise ValueError(f"{text!r}: an IPv6 address stands in brackets, as in [::]:5514")
    try:
        ipaddress.ip_address(bare)
    except ValueError as error:
        raise ValueError(f"{bare!r} of {text!r} is not an IP address") from error
    return bare, int(port)


def owner_of(protocol, port):
    """ "name (pid n)" of a process that holds the port, as far as we may see, or None."""
    inodes = set()
    for version in ("", "6"):
        try:
            lines = pathlib.Path(f"/proc/net/{protocol}{version}").read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            field = line.split()
            is_listening = protocol == "udp" or field[3] == "0A"
            if is_listening and int(field[1].rpartition(":")[2], 16) == port:
                inodes.add(f"socket:[{field[9]}]")
    for fd in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(fd) in inodes:
                pid = fd.parts[2]
                name = pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
                return f"{name} (pid {pid})"
        except OSError:
            continue
    return None


def check(protocol, text):
    host, port = parse(text)
    if protocol == "http":
        if ":" in host:
            raise ValueError(f"{text!r} is an IPv6 address: the console listens on IPv4, and a proxy in front of it may have both")
        protocol = "tcp"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    kind = socket.SOCK_DGRAM if protocol == "udp" else socket.SOCK_STREAM
    with socket.socket(family, kind) as s:
        if kind == socket.SOCK_STREAM:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind((host, port))
            if kind == socket.SOCK_STREAM:
                s.listen(1)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                owner = owner_of(protocol, port) or "a process of another user"
                return f"{protocol.upper()} {text} is taken by {owner}"
            if error.errno == errno.EADDRNOTAVAIL:
                return f"{host} is no address of this machine"
            if error.errno == errno.EACCES:
                return f"port {port} is below 1024, which needs root"
            return f"cannot listen on {protocol.upper()} {text}: {error.strerror}"
    return None


def main():
    if len(sys.argv) != 4 or sys.argv[1] != "check" or sys.argv[2] not in ("udp", "tcp", "http"):
        print(f"usage: {sys.argv[0]} check udp|tcp|http ADDR:PORT", file=sys.stderr)
        return 2
    try:
        addresses = [sys.argv[3]] if sys.argv[2] == "http" else [a.strip() for a in sys.argv[3].split(",")]
        problem = next(filter(None, (check(sys.argv[2], a) for a in addresses)), None)
    except ValueError as error:
        print(error)
        return 2
    if problem:
        print(problem)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
