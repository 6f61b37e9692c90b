#!/usr/bin/env python3
"""Checks of the sources and documents as a whole: `structure.py walls`, `examples`, or `links FOLDER`. Exits with 1 at a fault.

walls: prints the circles of files in `src`, and each use of an item on a higher floor. A floor is a row of FLOORS; docs/architecture.md
draws them. A circle is a set of files that use each other's items; a folder's `mod.rs` and the files below it are one house, so a name
that `mod.rs` only re-exports counts as that of the file that defines it, and `mod.rs` itself is in no circle. Reads `use` declarations
only, and not those of tests.

examples: prints the public items that occur in no example: a code block of the documentation, the README or docs/, or a program of
examples/. A type or trait also counts if a function that an example calls has it in its signature. The front page of the documentation
names every public module.

links: prints the relative links in the Markdown files below a folder that lead out of it or nowhere. Absolute links are not checked.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
FLOORS = [{"error", "ascii", "base64", "copy", "one_of"}, {"json"}, {"message"}, {"server", "client", "connection", "frame", "memory"},
          {"service", "mcp", "http", "broker", "json_schema"}]


def tree(text):
    """The paths of one `use` tree: `a::{b, c as d}` is a::b and a::c, each with the name that it gets."""
    text = text.strip()
    brace = text.find("{")
    if brace < 0:
        path, _, name = text.partition(" as ")
        path = path.strip()
        return [(path, name.strip() or path.rsplit("::", 1)[-1])] if path else []
    head, parts, depth, start = text[:brace], [], 0, brace + 1
    for at in range(brace, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0 or (depth == 1 and text[at] == ","):
            parts.append(text[start:at])
            start = at + 1
    last = head[:-2].rsplit("::", 1)[-1]
    return [(f"{head}{path}".removesuffix("::self"), last if path == "self" else name) for part in parts for path, name in tree(part)]


def module(path):
    parts = path.relative_to(SRC).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts



def walls():
    files = {module(path): path for path in SRC.rglob("*.rs") if "tests" not in path.relative_to(SRC).with_suffix("").parts}
    uses = {}  # module: {name: absolute path}
    for name, path in files.items():
        text = re.sub(r"//.*", "", path.read_text())
        text = re.sub(r"#\[cfg\((all\()?test\b.*?\)\]\s*((pub )?mod \w+ \{.*|use [^;]*;)", "", text, flags=re.S)
        uses[name] = {}
        for found in re.finditer(r"^\s*(?:pub(?:\([^)]*\))? )?use ([^;]+);", text, flags=re.M):
            for target, given in tree(re.sub(r"\s+", " ", found[1])):
                parts, base = target.split("::"), name
                if parts[0] == "crate":
                    parts, base = parts[1:], ()
                elif parts[0] == "self":
                    parts = parts[1:]
                elif parts[0] == "super":
                    while parts and parts[0] == "super":
                        parts, base = parts[1:], base[:-1]
                elif name + (parts[0],) not in files:
                    continue
                uses[name][given] = base + tuple(parts)

    def home(path, seen=()):
        """The module that defines the item at `path`."""
        for at in range(len(path), -1, -1):
            if path[:at] in files:
                rest = path[at:]
                known = uses[path[:at]].get(rest[0]) if rest else None
                if known is not None and known != path and path not in seen:
                    return home(known + rest[1:], (*seen, path))
                return path[:at]
        return ()

    def floor(module):
        return next((at for at, rooms in enumerate(FLOORS) if module and module[0] in rooms), len(FLOORS))

    arrows = {name: {home(target) for target in uses[name].values()} - {name} for name in files}
    up = sorted((name, target) for name in arrows for target in arrows[name] if target and floor(target) > floor(name))

    def reaches(name):
        found, todo = set(), [name]
        while todo:
            for target in arrows[todo.pop()] - found:
                if files[target].name not in ("mod.rs", "lib.rs") and target not in found:
                    found.add(target)
                    todo.append(target)
        return found

    plain = [name for name in files if files[name].name not in ("mod.rs", "lib.rs")]
    reached = {name: reaches(name) for name in plain}
    circles = {frozenset(other for other in reached[name] if name in reached[other]) for name in plain if name in reached[name]}
    for circle in sorted(map(sorted, circles)):
        print("circle:", ", ".join("/".join(name) for name in circle))
    for name, target in up:
        print("arrow up:", "/".join(name), "->", "/".join(target))
    print(f"walls: {len(circles)} circles, {len(up)} arrows up, {len(files)} files")
    return bool(circles or up) or len(files) < 100


def examples():
    sources = sorted(SRC.rglob("*.rs"))

    # of two packages with an example of one name, the build of one overwrites that of the other
    names = collections.Counter(path.stem for path in [*ROOT.glob("examples/*.rs"), *ROOT.glob("*/examples/*.rs")])
    if twice := [name for name, count in names.items() if count > 1]:
        sys.exit(f"structure: examples of two packages have one name: {', '.join(twice)}")

    # the code of all examples
    code = [path.read_text() for path in sorted(ROOT.glob("examples/**/*.rs"))]
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]:
        code += re.findall(r"(?ms)^```rust.*?$(.*?)^```", path.read_text())
    for path in sources:
        block = None
        for line in path.read_text().splitlines():
            comment = re.match(r"\s*//[/!] ?(.*)", line)
            text = comment[1] if comment else ""
            if comment and text.startswith("```"):
                if block is None:
                    block = []
                else:
                    code.append("\n".join(block))
                    block = None
            elif block is not None:
                block.append(text)
    code = "\n".join(code)
    words = set(re.findall(r"\w+", code))
    called = set(re.findall(r"(?:\.|::|\b)(\w+)(?:::<[^(]*>)?(?:\(|!)", code)) | set(re.findall(r"(?:\.|::)(\w+)", code))

    # types and traits in the signatures of functions that an example calls
    signatures = [
        found
        for path in sources
        for found in re.findall(r"(?ms)^ *pub (?:const |async )*fn (\w+)(.*?)(?:\{$|;$|\{ )", path.read_text())
        + re.findall(r"(?ms)^ *pub \$\(\$async\)\* fn (\w+)(.*?)(?:\{$)", path.read_text())
    ]
    for name, signature in signatures:
        if name in called:
            words |= set(re.findall(r"\b[A-Z]\w+", signature))

    # `unreachable_pub` is a lint error, so every `pub` item is reachable. Items behind `#[doc(hidden)]` and in these modules are for
    # generated code.
    generated = {"src/service/generated.rs", "src/service/generated/tools.rs", "src/json_schema/shape.rs", "src/json_schema/held.rs", "src/mcp/service/declared.rs"}
    item = re.compile(r"^\s*pub (?:const |async |unsafe )*(fn|struct|enum|trait|type|const|static|mod|macro) (\w+)")
    # Types and traits in signatures of hidden functions, or inferred by the compiler: programs never name them.
    inferred = set(
        "AsyncCaller AsyncEndpoint AsyncFeatures AsyncRegistration Decode Definition Definitions HasRoom Keeper Listening Nothing PlainError Purpose"
        " Registration Sent Slot Spans Store Stored Target ToolFailure ToolOutput Unobserved".split()
    )
    # constants of the module `frame` for the implementation of a frame, which only this crate can add
    constants = {"MAX_LEN"}
    # re-exported under `#[doc(hidden)]`, or not re-exported at all: sealing supertraits, and types inside of others
    hidden = {"Sealed"}
    for path in sources:
        for names in re.findall(r"(?ms)#\[doc\(hidden\)\]\s*pub use [\w:]+?::\{?([\w, \n]+)\}?;", path.read_text()):
            hidden |= set(re.findall(r"\w+", names))
    missing, count = [], 0
    for path in sources:
        if str(path.relative_to(ROOT)) in generated:
            continue
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            found = item.match(line)
            if not found:
                continue
            above = number - 1
            attributes = []
            while above >= 0 and re.match(r"\s*(#\[|//|\S.*\]$)", lines[above]):
                attributes.append(lines[above])
                above -= 1
            kind, name = found.groups()
            if any("doc(hidden)" in line for line in attributes) or name in hidden | inferred | constants:
                continue
            count += 1
            if name not in (called if kind == "fn" else words):
                missing.append(f"{path.relative_to(ROOT)}:{number + 1}: {kind} {name}")
    # the objects of MCP's schema are made by macros
    for path in [ROOT / "src/mcp/types/mod.rs", ROOT / "src/mcp/mod.rs"]:
        for names in re.findall(r"(?ms)^pub use [a-z]+::\{?(.*?)\}?;", path.read_text()):
            for name in re.findall(r"\w+", names):
                count += 1
                if name not in words | {"__mcp_schema", "__mcp_uri_template"}:
                    missing.append(f"{path.relative_to(ROOT)}: {name}")
    front = (ROOT / "src/lib.rs").read_text()
    for name in re.findall(r"(?m)^pub mod (\w+);", front):
        if not re.search(rf"(?m)^//!.*[`\[(:]{name}\b", front):
            missing.append(f"src/lib.rs: the front page does not name the module {name}")

    print(f"examples: {count} public items, {len(missing)} in no example", *missing, sep="\n  ")
    # if the search finds few items, it is wrong
    return bool(missing) or count < 400


def links(folder):
    root, count, dead = pathlib.Path(folder).resolve(), 0, []
    pages = {page: re.sub(r"(?ms)^```.*?^```", "", page.read_text()) for page in sorted(root.rglob("*.md"))}
    # the anchors that GitHub and registries generate for headings
    anchors = {page: {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in re.findall(r"(?m)^#+ (.*)$", text)}
               for page, text in pages.items()}
    for page, text in pages.items():
        for target in re.findall(r"\]\((?![a-z]+:)([^)\s]+)\)", text):
            count += 1
            path, _, heading = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.is_relative_to(root) or not file.is_file() or heading and heading not in anchors.get(file, ()):
                dead.append(f"{page.relative_to(root)}: {target}")
    print(f"links: {count} links, {len(dead)} lead out of it or nowhere", *dead, sep="\n  ")
    return bool(dead) or count < 20


sys.exit({"walls": walls, "examples": examples, "links": links}[sys.argv[1]](*sys.argv[2:]))
