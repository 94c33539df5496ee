#!/usr/bin/python3
"""Loads every robot and world of the data beside the project, and runs it with a ledger that closes.

usage: robots_test.py PROGRAM
Reads all URDF, SDF, world and MJCF files below ../shared/data; exits with 77 (skipped) where there are none.
Under AMONTONS_TEST_SIZE=long each is simulated for 5 s, else for 0.4 s. A robot with a fixed base hangs there, one
with a free base drops on the ground, and worlds stay as they are.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared/data"
SUFFIXES = (".urdf", ".sdf", ".world", ".xml", ".mjcf")

# Files that cannot be loaded, and the text that the error must contain.
REFUSED = {
    "solo.urdf": "solo.urdf:30: cannot find",  # its meshes are missing
    "links-no-slip.xml": "links-no-slip.xml:1: <XML> is the root element of no model",  # a file of another program
    "links-viscous.xml": "links-viscous.xml:1: <XML> is the root element of no model",
}
MAX_FAULTS = 20  # that are told at once
SCENE = """amontons: 1
simulation: {{step: 0.001, duration: 1}}
models:
  - {{name: robot, file: "{file}", base: {base}, pose: {{position: [0, 0, {height}]}}}}
bodies:
  - {{name: ground, fixed: true, shapes: [{{half_space: {{normal: [0, 0, 1], offset: {ground}}}}}]}}
"""
HEIGHT = {"hyq_no_sensors": 1.0, "panda": 0.5, "panda_collision": 0.5}
FAR_BELOW = -100.0

CLOSED = 1e-6  # unexplained share of the energy exchanged
ROUNDING = 1e-12  # rounding of some joules at rest, where nothing is exchanged [J]


def all_files() -> list[pathlib.Path]:
    files = [path for path in DATA.rglob("*") if path.suffix in SUFFIXES and path.name != "package.xml"]
    return sorted(files)


def scenes_of(file: pathlib.Path, folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Makes the scenes that run a file. The data folder is read-only: scenes lie elsewhere and name its path."""
    if file.suffix != ".urdf":
        return {"as it is": file}
    scenes = {}
    for base, height, ground in (("fixed", 0.0, FAR_BELOW), ("free", HEIGHT.get(file.stem, 0.4), 0.0)):
        scene = folder / f"{file.stem}_{base}.yaml"
        scene.write_text(SCENE.format(file=file, base=base, height=height, ground=ground))
        scenes[{"fixed": "held", "free": "dropped"}[base]] = scene
    return scenes


def energy_fault(energy: dict) -> str:
    """Checks the ledger: its unexplained part is rounding, and works sum to the change of energy."""
    works = {name: value for name, value in energy.items()
             if name not in ("kinetic", "potential", "exchanged", "unexplained_in_all_steps")}
    allowed = CLOSED * energy["exchanged"] + ROUNDING
    if not energy["unexplained_in_all_steps"] <= allowed:
        return f"{energy['unexplained_in_all_steps']} J of {energy['exchanged']} J are left unexplained"
    stored = [energy["kinetic"][i] + energy["potential"][i] for i in (0, 1)]
    given = sum(work for name, work in works.items() if name not in ("gravity", "springs"))
    if not abs(stored[1] - stored[0] - given) <= allowed:
        return f"energy changes by {stored[1] - stored[0]} J, works sum to {given} J"
    change = energy["kinetic"][1] - energy["kinetic"][0]
    if not abs(change - sum(works.values())) <= allowed:
        return f"kinetic energy changes by {change} J, works sum to {sum(works.values())} J"
    return ""


def simulate(program: str, scene: pathlib.Path, folder: pathlib.Path) -> str:
    """Returns a description of the failure, or nothing."""
    duration = "5" if os.environ.get("AMONTONS_TEST_SIZE") == "long" else "0.4"
    result = subprocess.run([program, "run", str(scene), "--duration", duration, "--no-log", "--quiet", "--json"],
                            capture_output=True, text=True, check=False, cwd=folder)
    if result.returncode != 0 or result.stderr:
        return f"exit code {result.returncode}: {result.stderr.strip()} {result.stdout.strip()[-600:]}"
    summary = json.loads(result.stdout)
    energy = summary["energy"]
    print(f"  {summary['steps']} steps, {summary['contacts']} contacts, overlaps relaxed in "
          f"{summary['relaxed_steps']}, {summary['status']}; of {energy['exchanged']:.3g} J exchanged "
          f"{energy['integration']:+.1e} by integration, {energy['unexplained_in_all_steps']:.1e} unexplained")
    if summary["missed_certificates"] > 0 or summary["time"] < 0.999 * float(duration):
        return f"{summary['missed_certificates']} certificates missed, ended at {summary['time']} s"
    return energy_fault(energy)


def lints(program: str, file: pathlib.Path) -> str:
    """Checks that the ledger describes each fault, and lists what is stored and not used."""
    result = subprocess.run([program, "lint", str(file), "--json"], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return f"lint: exit code {result.returncode}: {result.stderr.strip()}"
    return "" if json.loads(result.stdout)["entries"] else "lint: an empty ledger"


def refuses(program: str, file: pathlib.Path, message: str) -> str:
    """Checks that run and lint end with exit code 2 and a line for each fault of the file."""
    for verb in ("run", "lint"):
        result = subprocess.run([program, verb, str(file)], capture_output=True, text=True, check=False)
        lines = result.stderr.splitlines()
        named = all(line.startswith(f"{file}:") for line in lines)
        if result.returncode != 2 or message not in lines[0] or not named or len(lines) > MAX_FAULTS:
            return f"{verb}: exit code {result.returncode}: {result.stderr.strip()}"
    return ""


def main() -> int:
    program = sys.argv[1]
    if not DATA.is_dir():
        print(f"SKIPPED: no robots at {DATA}")
        return 77
    faults = 0

    def note(what: str, fault: str) -> None:
        nonlocal faults
        if fault:
            print(f"FAULT {what}: {fault}")
            faults += 1

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in all_files():
            print(file.relative_to(DATA), flush=True)
            if file.name in REFUSED:
                note(file.name, refuses(program, file, REFUSED[file.name]))
                continue
            note(file.name, lints(program, file))
            for how, scene in scenes_of(file, folder).items():
                note(f"{file.name} {how}", simulate(program, scene, folder))
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
