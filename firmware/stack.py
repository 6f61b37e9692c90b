#!/usr/bin/env python3
"""Computes the peak stack of a job from its machine code (ARM): `stack.py ELF…` prints the deepest chain of calls, with the bytes of each;
`stack.py --circles ELF…` prints the functions that call themselves, of any program, and exits with 1 if there are any.

`measure` compares the computed stack with the painted one. If they differ, it runs the job once more and replays the blocks that ran: then
painted <= replayed <= computed. A byte that is replayed and not painted is reserved, but never written. The rest is due to a call in the
deepest chain that no text causes. Recursion is a fault, and so is each instruction, table or pointer whose effect on the
stack is unknown. The texts are the measured messages and those of probe/src/more.rs, which lead to deeper calls.
"""

import bisect
import collections
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

# A function that calls through a pointer, the functions that it may call, and why only these: the first line that fits. Generic arguments
# are not part of the names. PROGRAM is a function of the measured program.
POINTERS = [
    (r"OfRequest as \S*Definitions>::find$", r"<\S*With as \S*Definitions>::find$", "it filters the registrations of a service"),
    (r"OfRequest as \S*find::\S* as \S*Choice>::is$", r"^(?!.*OfRequest).* as \S*Choice>::is$", "there is no filter in a filter"),
    (r" as \S*Definitions>::find$", r" as \S*Choice>::is$", "dyn Choice"),
    (r"::(Server>::route|target|list|nth)$", r" as \S*Definitions>::find$", "dyn Definitions"),
    (r"::contents::\S* as \S*Members>::write$", r"^(?!.*contents::).* as \S*Members>::write$", "there are no contents in contents"),
    (r"::answer_in$", r" as \S*Members>::write$", "dyn Members"),
    (r"::text_content$", r" as \S*ToText>::put_text$", "dyn ToText"),
    (r"::Identity( as \S*ToJson)?>::(write_json|close)$", r"^(?!.*::Identity ).* as \S*ToJson>::write_json$", "an identity has no identity"),
    (r"::(put_call|put_arguments|put_whole)$", r" as \S*ToJson>::write_json$", "dyn ToJson"),
    (r"::put_post$", r"::put_params$", "PutParams"),
    (r"::(is_shown|Origins>::allow)$", "PROGRAM", "a function of the program"),
    (r"^stream_concurrent::job$|::process_in_async::", r"::block_on::VTABLE::|::concurrent::\{closure", "a waker; the quiet writer"),
]
# The method of a closure that a function lends for a call. The lender waits for the call, so it is in the chain that leads there.
LENT = r"\{closure#\d+\} as \S*::(Choice|Members)>::"
# ends the program, by a function that belongs to it
PANIC = "rust_begin_unwind"

CONDITION = "(eq|ne|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)"
JUMP = re.compile(rf"b{CONDITION}?|cbn?z")
RETURN = re.compile(rf"(pop|add|ldrd?|bx){CONDITION}")
BRANCH = re.compile(rf"b{CONDITION}?|cbn?z|bl|blx|bx{CONDITION}?|tb[bh]|udf")
REGISTERS = [f"r{number}" for number in range(13)] + ["sp", "lr", "pc"]


class Fault(Exception):
    """The stack has no bound, or none that this analysis finds."""


def short(name):
    """The name of a function without generic arguments."""
    kept, depth = "", 0
    for at, letter in enumerate(name):
        if depth:
            depth += (letter == "<") - (letter == ">" and name[at - 1] != "-")
        elif letter == "<" and re.search(r"(::|\w)$", kept):
            kept, depth = kept.removesuffix("::"), 1
        else:
            kept += letter
    return kept


def brief(name):
    """The type and the method, without modules and traits."""
    parts = re.sub(r" as [^<>]*|[<>&]| \(.*\)", "", name).split("::")
    return "::".join(parts[-3 if parts[-1].startswith("{") else -2:])


