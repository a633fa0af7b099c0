#!/usr/bin/env python3
"""How fast does the product store?  Sends distinct realistic messages over TCP (azekura-bench load) into the real
receiver and a private PostgreSQL on this machine, waits until the last one is stored, and prints messages/s,
CPU microseconds a message of receiver and PostgreSQL, and bytes a message.

The reference of the same run is the same load into a sink that only reads: what the generator and loopback give
without a product.  The ratio of the two says more than either on a machine that others share.

    AZEKURA_BUILD=build tests/bench/ingest.py [--messages 5000000] [--connections 4] [--runs 3]
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from azk import Product, wait_for  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pids):
    """User and system time of processes, their reaped children included."""
    total = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(fields[i]) for i in (11, 12, 13, 14))
    return total / TICK


def process_tree(pid):
    """A process and its living descendants; those that end meanwhile are left out."""
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid] + [p for child in children for p in process_tree(int(child))]


def load(program, address, port, messages, connections, seed):
    """Send `messages` in all; what the generator says of it."""
    done = subprocess.run(
        [program, "load", "--mix", "--rate", "0", "--number", str(messages // connections), "--active-connections", str(connections),
         "--seed", str(seed), "--json", "--quiet", address, str(port)],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def sink_rate(program, messages, connections, seed):
    """Messages/s into a process that only reads."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=connections)

    def drain(connection):
        buffer = bytearray(1 << 18)
        while connection.recv_into(buffer):
            pass
        connection.close()

    def serve():
        threads = [threading.Thread(target=drain, args=(listener.accept()[0],)) for _ in range(connections)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    server = threading.Thread(target=serve)
    server.start()
    said = load(program, "127.0.0.1", listener.getsockname()[1], messages, connections, seed)
    server.join()
    listener.close()
    return said["rate"]


def one_run(box, messages, connections, seed):
    receiver = [box.processes["receiver"].pid]
    database = process_tree(box.cluster.process.pid)
    stored = box.ledger()["stored"]
    size = "select coalesce(sum(pg_total_relation_size(oid)), 0) from pg_class where relname like 'log_block_%' and relkind = 'r'"
    before = cpu_seconds(receiver), cpu_seconds(database), int(box.value(size))
    start = time.monotonic()
    host, port = box.address("tcp")
    said = load(box.program / "bin" / "azekura-bench", host, port, messages, connections, seed)
    wait_for(lambda: box.ledger()["stored"] >= stored + said["sent"], "all is stored", 600, 0.05)
    elapsed = time.monotonic() - start
    after = cpu_seconds(receiver), cpu_seconds(process_tree(box.cluster.process.pid)), int(box.value(size))
    n = said["sent"]
    return {
        "rate": n / elapsed,
        "receiver_us": (after[0] - before[0]) / n * 1e6,
        "database_us": (after[1] - before[1]) / n * 1e6,
        "bytes": (after[2] - before[2]) / n,
        "sent_bytes": said["bytes"] / n,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=5_000_000)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    messages = options.messages - options.messages % options.connections
    results, references = [], []
    with Product(daemons=("receiver",)) as box:
        program = box.program / "bin" / "azekura-bench"
        print(f"{messages:,} messages over {options.connections} TCP connections, {os.cpu_count()} cores\n")
        print("  run   stored/s   of the sink   receiver µs   database µs   stored bytes   sent bytes")
        for i in range(options.runs):
            references.append(sink_rate(program, messages, options.connections, 100 + i))
            r = one_run(box, messages, options.connections, 200 + i)
            results.append(r)
            print(f"{i + 1:5} {r['rate']:10,.0f} {r['rate'] / references[-1]:11.1%} {r['receiver_us']:15.2f} {r['database_us']:13.2f}"
                  f" {r['bytes']:14.1f} {r['sent_bytes']:12.1f}", flush=True)
        median = {key: statistics.median(r[key] for r in results) for key in results[0]}
        print(f"\nmedian {median['rate']:,.0f} messages/s stored ({median['rate'] / statistics.median(references):.0%} of a sink that only"
              f" reads), {median['receiver_us']:.2f} + {median['database_us']:.2f} µs CPU a message (receiver + PostgreSQL),"
              f" {median['bytes']:.1f} bytes a message of {median['sent_bytes']:.0f}")
        box.assert_ledger()


if __name__ == "__main__":
    main()
