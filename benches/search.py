"""The search of `benches/count --search` for the text with the most instructions a byte, for each reader of `readers/`.

A text is a start, a repeated part and an end. The repeated part is made of fragments: those of the grammar that the reader reads, and
single bytes. First each start is tried with each fragment; then a climb from the best few changes one thing at a time. The last rounds only
shorten, so that the result shows what is slow. The seed is fixed and the counts do not vary, so each search finds the same.
"""

import random

import hostile

SEED = 2026
# the changes of each round to the best texts
CHANGES = (8, 5, 3, 3)
# and new repeated parts, for the start of the best text
NEW = 6
CLIMB, SHORTEN = 28, 10
# a shorter repeated part may cost this much less
LOSS = 0.995
LENGTHS = {"x86_64": 4096, "cortex-m3": 1024}
MAX_REPEATED = 96

STRINGS = [b"a", b"x", b" ", b"\\n", b"\\/", b"\\\\", b"\\u0041", b"\\u00e9", b"\\u2028", b"\\ud83d\\ude00", b"\x7f", "é".encode(),
           "日".encode(),
           "\u0800".encode(), "\ud7ff".encode(), "😀".encode(), b"seventeen letters", b"\xff", b"\xed\xa0\x80"]
NUMBERS = [b"0", b"1", b"9", b"00000000", b"99999999", b"12345678901234567", b".", b"e", b"-"]
VALUES = [b"0,", b"1,", b"-1,", b"12345678,", b"123456789012345678,", b"1.5,", b"0.1e-7,", b"1e1,", b"-9E+99,", b"2.2250738585072011e-308,",
          b"9007199254740993.0,", b"null,", b"true,", b"false,", b'"",', b'"a",', b'"\\n",', b'"\\u0041",', b'"\\ud83d\\ude00",',
          '"é",'.encode(),
          '"日",'.encode(), b'"seventeen letters",', b"[],", b"{},", b"[[]],", b"[{}],", b"[[[[[[[[]]]]]]]],", b"[0],", b'{"":0},',
          b'{"a":{"a":0}},',
          b'{"\\u0041":0},', b" ", b"\n", b"\t \t", b"[", b"]", b"{", b'"']
NAMES = [b"", b"a", b"sensor", b"sensorz", b"s\\u0065nsor", b"\\u0041", "é".encode(), b"sensors", b"last", b"value", b"id", b"at",
         b"celsius",
         b"method", b"paramz", b"m\\u0065thod", b"jsonrp\\u0063", b"seventeen letters"]
MEMBERS = [b'"%s":%s' % (name, value) for name in NAMES for value in (b"0,", b'"",', b"{},")] + [b" ", b"\n"]
# starts and ends of values that hold values, members, a string and a number
ARRAYS = [(b"[", b"0]"), (b"[" * 8, b"0" + b"]" * 8), (b"[" * 60, b"0" + b"]" * 60), (b"[[],{},", b"0]")]
OBJECTS = [(b"{", b'"z":0}'), (b'{"a":' * 60 + b"{", b'"z":0' + b"}" * 61), (b'{"sensors":{"last":[{', b'"z":0}]}}')]
TEXTS = [(b'["', b'"]'), (b'{"', b'":0}'), (b'"', b'"')]
DIGITS = [(b"[", b"1]"), (b"[-1", b"1]"), (b"[0.", b"1]"), (b"[1e", b"1]"), (b"[1e-", b"1]"), (b"1", b"1")]
VALUE = [(ARRAYS, VALUES), (OBJECTS, MEMBERS), (TEXTS, STRINGS), (DIGITS, NUMBERS)]
CALLS = [b'{"jsonrpc":"2.0","method":"m"},', b'{"jsonrpc":"2.0","id":1,"method":"m"},',
         b'{"jsonrpc":"2.0","id":"\\u0041","method":"\\u0041"},',
         b'{"jsonrpc":"2.0","id":1,"result":0},', b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}},', b'{"method":"m"},',
         b'{"id":1},',
         b'{"id":"\\u0041"},', b'{"jsonrpc":"2.0","id":1,"method":"level"},', b'{"jsonrpc":"2.0","id":1,"method":"subtract"},',
         b'{"jsonrpc":"2.0","id":1,"method":"subtract","params":[1,2]},', b'{"jsonrpc":"2.0","id":1,"method":"scale","params":[1e-9]},',
         b'{"jsonrpc":"2.0","method":"led.set","params":{"on":true}},', b'{"jsonrpc":"2.0","id":1,"method":"level","params":[]},',
         b'{"id":1,"method":"level"},', b'{"jsonrpc":"1","id":1},', b"{},", b"1,", b"[],", b'"",', b" "]
