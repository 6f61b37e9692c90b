"""Pages in Chromium that request the stream of events: which of their requests open one."""

import http.server
import threading

import shared
from chip import SECONDS, check

# evil.example and lamp.local are names of this machine. Browsers send `Sec-Fetch-Site` to 127.0.0.1, but not to lamp.local by plain HTTP.
HOSTS = "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP lamp.local 127.0.0.1"
FRAME = '<iframe src="http://%s/page?%s"></iframe>'
# each request ends at the head of its response
PAGE = """<!doctype html><script>
const to = "http://" + location.search.slice(1) + "/rpc?" + location.host + ".";
const load = (name, element) => new Promise((over) => {
  element.onload = element.onerror = over;
  element.src = to + name;
  document.head.append(element);
});
const send = (name, mode, headers) => fetch(to + name, { mode, headers }).catch(() => {});
const events = new Promise((over) => {
  const source = new EventSource(to + "events");
  source.onopen = source.onerror = () => { source.close(); over(); };
});
Promise.all([
  load("img", new Image()), load("script", document.createElement("script")), events,
  send("plain", "no-cors", {}), send("accept", "no-cors", { Accept: "text/event-stream" }),
  send("set", "no-cors", { "Last-Event-ID": "0", "Sec-Fetch-Site": "none" }),
  send("read", "cors", { "Last-Event-ID": "0" }),
]).then(() => fetch("/done"));
</script>"""
# what a page of any site can send without a preflight
BLIND = ("img", "script", "plain", "accept", "set")


class Relay(http.server.ThreadingHTTPServer):
    """Serves pages, and passes other requests to the chip. Keeps the status of each `GET`."""

    daemon_threads = True
    lock = threading.Lock()

    def __init__(self, chip, statuses, done):
        class Handler(http.server.BaseHTTPRequestHandler):
            def relay(self):
                # one connection at a time
                with Relay.lock, chip.connect() as peer:
                    lines = [self.requestline, *(f"{name}: {value}" for name, value in self.headers.items())]
                    peer.sendall("".join(line + "\r\n" for line in [*lines, ""]).encode())
                    status = int(peer.recv(1024)[9:12])
                self.answer(status, b"", [("Content-Type", "text/event-stream")])
                return status

            do_OPTIONS = relay

            def do_GET(self):
                if self.path.startswith("/page"):
                    self.answer(200, PAGE.encode(), [("Content-Type", "text/html")])
                elif self.path == "/frames":
                    self.answer(200, "".join(Relay.frames).encode(), [("Content-Type", "text/html")])
                elif self.path == "/done":
                    self.answer(204, b"", [])
                    done.release()
                elif self.path.startswith("/rpc?"):
                    page, _, name = self.path.removeprefix("/rpc?").rpartition(".")
                    statuses[page, self.headers["Host"], name] = self.relay()
                else:
                    self.answer(404, b"", [])

            def answer(self, status, body, headers):
                self.send_response(status)
                # pages of other origins may read the response
                for name, value in [*headers, ("Content-Length", str(len(body))), ("Access-Control-Allow-Origin", "*")]:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def pages(chip):
    statuses, done = {}, threading.Semaphore(0)
    ours, other = Relay(chip, statuses, done), Relay(chip, statuses, done)
    at = lambda host, relay: f"{host}:{relay.server_port}"
    # name: the page, where the stream is, and the status of each request; without one, the preflight was refused
    refused = dict.fromkeys(BLIND, 403)
    cases = {
        "another site": (at("evil.example", other), at("127.0.0.1", ours), refused | {"events": 403}),
        "another site, plain HTTP": (at("evil.example", other), at("lamp.local", ours), refused | {"events": 403}),
        "another port": (at("127.0.0.1", other), at("127.0.0.1", ours), refused | {"events": 200}),
        "its own": (at("127.0.0.1", ours), at("127.0.0.1", ours), dict.fromkeys((*BLIND, "events", "read"), 200)),
        "its own, plain HTTP": (at("lamp.local", ours), at("lamp.local", ours), refused | {"events": 403, "read": 200}),
    }
    Relay.frames = [FRAME % (page, stream) for page, stream, _ in cases.values()]
    with shared.chromium(f"http://{at('127.0.0.1', other)}/frames", HOSTS):
        finished = [done.acquire(timeout=6 * SECONDS) for _ in cases]
    check("Chromium: five pages", finished, [True] * len(cases))
    for name, (page, stream, wanted) in cases.items():
        got = {kind: status for (its, to, kind), status in statuses.items() if (its, to) == (page, stream)}
        check(f"Chromium: streams for a page of {name}", got, wanted)
    for relay in (ours, other):
        relay.shutdown()
