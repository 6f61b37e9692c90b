"""Runs the WebSocket test suite of Autobahn against the echo of this folder, as server and as client.

run.py ECHO FOLDER PYTHON2: `FOLDER` has the packages of requirements.txt, which need Python 2.7.
"""

import collections
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

ECHO, FOLDER, PYTHON2 = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
# all cases but those of compression, which is not supported
GROUPS = ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "9.*", "10.*"]
CASES = 301
# a close behind a long message, and the codes 5000 and 65536: the suite does not judge them
INFORMATIONAL = {"7.1.6", "7.13.1", "7.13.2"}
AGENT = "nanojsonrpc"


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(port):
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nothing listens on port {port}")


def suite(mode, specification):
    path = FOLDER / f"{mode}.json"
    path.write_text(json.dumps(specification | {"cases": GROUPS, "exclude-cases": [], "exclude-agent-cases": {}}))
    program = "import sys; sys.argv[0] = 'wstest'; from autobahntestsuite.wstest import run; run()"
    command = [PYTHON2, "-c", program, "-m", mode, "-s", str(path), "--webport=0"]
    environment = os.environ | {"PYTHONPATH": str(FOLDER / "packages")}
    return subprocess.Popen(command, cwd=FOLDER, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def judge(side, folder):
    cases = json.loads((folder / "index.json").read_text())[AGENT]
    wrong = {}
    for case, said in cases.items():
        expected = "INFORMATIONAL" if case in INFORMATIONAL else "OK"
        if (said["behavior"], said["behaviorClose"]) != (expected, expected):
            wrong[case] = f"{said['behavior']}, close: {said['behaviorClose']}"
    counts = collections.Counter(said["behavior"] for said in cases.values())
    print(f"autobahn, {side}: {len(cases)} cases: " + ", ".join(f"{count} {fate}" for fate, count in sorted(counts.items())))
    for case, fate in wrong.items():
        print(f"autobahn, {side}: case {case}: {fate}", file=sys.stderr)
    return not wrong and len(cases) == CASES


def server():
    port, reports = free_port(), FOLDER / "servers"
    echo = subprocess.Popen([ECHO, "server", str(port)])
    wait_for(port)
    suite("fuzzingclient", {"outdir": str(reports), "servers": [{"agent": AGENT, "url": f"ws://127.0.0.1:{port}"}]}).wait()
    echo.kill()
    return judge("server", reports)


def client():
    port, reports = free_port(), FOLDER / "clients"
    fuzzing = suite("fuzzingserver", {"outdir": str(reports), "url": f"ws://127.0.0.1:{port}"})
    wait_for(port)
    subprocess.run([ECHO, "client", str(port)], check=True)
    fuzzing.kill()
    return judge("client", reports)


sys.exit(not all([server(), client()]))