def saved(registers):
    """The bytes of a list of registers."""
    size = 0
    for part in registers.strip("{}").split(", "):
        first, _, last = part.partition("-")
        if first[0] in "ds" and first[1:].isdigit():
            size += (8 if first[0] == "d" else 4) * (int((last or first)[1:]) - int(first[1:]) + 1)
        else:
            size += 4 * (REGISTERS.index(last or first) - REGISTERS.index(first) + 1)
    return size


class Function:
    def __init__(self, start, name):
        self.start, self.name = start, short(name)
        # address: mnemonic, operands, the comment of the disassembler; the address behind
        self.code, self.behind = {}, {}
        # address: bytes of stack before the instruction and behind it
        self.depths = {}
        # address, bytes of stack, the called function; None through a pointer
        self.calls = []

    def fault(self, at, reason):
        return Fault(f"{self.name}: {' '.join(self.code[at][:2])} at {at:#x} {reason}")


class Program:
    def __init__(self, elf):
        self.elf = pathlib.Path(elf)
        self.functions, self.pool, self.peaks = {}, {}, {}
        function = None
        for line in self.dump("-d", "--no-show-raw-insn", "--demangle"):
            if head := re.fullmatch("([0-9a-f]{8}) <(.*)>:", line):
                function = self.functions[int(head[1], 16)] = Function(int(head[1], 16), head[2])
            elif data := re.match(r" *([0-9a-f]+): (?:[0-9a-f]{2} )+ *\t\.word\t(0x[0-9a-f]+)", line):
                self.pool[int(data[1], 16)] = int(data[2], 16)
            elif code := re.fullmatch(r" *([0-9a-f]+):\s+([a-z][a-z0-9.]*)(?:\t(.*?))?\s*(?:@ (.*))?", line):
                function.code[int(code[1], 16)] = (re.sub(r"\.[wn]$", "", code[2]), code[3] or "", code[4] or "")
        self.starts = sorted(self.functions)
        for function in self.functions.values():
            order = list(function.code)
            function.behind = dict(zip(order, [*order[1:], None]))
        self.find_pointers()
        self.root = next((start for start, function in self.functions.items() if function.name.endswith("::job")), None)

    def dump(self, *options):
        tools = pathlib.Path(subprocess.check_output(["rustc", "--print", "target-libdir"], text=True).strip()).parent / "bin"
        return subprocess.check_output([tools / "llvm-objdump", *options, self.elf], text=True).splitlines()

    def find_pointers(self):
        """Notes each function that may be called through a pointer: its address is in the data or in the code. With it, the functions
        that take its address or that of its table of methods; None is a place in the data."""
        data, takers = {}, collections.defaultdict(set)
        for line in self.dump("-s", "-j", ".rodata", "-j", ".data"):
            if row := re.match(" ([0-9a-f]+) ((?:[0-9a-f]{8} ){1,4})", line):
                for at, word in enumerate(row[2].split()):
                    data[int(row[1], 16) + 4 * at] = int.from_bytes(bytes.fromhex(word), "little")
        for word in data.values():
            takers[word].add(None)
        for function in self.functions.values():
            low = {}
            for mnemonic, operands, comment in function.code.values():
                register, _, value = operands.partition(", #")
                if mnemonic == "movw":
                    low[register] = int(value, 16)
                elif mnemonic == "movt" and register in low:
                    takers[int(value, 16) << 16 | low[register]].add(function.start)
                elif mnemonic == "ldr" and "[pc" in operands:
                    takers[self.pool.get(int(comment.split()[0], 16))].add(function.start)
        self.taken = {}
        for start in sorted(self.functions, key=lambda start: self.functions[start].name):
            found = takers[start + 1] - {None}
            # the table of methods: the function that drops, size, alignment, the method
            for at in [at for at, word in data.items() if word == start + 1]:
                found |= takers[at - 12] or {None}
            if found:
                self.taken[start] = found
        self.lent = {start for start, by in self.taken.items() if re.search(LENT, self.functions[start].name) and None not in by}
        self.lenders = set().union(*(self.taken[start] for start in self.lent))

    def follow(self, function):
        """Follows each path through the function, and notes the depth of the stack at each instruction."""
        # address, depth, depth of the frame pointer
        todo, tables = [(function.start, 0, None)], set()
        while todo:
            at, depth, pointer = todo.pop()
            if at in function.depths and function.depths[at][0] != depth:
                raise function.fault(at, f"has {function.depths[at][0]} or {depth} bytes of stack")
            if at in function.code and at not in function.depths:
                behind, pointer, ways = self.step(function, at, depth, pointer)
                function.depths[at] = (depth, behind)
                todo += [(way, behind, pointer) for way in ways or []]
                if ways is None:
                    tables.add((behind, pointer))
                    if len(tables) > 1:
                        raise function.fault(at, "is a second table, at another depth")
            # a table leads to the other instructions
            rest = next((at for at in function.code if at not in function.depths), None) if tables and not todo else None
            todo += [(rest, *table) for table in tables if rest is not None]

    def step(self, function, at, depth, pointer):
        """The depth and the frame pointer behind an instruction, and the instructions that may follow; None through a table."""
        mnemonic, operands, comment = function.code[at]
        behind = function.behind[at]
        ways = [] if behind is None else [behind]
        size = operands.rpartition("#")[2].rstrip("]!")
        # the linker fills gaps with a byte that is also a jump
        if mnemonic == "bmi" and comment == "imm = #-0x58" and behind is None:
            return depth, pointer, []
        if JUMP.fullmatch(mnemonic) or mnemonic == "bl":
            target = int(re.search("0x[0-9a-f]+", operands)[0], 16)
            # a chip whose jumps are short uses bl for a far one
            is_inside = target in function.code and (mnemonic != "bl" or target != function.start)
            ways = [] if mnemonic == "b" or mnemonic == "bl" and is_inside else ways
            if not is_inside:
                function.calls.append((at, depth, target))
            return depth, pointer, [*ways, target] if is_inside else ways
        if mnemonic in ("bx", "blx") and operands != "lr":
            function.calls.append((at, depth, None))
            return depth, pointer, ways if mnemonic == "blx" else []
        if mnemonic in ("tbb", "tbh") or operands.startswith("pc, "):
            return depth, pointer, None
        # the other path is that behind a return under a condition
        if mnemonic in ("bx", "udf") or RETURN.fullmatch(mnemonic):
            return depth, pointer, [] if mnemonic in ("bx", "udf") else ways
        if mnemonic in ("push", "vpush"):
            return depth + saved(operands), pointer, ways
        if mnemonic in ("pop", "vpop"):
            return depth - saved(operands), pointer, [] if "pc" in operands else ways
        if re.search(r"\[sp, #-?\w+\]!|\[sp\], #", operands):
            return depth - int(size, 0), pointer, ways
        if mnemonic in ("add", "sub", "addw", "subw") and operands.startswith("sp, "):
            size = int(size, 0) if "#" in operands else self.constant(function, at, operands.rpartition(", ")[2])
            return depth + (size if mnemonic[0] == "s" else -size), pointer, ways
        if mnemonic == "mov" and operands.startswith("sp, "):
            return pointer + self.below(function, at, operands.removeprefix("sp, ")), pointer, ways
        if mnemonic in ("add", "mov") and re.fullmatch(r"r7, sp(, #\w+)?", operands):
            return depth, depth - (int(size, 0) if "#" in operands else 0), ways
        if operands.startswith("sp,") and mnemonic not in ("cmp", "stm") or "sp!" in operands or "sp, #" in operands and "!" in operands:
            raise function.fault(at, "moves the stack by an unknown size")
        return depth, pointer, ways

    def constant(self, function, at, register):
        """The constant in a register, which the instruction before `at` has read; negative for a frame."""
        mnemonic, operands, comment = function.code.get(at - 2, ("", "", ""))
        if mnemonic != "ldr" or not operands.startswith(f"{register}, [pc"):
            raise function.fault(at, "moves the stack by an unknown size")
        value = self.pool[int(comment.split()[0], 16)]
        return value - (value >> 31 << 32)

    def below(self, function, at, register):
        """The bytes between the frame pointer and a register, which the instructions before `at` subtract."""
        size, place = 0, at
        while True:
            place -= 2 if place - 2 in function.code else 4
            found = re.fullmatch(rf"{register}, (r7, )?#(\w+)", function.code.get(place, ("", "", ""))[1])
            if not found or function.code[place][0] not in ("sub", "subs"):
                raise function.fault(at, "moves the stack by an unknown size")
            size += int(found[2], 0)
            if found[1]:
                return size

    def calls(self, function, lenders):
        """Each call of the function: the depth there, and what it may call."""
        for at, depth, target in function.calls:
            if target is None:
                yield from ((depth, start) for start in self.pointed(function) if start not in self.lent or self.taken[start] & lenders)
            elif target not in self.functions:
                raise function.fault(at, "calls no function")
            elif not self.functions[target].name.endswith(PANIC):
                yield depth, target

    def pointed(self, function):
        """What a call through a pointer in this function may call."""
        called = next((called for caller, called, _ in POINTERS if re.search(caller, function.name)), None)
        if called is None:
            raise Fault(f"{function.name} calls through a pointer, and POINTERS does not have it")
        called = called.replace("PROGRAM", rf"^<*{self.elf.stem}::(?!job$)")
        return [start for start in self.taken if re.search(called, self.functions[start].name)]

    def deepest(self, start, path=()):
        """The peak of the stack from a call of this function on, and the chain that has it: functions, each with its bytes."""
        function, circle = self.functions[start], path[path.index(start):] if start in path else None
        if circle:
            raise Fault("recursion: " + " > ".join(self.functions[at].name for at in (*circle, start)))
        path = (*path, start)
        key = start, frozenset(path) & self.lenders
        if key not in self.peaks:
            if not function.depths:
                self.follow(function)
            frame = max(map(max, function.depths.values()))
            best = frame, [(start, frame)]
            for depth, target in self.calls(function, key[1]):
                peak, chain = self.deepest(target, path)
                best = max(best, (depth + peak, [(start, depth), *chain]), key=lambda found: found[0])
            self.peaks[key] = best
        return self.peaks[key]

    def circles(self):
        """The functions that call themselves, directly or through others: each that has a way to itself, and those between two circles."""
        calls = {start: set() for start in self.functions}
        for start, function in self.functions.items():
            for mnemonic, operands, _ in function.code.values():
                if JUMP.fullmatch(mnemonic) or mnemonic == "bl":
                    target = int(re.search("0x[0-9a-f]+", operands)[0], 16)
                    # a jump to its own front is a loop
                    calls[start] |= {target} & self.functions.keys() - ({start} if mnemonic != "bl" else set())
        before = None
        while len(calls) != before:
            before, called = len(calls), set().union(*calls.values())
            calls = {start: targets & calls.keys() for start, targets in calls.items() if targets & calls.keys() and start in called}
        return [self.functions[start].name for start in calls]

    def replay(self, blocks):
        """The peak of the stack in a run, and its calls, as pairs of functions. `blocks` are the addresses of the blocks that ran."""
        stack, before, peak, calls = [], None, 0, set()
        for at in blocks:
            start = self.starts[bisect.bisect_right(self.starts, at) - 1]
            caller = stack[-1][0] if stack else None
            if start == at == self.root:
                stack = [(start, 0)]
            elif caller and start == at and (site := self.block(caller, before)[1]) and site[1] in (start, None):
                on_stack = {function for function, _ in stack}
                if start not in {target for _, target in self.calls(self.functions[caller], on_stack)}:
                    raise Fault(f"{self.functions[caller].name} called {self.functions[start].name}: POINTERS or LENT is wrong")
                calls.add((caller, start))
                stack.append((start, stack[-1][1] + site[0]))
            while stack and stack[-1][0] != start:
                stack.pop()
            if stack:
                before, peak = at, max(peak, stack[-1][1] + self.block(start, at)[0])
        return peak, calls

    @functools.cache
    def block(self, start, at):
        """The peak of the stack in a block, and the call at its end: depth and function."""
        function, peak = self.functions[start], 0
        while at in function.depths:
            peak = max(peak, *function.depths[at])
            mnemonic, operands, _ = function.code[at]
            if BRANCH.fullmatch(mnemonic) or "pc}" in operands or operands.startswith("pc, "):
                return peak, next(((depth, target) for site, depth, target in function.calls if site == at), None)
            at = function.behind[at]
        return peak, None


