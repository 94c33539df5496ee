"""Divides the sources of a target into batches that compile as one file each.

A batch is parsed and instantiated once for all its files, which takes a third of the time that these
take alone. Sources may declare the same name for themselves (in an unnamed namespace), or one that a
header of another source declares; such sources get different batches.

usage: unity_batches.py ROOT SIZE SOURCE...

ROOT is the folder that includes of the project begin at, SIZE the largest number of sources in a batch.
Writes a line "BATCH SOURCE" for each source, in their order.
"""

import functools
import pathlib
import re
import sys

UNNAMED = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.DOTALL | re.MULTILINE)
INCLUDE = re.compile(r'^#include "(.*)"$', re.MULTILINE)

# Declarations begin in the first column (.clang-format): an alias, a type, or what stands before "(",
# "=", "{", "[" or ";". A word of capitals is a macro.
DECLARATION = re.compile(r"[a-z:\[]|[A-Z]\w*[a-z]")
ALIAS = re.compile(r"using (?:[\w:]*::)?(\w+)(?: =.*)?;")
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|enum class|enum|union) (?:\[\[\w+\]\] )?(\w+)")
FIRST = re.compile(r"(\w+)(?:\(|\s*=|\{|\[|;)")
FURTHER = re.compile(r", (\w+) =")


def declared_names(text, owner):
    """Returns the names that text declares, each with its owner, or with its meaning if it is an alias."""
    names = {}
    for line in text.splitlines():
        if not DECLARATION.match(line):
            continue
        if alias := ALIAS.match(line):
            names[alias.group(1)] = line
        elif kind := TYPE.match(line):
            names[kind.group(1)] = owner
        elif first := FIRST.search(line):
            names.update((name, owner) for name in [first.group(1), *FURTHER.findall(line)])
    return names


@functools.lru_cache(maxsize=None)
def read(path):
    """Returns the text of a file, or nothing for a file that is generated."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


@functools.lru_cache(maxsize=None)
def names_of_header(path):
    return declared_names(read(path), str(path))


def headers_of(source, root):
    """Returns the headers of the project that a source includes, also through others."""
    found, left = set(), [source]
    while left:
        for name in INCLUDE.findall(read(left.pop())):
            header = root / name
            if header not in found:
                found.add(header)
                left.append(header)
    return found


class Batch:
    def __init__(self):
        self.size = 0
        self.local = {}
        self.shared = {}

    def clashes(self, local, shared):
        """Tells whether names of a source mean something else in the batch."""

        def differ(a, b):
            return any(b.get(name, owner) != owner for name, owner in a.items())

        return differ(local, self.local) or differ(local, self.shared) or differ(self.local, shared)

    def add(self, local, shared):
        self.size += 1
        self.local.update(local)
        self.shared.update(shared)


def divide(sources, root, size):
    """Returns the number of each source's batch: the first with room for it and without its names."""
    batches, chosen = [], []
    for source in map(pathlib.Path, sources):
        local = declared_names("\n".join(UNNAMED.findall(read(source))), str(source))
        shared = {}
        for header in headers_of(source, root):
            shared.update(names_of_header(header))
        for number, batch in enumerate(batches):
            if batch.size < size and not batch.clashes(local, shared):
                break
        else:
            number, batch = len(batches), Batch()
            batches.append(batch)
        batch.add(local, shared)
        chosen.append(number)
    return chosen


def main():
    root, size, sources = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    for batch, source in zip(divide(sources, root, size), sources):
        print(batch, source)


if __name__ == "__main__":
    main()
