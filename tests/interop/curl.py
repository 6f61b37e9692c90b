"""curl against the example http: each status of its server, a body behind 100-continue, batches, events by Last-Event-ID."""

import atexit
import json
import subprocess
import time

from harness import EXAMPLES, SECONDS, check, equal, finish

CALL = '{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}'
JSON = ["-H", "content-type: application/json"]

server = subprocess.Popen([EXAMPLES / "http", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
atexit.register(server.wait)
atexit.register(server.kill)
line = server.stdout.readline().strip()
url = line.removeprefix("listening on ") if line.startswith("listening on http://") else "http://127.0.0.1:1/rpc"


def curl(*arguments, path=""):
    """The status, the body and the headers of the last response, in lower case."""
    command = ["curl", "--silent", "--show-error", "--max-time", str(SECONDS), "--dump-header", "-", *arguments, url + path]
    output = subprocess.run(command, capture_output=True, check=True, timeout=2 * SECONDS).stdout
    status = None
    while output.startswith(b"HTTP/1.1 "):
        head, _, output = output.partition(b"\r\n\r\n")
        status, *headers = head.decode().split("\r\n")
    return int(status.split()[1]), output.decode(), dict(header.lower().split(": ") for header in headers)


def call(*more):
    status, body, headers = curl(*JSON, *more, "--data", CALL)
    equal((status, json.loads(body)), (200, {"jsonrpc": "2.0", "result": 19, "id": 1}))
    equal(headers["content-type"], "application/json")


def batch():
    status, body, _ = curl(*JSON, "--data", f'[{CALL},{{"jsonrpc":"2.0","method":"say","params":["batch"]}},1]')
    equal((status, [answer["id"] for answer in json.loads(body)]), (200, [1, None]))


def awaited():
    """curl waits for a second unless the server sends 100-continue."""
    begin = time.monotonic()
    status, body, _ = curl(*JSON, "-H", "expect: 100-continue", "--data", CALL + " " * 60_000)
    equal((status, json.loads(body)["result"]), (200, 19))
    equal(time.monotonic() - begin < 0.9, True)


def twice():
    """A connection is reused, also after a refusal without a body."""
    command = ["curl", "--silent", "--show-error", "--write-out", "%{http_code} %{num_connects}\n", "-o", "/dev/null"]
    post = [*JSON, "--data", CALL]
    output = subprocess.run(
        [*command, *post, url, "--next", *command[1:], url + "/x", "--next", *command[1:], *post, url],
        capture_output=True, check=True, timeout=SECONDS, text=True,
    ).stdout
    equal(output.splitlines(), ["200 1", "404 0", "200 0"])


def status(wanted, *arguments, path="", header=None):
    def run():
        got, body, headers = curl(*arguments, path=path)
        equal((got, headers.get(header[0]) if header else None), (wanted, header[1] if header else None))
        if wanted in (400,):
            equal(json.loads(body)["id"], None)
        else:
            equal(body, "")

    return run


def events():
    listener = subprocess.Popen(
        ["curl", "--silent", "--no-buffer", "--max-time", str(SECONDS), "-H", "sec-fetch-site: none", url],
        stdout=subprocess.PIPE, text=True,
    )
    try:
        equal(listener.stdout.readline(), ":\n")
        for words in "ab":
            equal(curl(*JSON, "--data", json.dumps({"jsonrpc": "2.0", "method": "say", "params": [words]}))[0], 204)
        lines = []
        while len(lines) < 4:
            line = listener.stdout.readline()
            equal(bool(line), True)
            lines += [line.strip()] if line.startswith(("id:", "data:")) else []
    finally:
        listener.kill()
        listener.wait()
    equal([json.loads(line.removeprefix("data: "))["params"] for line in lines[1::2]], [["a"], ["b"]])
    # another one comes back with the first id, and gets the second event
    again = subprocess.run(
        ["curl", "--silent", "--no-buffer", "--max-time", "1", "-H", "last-event-id: " + lines[0].removeprefix("id: "), url],
        capture_output=True, text=True, timeout=SECONDS,
    ).stdout
    equal([line for line in again.splitlines() if line.startswith(("id:", "data:"))], lines[2:])


check("curl: a call", call)
check("curl: a call in chunks", lambda: call("-H", "transfer-encoding: chunked"))
check("curl: a batch", batch)
check("curl: a body behind 100-continue", awaited)
check("curl: three requests on a connection", twice)
check("curl: 204", status(204, *JSON, "--data", '{"jsonrpc":"2.0","method":"say","params":["x"]}'))
check("curl: 400", status(400, *JSON, "--data", "{"))
check("curl: 403", status(403, *JSON, "-H", "origin: http://evil.com", "--data", CALL))
check("curl: 403, a stream", status(403))
check("curl: 404", status(404, *JSON, "--data", CALL, path="/x"))
check("curl: 405", status(405, "-X", "PUT", *JSON, "--data", CALL, header=("allow", "get, post")))
check("curl: 411", status(411, "-X", "POST", *JSON))
check("curl: 413", status(413, *JSON, "-H", "expect:", "--data", " " * 65_537))
check("curl: 415", status(415, "--data", CALL))
check("curl: 415, a coding", status(415, *JSON, "-H", "content-encoding: gzip", "--data", CALL, header=("accept-encoding", "identity")))
check("curl: 417", status(417, *JSON, "-H", "expect: 200-ok", "--data", CALL))
check("curl: events, and those that were missed", events)
finish()