def compare(elf, painted, emulate):
    """The computed stack of a job beside the painted one. `emulate` runs it with more options of QEMU."""
    program = Program(elf)
    computed, chain = program.deepest(program.root)
    replayed, calls, functions = computed, None, program.functions
    if painted != computed:
        # not the measuring, which runs millions of blocks
        logged = (function for function in functions.values() if function.depths or not re.search(r"\bprobe::", function.name))
        ranges = (f"{function.start:#x}+{max(function.code) + 2 - function.start:#x}" for function in logged if function.code)
        with tempfile.NamedTemporaryFile("r") as log:
            emulate("-d", "exec,nochain", "-dfilter", ",".join(ranges), "-D", log.name)
            # Trace 0: 0x7f… [flags/address/…] name
            replayed, calls = program.replay(int(line.split("/", 2)[1], 16) for line in log if line.startswith("Trace"))
    if not painted <= replayed <= computed:
        raise Fault(f"{painted} bytes of stack are painted, {replayed} replayed, {computed} computed")
    pairs = [] if calls is None else [(caller, called) for (caller, _), (called, _) in zip(chain, chain[1:])]
    missing = next((pair for pair in pairs if pair not in calls), None)
    return {
        "stack.computed": computed, "stack.replayed": replayed,
        "stack.chain": [(functions[start].name, size) for start, size in chain],
        "stack.missing": missing and [functions[start].name for start in missing],
    }


