#!/usr/bin/python3
"""Checks `amontons campaign`: plans, faults with their lines, exit codes, Ctrl-C.
usage: campaign_plan_test.py PROGRAM"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import numpy as np

import amontons as am
from harness import run_tests
from throws import SCENE, wait_for

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
PLAN = """amontons_campaign: 1
scene: scene.yaml
parameters:
  materials.wood.friction: {log_range: [0.1, 0.9]}
  simulation.model: [coulomb, frictionless]
samples: 3
seeds: [1, 2]
python: functions.py
start: throw
metrics:
  x: sim.bodies["cube"].position[0]
  far: distance(sim)
  fastest: {max: "np.linalg.norm(sim.v[:3])"}
  lowest: {min: "sim.bodies['cube'].position[2]"}
  count: {sum: "1.0"}
"""
FUNCTIONS = """
import math

def throw(random, simulator):
    return simulator.q, random.uniform(-1.0, 1.0, 6)

def distance(sim):
    return math.hypot(*sim.bodies["cube"].position[:2])
"""


class Folder(tempfile.TemporaryDirectory):
    """A folder with a scene, functions and a plan, changed as asked."""

    def __init__(self, *changes, scene=None):
        super().__init__()
        path = pathlib.Path(self.name)
        (path / "scene.yaml").write_text(json.dumps(scene or SCENE))
        (path / "functions.py").write_text(FUNCTIONS)
        text = PLAN
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        (path / "plan.yaml").write_text(text)

    def __enter__(self):
        return pathlib.Path(super().__enter__())


def campaign(where, *words, code=0, **options):
    """Returns (stdout, stderr) of the program, whose exit code must be that."""
    result = subprocess.run([PROGRAM, "campaign", "plan.yaml", *words], cwd=where,
                            capture_output=True, text=True, check=False, timeout=300, **options)
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    return result.stdout, result.stderr


def test_a_logarithmic_range_has_the_same_bits_on_processors_without_fused_operations():
    code = ("import amontons as am; own = am.Range(3e-5, 0.7, log=True); "
            "print(hash(tuple(own.at(k / 200000) for k in range(200001))))")
    features = ",".join(f"-{name},-{name}_Usable" for name in ("AVX2", "FMA", "FMA4"))
    older = {**os.environ, "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={features}"}
    here, there = (subprocess.run([sys.executable, "-c", code], env=env, check=True,
                                  capture_output=True, text=True).stdout
                   for env in (os.environ, older))
    assert here == there


def test_a_plan_gives_the_table_of_the_python_function():
    with Folder() as where:
        said, progress = campaign(where)
        assert said.startswith("plan.csv: 12 runs, 0 failed, 0 with a step")
        assert "12 of 12 runs, 0 failed" in progress
        names = {}
        exec(FUNCTIONS, names)
        table = am.campaign(
            where / "scene.yaml", {"materials.wood.friction": am.Range(0.1, 0.9, log=True),
                                   "simulation.model": ["coulomb", "frictionless"]},
            {"x": lambda sim: sim.bodies["cube"].position[0], "far": names["distance"],
             "fastest": (max, lambda sim: np.linalg.norm(sim.v[:3])),
             "lowest": (min, lambda sim: sim.bodies["cube"].position[2]),
             "count": (sum, lambda sim: 1.0)},
            samples=3, seeds=[1, 2], start=names["throw"], file=where / "other.csv")
        assert len(set(table["far"])) > 6 and not any(table["error"])
        rows = [[line.split(",", 1)[1] for line in (where / name).read_text().splitlines()]
                for name in ("plan.csv", "other.csv")]
        assert rows[0] == rows[1]
        assert campaign(where, "--quiet")[1] == ""  # all is there
        assert sorted(os.listdir(where)) == ["functions.py", "other.csv", "plan.csv",
                                             "plan.yaml", "scene.yaml"]


def test_functions_of_the_plan_are_part_of_the_digest():
    with Folder() as where:
        campaign(where)
        (where / "functions.py").write_text(FUNCTIONS.replace("math.hypot", "2 * math.hypot"))
        said = campaign(where, code=2)[1]
        assert "plan.csv holds rows of another campaign" in said and "name another file" in said


def test_words_of_the_command_line_go_before_those_of_the_plan():
    with Folder(("samples: 3", "samples: 3\nfile: own.h5\nworkers: 2\nkeep: all")) as where:
        said = json.loads(campaign(where, "-o", "t.csv", "--workers", "1", "--keep", "none",
                                   "--report", "t.html", "--quiet", "--json")[0])
        assert said == {"file": "t.csv", "report": "t.html", "runs": 12, "failed": 0, "missed": 0}
        assert "<svg" in (where / "t.html").read_text()
        assert not any(path.name.startswith("own") or path.name.endswith(".runs")
                       for path in where.iterdir())
        campaign(where, "--quiet")
        assert (where / "own.h5").exists() and len(list((where / "own.h5.runs").iterdir())) == 12


def test_exit_codes_say_how_it_ended():
    with Folder(("x: sim", "x: 1 / int(sim.time > 99) + sim")) as where:
        said, errors = campaign(where, "--keep", "failures", "--report", "r.html", code=1)
        assert "12 runs, 12 failed" in said and "12 of 12 runs, 12 failed" in errors
        assert (where / "r.html").read_text().count("ZeroDivisionError") == 24  # also of all runs
    # No solver reaches a tolerance below the rounding of numbers.
    with Folder(scene=SCENE | {"simulation": SCENE["simulation"] | {
            "tolerance": 1e-17, "acceptable_tolerance": 1e-17}}) as where:
        said = json.loads(campaign(where, "--json", code=3)[0])
        assert said["failed"] == 0 and said["missed"] > 0
    with Folder() as where:
        assert "none/t.csv" in campaign(where, "-o", "none/t.csv", code=5)[1]
        said = json.loads(campaign(where, "--on", "cloud", "--json", code=2)[0])
        assert said["exit_code"] == 2 and said["error"].startswith("plan.yaml: on must be")
        assert "at least 1" in campaign(where, "--workers", "0", code=2)[1]


FAULTS = (
    (("wood.friction", "wood.fricton"), "plan.yaml:4:3: ", "did you mean 'friction'"),
    (("samples: 3", "samples: none"), "plan.yaml:6:10: ", "samples must be a whole number"),
    (("samples: 3", "sample: 3"), "plan.yaml:6:1: ", "did you mean 'samples'"),
    (("seeds: [1, 2]", "seeds: [1, -2]"), "plan.yaml:7:8: ", "seeds must be"),
    (("seeds: [1, 2]", "samples: 4"), "plan.yaml:7:1: ", "'samples' of a plan is given twice"),
    (("python: functions.py", "python: none.py"), "plan.yaml:8:9: ", "No such file"),
    (("start: throw", "start: trow"), "plan.yaml:9:8: ", "must name a function"),
    (("position[0]", "position[0"), "plan.yaml:11:6: ", "metric x is no Python expression"),
    (("{max: ", "{mean: "), "plan.yaml:13:12: ", "one of max, min and sum"),
    (("[coulomb, frictionless]", "coulomb"), "plan.yaml:5:21: ", "must be a list of values"),
    (("[0.1, 0.9]", "[0.9, 0.1]"), "plan.yaml:4:40: ", "ascending order"),
    (("[0.1, 0.9]", "[0, 0.1]"), "plan.yaml:4:40: ", "positive ends"),
    (("[0.1, 0.9]", "[0.1]"), "plan.yaml:4:40: ", "must be two numbers"),
    (("log_range", "range_log"), "plan.yaml:4:28: ", "{range: [low, high]}"),
    (("scene: scene.yaml", "scene: none.yaml"), "none.yaml: ", "there is no such file"),
    (("amontons_campaign: 1\n", ""), "plan.yaml:1:1: ", "begins with `amontons_campaign: 1`"),
    (("amontons_campaign: 1", "amontons_campaign: 2"), "plan.yaml:1:20: ", "must be 1"),
    (("samples: 3", "samples: 3\nkeep: some"), "plan.yaml:7:7: ", "none, failures, all"),
    (("  simulation.model", " simulation.model"), "plan.yaml:5:2: ", "expected <block end>"),
    (("python: functions.py", "python: [1]"), "plan.yaml:8:9: ", "python must be a text"),
    (("  fastest", "  seed"), "plan.yaml: ", "columns of the table would be named seed"),
)


def test_faults_of_a_plan_are_said_in_a_line_with_their_place():
    for change, place, text in FAULTS:
        with Folder(change) as where:
            said = campaign(where, code=2)[1].strip()
            assert said.startswith(place) and text in said and "\n" not in said, (change, said)
            assert not (where / "plan.csv").exists()
    for data in (b"", b"\xff\xfe", b"- 1\n", b"a: \0\n", b"1: 2\n", b"? [a]\n: b\n", b"&a [*a]",
                 b"a: !!python/object:os.system x\n"):
        with Folder() as where:
            (where / "plan.yaml").write_bytes(data)
            said = campaign(where, code=2)[1].strip()
            assert said.startswith("plan.yaml") and "\n" not in said, (data, said)
    with Folder() as where:
        (where / "plan.yaml").unlink()
        assert campaign(where, code=2)[1].strip() == "plan.yaml: No such file or directory"
        (where / "functions.py").write_text("1 / 0\n")
        (where / "plan.yaml").write_text(PLAN)
        assert "plan.yaml:8:9: python: functions.py fails: ZeroDivisionError" in campaign(
            where, code=2)[1]


def test_files_of_another_origin_are_replaced_only_by_force_and_links_never():
    with Folder(("samples: 3", "samples: 2")) as where:
        outputs = {"t.csv": ("-o", "t.csv"), "t.h5": ("-o", "t.h5"), "r.html": ("--report", "r.html")}
        for name, words in outputs.items():
            for text in (b"notes of mine\n", b"<!doctype html>\n<title>Amontons</title>\n"):
                (where / name).write_bytes(text)
                before = {path.name: path.read_bytes() for path in where.iterdir() if path.is_file()}
                _, said = campaign(where, *words, "--quiet", code=2)
                assert name in said and said.count("\n") == 1, said
                assert before == {path.name: path.read_bytes() for path in where.iterdir()
                                  if path.is_file()}
            campaign(where, *words, "--quiet", "--force")
            assert (where / name).read_bytes() != text
            campaign(where, *words, "--quiet")  # its own file
            (where / name).rename(where / "target")
            target = (where / "target").read_bytes()
            (where / name).symlink_to("target")
            _, said = campaign(where, *words, "--quiet", "--force", code=2)
            assert f"{name}: a symbolic link cannot be the output; name the file itself\n" in said
            assert (where / "target").read_bytes() == target and (where / name).is_symlink()
        assert not list(where.glob("*.tmp")) and not list(where.glob("*.journal"))


def test_ctrl_c_ends_it_and_the_next_one_continues():
    scene = SCENE | {"simulation": {"step": 0.005, "duration": 4.0}}
    for end in (signal.SIGINT, signal.SIGTERM):
        with Folder(("samples: 3", "samples: 40"), scene=scene) as where:
            program = subprocess.Popen([PROGRAM, "campaign", "plan.yaml", "--workers", "1"],
                                       cwd=where, stderr=subprocess.PIPE, text=True)
            journal = where / "plan.csv.journal"
            wait_for(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 4)
            program.send_signal(end)
            _, said = program.communicate(timeout=20)
            assert program.returncode == 130, (program.returncode, said)
            assert said.strip().endswith("interrupted; run it again to continue")
            assert "Traceback" not in said and not (where / "plan.csv").exists()
            begun = journal.read_bytes().count(b"\n")
            assert 4 < begun < 160, begun
            campaign(where, "--quiet")
            assert (where / "plan.csv").read_text().count("\n") == 161


def test_a_program_without_its_package_says_what_to_do():
    with Folder() as where:
        (where / "bin").mkdir()
        shutil.copy(PROGRAM, where / "bin" / "amontons")
        words = [where / "bin" / "amontons", "campaign", "plan.yaml", "--json"]
        bare = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        result = subprocess.run(words, cwd=where, capture_output=True, text=True, check=False,
                                env=bare)
        assert result.returncode == 2 and result.stderr.count("\n") == 1
        assert "`make build` or `make install`" in result.stderr
        assert json.loads(result.stdout)["exit_code"] == 2
        # One that cannot be loaded is said, too.
        package = where / "bin" / "python" / "amontons"
        (package / "campaign").mkdir(parents=True)
        (package / "campaign" / "__main__.py").touch()
        (package / "__init__.py").write_text("import nowhere\n")
        result = subprocess.run(words, cwd=where, capture_output=True, text=True, check=False,
                                env=bare)
        assert result.returncode == 2 and result.stderr.count("\n") == 1, result.stderr
        assert "No module named 'nowhere'" in result.stderr and "install-deps" in result.stderr


if __name__ == "__main__":
    run_tests(globals())
