"""Runs a server for another program and records every line of both directions, in order.

tee.py FOLDER COMMAND...: a new file in the folder for each run, each line of it `{"from": ..., "line": ...}`; at the end
`{"status": ..., "seconds": ...}`, how the server ended and how long after the end of its input.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
lock = threading.Lock()


def keep(record, **entry):
    with lock:
        record.write(json.dumps(entry) + "\n")
        record.flush()


def copy(name, reader, writer, record):
    """Copies `reader` to its end; records each line before passing it on."""
    try:
        for line in reader:
            # bytes that are not UTF-8 are restored unchanged
            keep(record, **{"from": name, "line": line.decode("utf-8", "surrogateescape")})
            writer.write(line)
            writer.flush()
    except OSError:
        # one of the two is gone
        pass


with (folder / f"{time.time_ns()}.jsonl").open("w") as record:
    server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    ended_at = []

    def feed():
        copy("client", sys.stdin.buffer, server.stdin, record)
        ended_at.append(time.monotonic())
        try:
            server.stdin.close()
        except OSError:
            pass

    threading.Thread(target=feed, daemon=True).start()
    copy("server", server.stdout, sys.stdout.buffer, record)
    status = server.wait()
    keep(record, status=status, seconds=time.monotonic() - ended_at[0] if ended_at else None)
# also while the other thread still waits for its client
os._exit(status)