# jobs whose deepest chain the documents show
SHOWN = ["envelope", "server", "mcp", "mcp_client"]


def reason(row):
    """Why less stack is replayed than computed."""
    missing = row["stack.missing"]
    return f"`{' > '.join(map(brief, missing))}`" if missing else "each call is made, but in other chains"


def table(chips):
    """The painted, replayed and computed stack of each job, and some chains. `chips` has the rows of each chip; the chains are those of the
    first."""
    first = next(iter(chips.values()))
    lines = [f"| job | {' | '.join(chips)} | the first call in the deepest chain that no text causes |"]
    lines += ["|---" + "|---:" * len(chips) + "|---|"]
    for job in first:
        if rows := [rows[job] for rows in chips.values() if "stack.computed" in rows.get(job, {})]:
            numbers = [[row[name] for name in ("stack.more", "stack.replayed", "stack.computed")] for row in rows]
            cells = [" / ".join(f"{number:,}" for number in (three if three[0] < three[2] else three[:1])) for three in numbers]
            calls = dict.fromkeys(reason(row) for row in rows if row["stack.replayed"] < row["stack.computed"])
            lines.append(f"| `{job}` | {' | '.join(cells)} | {', '.join(calls) or '–'} |")
    lines += ["", "| job | the deepest chain, with the bytes of stack of each function at its call |", "|---|---|"]
    for job in (job for job in SHOWN if "stack.chain" in first.get(job, {})):
        lines.append(f"| `{job}` | " + ", ".join(f"`{brief(name)}` {size:,}" for name, size in first[job]["stack.chain"]) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1] == "--circles":
        found = [name for path in sys.argv[2:] for name in Program(path).circles()]
        print("\n".join(found))
        sys.exit(bool(found))
    for path in sys.argv[1:]:
        program = Program(path)
        peak, chain = program.deepest(program.root)
        print(f"{path}: {peak:,} bytes")
        print("".join(f"{size:7,} {program.functions[start].name}\n" for start, size in chain))
