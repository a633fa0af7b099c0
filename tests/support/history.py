"""Days of the past in a box's store: real blocks in the pieces they belong to, as the receiver would have left them.

    fill(box, [(datetime, group, messages), …])
"""

import datetime
import os
import subprocess
import tempfile
import uuid

from cluster import TEST_PROGRAMS

UTC = datetime.timezone.utc


def block_rows(at, group, messages, source):
    """Rows of COPY for azekura.log_block: these messages, a millisecond apart."""
    lines = [f"@at {at.astimezone(UTC).isoformat().replace('+00:00', 'Z')}", f"@group {group}", f"@source {source}"]
    lines += [f"<{128 + i % 8}>1 - host{i % 7} app - - - message {i} of {at:%Y-%m-%d} {i * 2654435761 % 2**32:08x}" for i in range(messages)]
    made = subprocess.run([TEST_PROGRAMS / "make_blocks"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return made.stdout.splitlines()


def fill(box, parts, zone="UTC", source="192.0.2.10"):
    """One unit a part, as the receiver writes it: claimed, and stored in the same transaction."""
    run = uuid.uuid4()
    with tempfile.NamedTemporaryFile("w", suffix=".sql", prefix="azk-history-", encoding="utf-8") as script:
        script.write("set timezone = 'UTC';\n")
        for number, (at, group, messages) in enumerate(parts):
            rows = block_rows(at, group, messages, source)
            columns = [row.split("\t") for row in rows]
            arrays = [[c[0] for c in columns], [c[1] for c in columns], [c[4] for c in columns], [c[5] for c in columns],
                      [str(len(r) // 2) for r in rows]]
            text = ", ".join("'{" + ",".join(f'"{v}"' for v in a) + "}'" for a in arrays)
            script.write(f"begin;\nselect azekura.claim_unit('{run}', {number}, '{zone}', {text});\n")
            script.write("copy azekura.log_block from stdin;\n" + "\n".join(rows) + "\n\\.\ncommit;\n")
        script.write("select azekura.measure_pieces();\n")
        script.flush()
        os.chmod(script.name, 0o644)
        box.cluster.psql_file(script.name, one_transaction=False)
