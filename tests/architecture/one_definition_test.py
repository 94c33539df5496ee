"""Checks that every type has one definition. Two of one name in one namespace are undefined behavior
that no compiler reports (the linker keeps one of their inline functions)."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["amontons", "experiments", "tools", "python", "benchmarks", "tests"]
DEFINITION = re.compile(r"^(?:struct|class|enum class|enum) (\w+)(?!::)\b[^;()]*\{")
OPENING = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{")
CLOSING = re.compile(r"^\}  // (?:anonymous )?namespace")


def definitions(path):
    """Returns (namespace::Name, line) of the types defined outside anonymous namespaces."""
    spaces = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if opening := OPENING.match(line):
            spaces.append(opening[1] or "")
        elif CLOSING.match(line):
            spaces.pop()
        elif (definition := DEFINITION.match(line)) and "" not in spaces:
            yield "::".join([*spaces, definition[1]]), number


def main():
    places = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            for name, number in definitions(path):
                places[name].append(f"{path.relative_to(ROOT)}:{number}")
    assert len(places) > 300, f"only {len(places)} types found: is this still how they are written?"
    twice = {name: at for name, at in places.items() if len(at) > 1}
    for name, at in sorted(twice.items()):
        print(f"{name} is defined {len(at)} times: {', '.join(at)}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