READINGS = [b"{},", b'{"sensor":""},', b'{"sensor":"\\u0041"},', b'{"at":1},', b'{"at":-9223372036854775808},', b'{"celsius":1},',
            b'{"celsius":1e-9},', b'{"celsius":2.2250738585072011e-308},', b'{"celsius":9007199254740993.0},', b'{"samples":[]},',
            b'{"samples":[1]},', b'{"samples":[0.1,1e9]},', b'{"a":0},', b'{"\\u0061t":1},', b"[],", b'["",1],', b" "]


def inside(before, pairs, after):
    return [(before + start, end + after) for start, end in pairs]


RESULT = b'{"jsonrpc":"2.0","id":1,"result":'
PARAMS = b'{"jsonrpc":"2.0","id":1,"method":"scale","params":'
MESSAGE = [(inside(before, pairs[:2], b"}"), fragments) for before in (RESULT, PARAMS) for pairs, fragments in VALUE]
MESSAGE += [([(b'{"jsonrpc":"2.0",', b'"id":1,"result":0}'), (b"{", b'"jsonrpc":"2.0","id":1,"method":"m"}')], MEMBERS),
            ([(b'{"jsonrpc":"2.0","id":"', b'","method":"m"}'), (b'{"jsonrpc":"2.0","id":1,"method":"', b'"}'),
              (b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"', b'"}}')], STRINGS),
            ([(b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"",', b'"z":0}}')], MEMBERS)]
BATCH = [([(b"[", b"0]"), (b"[", b'{"jsonrpc":"2.0","method":"m"}]')], CALLS + VALUES)]
TYPED = [([(b"[", b"{}]")], READINGS + VALUES), ([(b"[{", b'"z":0}]')], MEMBERS), ([(b'[{"sensor":"', b'"}]')], STRINGS),
         ([(b'[{"samples":[', b"0]}]")], VALUES), ([(b'[{"celsius":' + start, end + b"}]") for start, end in
                                                   [(b"1", b"1"), (b"0.", b"1"), (b"1e", b"1"), (b"1e-", b"1")]], NUMBERS)]
LINES = [([(b"", b"")], [b"\n", b"\r\n", b"\r", b"a", b"{}\n", b" \n", b"\xef\xbb\xbf", b"\xef\xbb\xbf{}\n", b"\0", b"a" * 60, b"C",
                         b"A /", b"T", b"\x16\x03"]),
         ([(b"GET /", b"")], [b"a", b" ", b"a\n"])]
LENGTH = [([(b"", b"")], [b"Content-Length: 0\r\n\r\n", b"Content-Length:1\r\n\r\n1", b"content-length: 2\n\n{}",
                          b"Content-Length: 999\r\n\r\n", b"\r\n",
                          b"\n", b"a", b":", b"a:b\r\n", b"Content-Type: a\r\n", b"Content-Length: 2\r\n", b"Content-Length", b"C", b"C\n",
                          b"Co", b" ",
                          b"\xef\xbb\xbf", b"Content-Length: x\r\n", b"1"])]
STREAM = [([(b"", b""), (b"[", b"]")], VALUES + [b"{}", b"[]", b"1 ", b"1\n", b"{", b"}", b"[\n", b"]\n", b"x\n", b"[x\n", b"\xef\xbb\xbf",
                                                 b'"a"', b"\n["]), ([(b"", b""), (b"GET /", b"")], [b"C", b"a"])]
EVENTS = [([(b"", b"")], [b"data:\n\n", b"data: a\n\n", b"data:a\n", b"data\n", b"data:\n", b"\n", b"\r", b"\r\n", b":\n", b"id:1\n",
                          b"event:a\n",
                          b"retry:1\n", b"a\n", b"dat\n", b"data: {}\r\n\r\n", b"data", b"d", b"a", b"\xef\xbb\xbf", b"id: \0\n", b": \n"])]


def masked(first, payload):
    key = b"\x37\xfa\x21\x3d"
    return bytes([first, 0x80 | len(payload)]) + key + bytes(byte ^ key[at % 4] for at, byte in enumerate(payload))


SOCKET = [([(b"", b""), (masked(1, b"a"), b"")],
           [masked(first, payload) for first in (0x81, 0x82, 0x01, 0x00, 0x80, 0x89, 0x8A) for payload in (b"", b"a", b"1234567",
                                                                                                           "é".encode())] +
           [masked(0x00, b"\xf0"), masked(0x00, b"\x9f"), masked(0x00, b"\xf0\x9f\x98"), masked(0x00, b"\x80"),
            masked(0x81, b"a" * 100), masked(0x81, "日".encode() * 40)])]
CHUNKS = [([(b"", b"0\r\n\r\n"), (b"0\r\n", b"\r\n")],
           [b"1\r\na\r\n", b"01\r\na\r\n", b"1;\r\na\r\n", b"1;a=b\r\na\r\n", b'1;a="b"\r\na\r\n', b"00", b"a:b\r\n", b"2\r\nab\r\n",
            b"8\r\n12345678\r\n",
            b"f\r\n123456789012345\r\n", b";", b"a"])]
FIELDS = [b"a:\r\n", b"a:b\r\n", b"a: b \r\n", b"a:" + b" " * 20 + b"\r\n", b"a:\n", b"a", b":", b"\r\n", b"\t", b" ", b"Host:a\r\n",
          b"Content-Length:1\r\n",
          b"Content-Type:application/json\r\n", b"Transfer-Encoding:chunked\r\n", b"Expect:100-continue\r\n", b"Connection:close,\r\n",
          b"Origin:a\r\n",
          b"Sec-Fetch-Site:a\r\n", b"Last-Event-ID:1\r\n", b"x-a:b\r\n", b"close,", b"keep-alive , ", b"charset=a;", b"0", b"z"]
HEADS = [([(b"HTTP/1.1 200 OK\r\n", b"\r\n"), (b"HTTP/1.1 200 ", b"\r\n\r\n"), (b"HTTP/1.1 200 OK\r\na:", b"\r\n\r\n")], FIELDS)]
REQUEST = [([(b"Host:a\r\nContent-Length:1\r\nContent-Type:application/json\r\n", b"\r\n"), (b"", b"\r\n")] +
            [(name + b":", b"\r\n\r\n") for name in (b"Host", b"Connection", b"Content-Length", b"Origin", b"Expect",
                                                     b"Transfer-Encoding")] +
            [(b"Host:a\r\nContent-Length:1\r\nContent-Type:application/json;", b"\r\n\r\n")], FIELDS)]
TARGETS = [([(b"/rpc/a?", b"a"), (b"/rpc/", b""), (b"/rpc/a?a=", b""), (b"/rpc/a?a=[", b"0]"), (b"/rpc/a?a=%22", b"%22"), (b"/", b""),
             (b"/rpc/a?", b"=1")],
            [b"a", b"%41", b"+", b"=", b"&", "é".encode(), b"%C3%A9", b"%0a", b"a&", b"%22", b"%5B", b"%5D,", b"0,", b"[", b"/",
             hostile.NUMBER + b"&",
             b"n" * 20 + hostile.NUMBER + b"=1&", b"%41" * 20 + hostile.NUMBER + b"=1&", b"n" * 50 + hostile.NUMBER + b"&", b"null", b"\\",
             b"1"])]
GRAMMARS = {"message": MESSAGE, "request": MESSAGE, "envelope": MESSAGE, "batch": BATCH, "members": VALUE, "elements": VALUE,
            "pointer": VALUE,
            "every value": VALUE, "typed": TYPED, "lines": LINES, "length": LENGTH, "values": STREAM, "events": EVENTS, "websocket": SOCKET,
            "chunked": CHUNKS, "response head": HEADS, "request head": REQUEST, "target": TARGETS, "server": MESSAGE,
            "server, batch": BATCH}


class Climb:
    """The search for one reader. A text is a tuple: start, fragments, end, and what its grammar has: the end and the fragments."""

    def __init__(self, reader, len_):
        self.reader, self.len, self.random = reader, len_, random.Random(f"{SEED} {reader}")
        self.costs = {}
        pieces = GRAMMARS[reader.removesuffix(", bytewise")]
        self.next = [(start, (fragment,), end, (end, tuple(fragments)))
                     for pairs, fragments in pieces for start, end in pairs for fragment in fragments]
        # and what earlier searches found, for either machine
        known = tuple(fragment for _, fragments in pieces for fragment in fragments)
        old = [parts for (of, name), parts in hostile.read().items() if of == reader and name in hostile.WORST.values()]
        self.next += [(start, (repeated,), end, (end, known)) for start, repeated, end in old]

    def parts(self, text):
        start, fragments, end, _ = text
        return start, b"".join(fragments), end

    def is_fitting(self, text):
        parts = self.parts(text)
        return 0 < len(parts[1]) <= MAX_REPEATED and parts not in self.costs and len(hostile.fill(parts, self.len)) <= self.len

    def candidates(self):
        unique = {self.parts(text): text for text in self.next if self.is_fitting(text)}
        self.next = list(unique.values())
        return [(self.reader, hostile.fill(parts, self.len)) for parts in unique]

    def counted(self, counts):
        for text, count in zip(self.next, counts):
            parts = self.parts(text)
            self.costs[parts] = (count / len(hostile.fill(parts, self.len)), text)

    def best(self):
        """The best texts, at most two with the same start, so that the climb does not keep to one."""
        kept, starts = [], []
        for _, text in sorted(self.costs.values(), key=lambda one: (-one[0], len(one[1][1]), one[1][:3])):
            if starts.count(text[0]) < 2:
                kept.append(text)
                starts.append(text[0])
            if len(kept) == len(CHANGES):
                break
        return kept

    def changed(self, text):
        start, fragments, end, grammar = text
        fragments, choose, (_, known) = list(fragments), self.random, grammar
        at = choose.randrange(len(fragments))
        match choose.randrange(7):
            case 0 | 1:
                fragments.insert(at, choose.choice(known))
            case 2:
                fragments[at] = choose.choice(known)
            case 3 if len(fragments) > 1:
                del fragments[at]
            case 4:
                fragments = fragments + fragments[at:]
            case 5:
                end = choose.choice([end[:-1] + b"!", end, b""]) if end else b"!"
            case _:
                # one byte less, or another one
                place = choose.randrange(len(fragments[at]))
                new = choose.choice([b"", bytes([choose.choice(b"019aeE+-.,:;\"\\[]{} \t\n\r\0\x7f\x80\xc3\xe0\xed\xf0%&=#")])])
                fragments[at] = fragments[at][:place] + new + fragments[at][place + 1:]
        return start, tuple(filter(None, fragments)), end, grammar

    def shorter(self):
        """All texts with a few bytes less, of the front, or with the end of the grammar."""
        _, repeated, end = self.parts(self.shortest)
        start, *_, grammar = self.shortest
        shorter = {repeated[:at] + repeated[at + width:] for width in (1, 2, 4, 8, 16, 32) for at in range(0, len(repeated), width)}
        shorter |= {repeated[:at] for at in range(1, len(repeated))}
        return [(start, (repeated,), end, grammar) for repeated in sorted(shorter)] + [(start, (repeated,), grammar[0], grammar)]

    def step(self, number):
        if number < CLIMB:
            best = self.best()
            self.next = [self.changed(text) for text, number in zip(best, CHANGES) for _ in range(number)]
            start, _, end, grammar = best[0]
            self.next += [(start, tuple(self.random.choices(grammar[1], k=2 + at % 3)), end, grammar) for at in range(NEW)]
            return
        if number == CLIMB:
            self.shortest = self.best()[0]
            self.goal = LOSS * self.cost(self.shortest)
        else:
            done = [text for text in self.next if self.cost(text) >= self.goal]
            self.shortest = min([*done, self.shortest], key=self.size)
        self.next = self.shorter()

    def cost(self, text):
        return self.costs[self.parts(text)][0]

    def size(self, text):
        return len(self.parts(text)[1]), text[2] != text[3][0], -self.cost(text), self.parts(text)


def search(machine, count, print_):
    """{reader: (parts, instructions a byte)} of the worst text of each reader, and the number of texts that were counted."""
    climbs = [Climb(reader, LENGTHS[machine]) for reader, name in hostile.read() if name == "usual"]
    tried = 0
    for number in range(CLIMB + SHORTEN):
        chunks = [climb.candidates() for climb in climbs]
        counts = iter(count([text for chunk in chunks for text in chunk]) if any(chunks) else [])
        for climb, chunk in zip(climbs, chunks):
            climb.counted([next(counts) for _ in chunk])
            climb.step(number)
        tried += sum(map(len, chunks))
        print_(f"round {number + 1} of {CLIMB + SHORTEN}: {tried:,} texts")
    return {climb.reader: (climb.parts(climb.shortest), climb.cost(climb.shortest)) for climb in climbs}, tried
