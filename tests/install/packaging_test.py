#!/usr/bin/python3
"""Checks what pip, conda and Docker build from: refusals, a wheel that works, recipes that agree with
the sources.  usage: packaging_test.py BUILD_FOLDER"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import unittest
import zipfile

import yaml

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
# Packages of conda-forge for the libraries that CMakeLists.txt looks for.
CONDA = {"Eigen3": "eigen", "Qhull": "qhull", "yaml-cpp": "yaml-cpp", "fmt": "fmt",
         "nlohmann_json": "nlohmann_json", "CLI11": "cli11", "HDF5": "hdf5", "urdfdom": "urdfdom",
         "sdformat12": "libsdformat12", "assimp": "assimp", "ZLIB": "zlib", "PNG": "libpng",
         "OpenSSL": "openssl", "PkgConfig": "pkg-config", "tinyxml2": "tinyxml2", "sleef": "sleef",
         "httplib": "cpp-httplib", "pybind11": "pybind11"}


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: exit {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def load_setup():
    spec = importlib.util.spec_from_file_location("amontons_setup", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def makefile_targets():
    return set(re.findall(r"^([a-z][a-z -]*):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE))


class PipTest(unittest.TestCase):
    def refusal(self, function, *arguments):
        with self.assertRaises(SystemExit) as caught:
            function(*arguments)
        text = str(caught.exception)
        self.assertRegex(text, r"^amontons cannot be built: .*; (use|install) ")
        return text

    def test_only_interpreters_that_work_are_taken_and_others_hear_why(self):
        setup, headers = load_setup(), sysconfig.get_path("include")
        for minor in range(9, 14):
            setup.check_interpreter("cpython", (3, minor), False, headers)
        for name, version, free in (("cpython", (3, 8), False), ("cpython", (3, 14), False),
                                    ("pypy", (3, 10), False), ("cpython", (2, 7), False),
                                    ("cpython", (3, 13), True)):
            said = self.refusal(setup.check_interpreter, name, version, free, headers)
            self.assertIn(f"{name} {version[0]}.{version[1]}", said)
            self.assertIn("CPython 3.9 to 3.13", said)
        with tempfile.TemporaryDirectory() as empty:
            said = self.refusal(setup.check_interpreter, "cpython", (3, 11), False, empty)
            self.assertIn("Python.h", said)
            self.assertIn("python3-dev", said)

    def test_a_pybind11_that_is_too_old_is_refused(self):
        setup = load_setup()
        for found, interpreter, works in (((2, 10), (3, 9), True), ((2, 10), (3, 11), True),
                                          ((2, 10), (3, 12), False), ((2, 11), (3, 12), True),
                                          ((2, 12), (3, 13), False), ((2, 13), (3, 13), True),
                                          ((3, 0), (3, 13), True), ((2, 9), (3, 10), False)):
            if works:
                setup.check_pybind11(found, interpreter)
            else:
                said = self.refusal(setup.check_pybind11, found, interpreter)
                self.assertIn(f"CPython {interpreter[0]}.{interpreter[1]}", said)

    def test_the_project_file_agrees_with_the_sources(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())
        packages = {str(path.parent.relative_to(ROOT / "python")).replace("/", ".")
                    for path in (ROOT / "python/amontons").rglob("__init__.py")}
        self.assertEqual(set(project["tool"]["setuptools"]["packages"]), packages)
        setup = load_setup()
        bounds = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", project["project"]["requires-python"])
        self.assertEqual((setup.FIRST, setup.LAST), ((3, int(bounds[1])), (3, int(bounds[2]) - 1)))
        cmake = (ROOT / "CMakeLists.txt").read_text()
        self.assertIn(f"project(amontons VERSION {setup.version()} ", cmake)

    def test_a_wheel_made_by_pip_simulates(self):
        """CMake is a stand-in that hands out the module of this build: compiling is tested by it."""
        compiled, = (BUILD / "python/amontons").glob(f"_core{sysconfig.get_config_var('EXT_SUFFIX')}")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            clone, tools = folder / "clone", folder / "tools"
            tools.mkdir()
            (clone / "python").mkdir(parents=True)
            for file in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "CMakeLists.txt"):
                shutil.copy(ROOT / file, clone)
            shutil.copytree(ROOT / "python/amontons", clone / "python/amontons",
                            ignore=shutil.ignore_patterns("__pycache__"))
            stale = clone / "build/lib.linux-x86_64-cpython-311"
            (stale / "amontons").mkdir(parents=True)
            (stale / "amontons/removed_long_ago.py").write_text("")
            (tools / "cmake").write_text(f"""#!/bin/sh
echo "$@" >>"{folder}/calls"
if [ "$1" = -S ]; then mkdir -p "$4/python/amontons" && cp "{compiled}" "$4/python/amontons/"; fi
""")
            (tools / "cmake").chmod(0o755)
            environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "JOBS": "1"}
            run("/usr/bin/python3", "-m", "pip", "wheel", ".", "--no-build-isolation", "--no-deps",
                "--no-index", "-w", folder / "wheels", cwd=clone, env=environment)
            calls = (folder / "calls").read_text()
            self.assertIn("-DPYTHON_EXECUTABLE=/usr/bin/python3", calls)
            self.assertIn("-DAMONTONS_TESTS=OFF", calls)
            self.assertIn("-j 1 --target amontons_python", calls)
            wheel, = (folder / "wheels").glob("amontons-*-cp311-cp311-linux_x86_64.whl")
            held = {file for file in zipfile.ZipFile(wheel).namelist() if file.startswith("amontons/")}
            sources = {str(path.relative_to(ROOT / "python")) for pattern in ("*.py", "*.pyi", "py.typed")
                       for path in (ROOT / "python/amontons").rglob(pattern)}
            self.assertEqual(held, sources | {f"amontons/{compiled.name}"})
            run("/usr/bin/python3", "-m", "pip", "install", "--no-deps", "--no-index", "--target",
                folder / "site", wheel)
            answer = run("/usr/bin/python3", "-c",
                         "import sys, amontons as am; sim = am.Simulator(am.load_scene(sys.argv[1])); "
                         "print(am.__file__, all(sim.step().certificate.holds for _ in range(50)))",
                         ROOT / "examples/first.yaml", cwd=folder,
                         env=os.environ | {"PYTHONPATH": str(folder / "site")})
            self.assertTrue(answer.startswith(str(folder / "site")), answer)
            self.assertIn("True", answer)


class RecipeTest(unittest.TestCase):
    def test_the_conda_recipe_has_the_version_and_libraries_of_the_sources(self):
        recipe = yaml.safe_load((ROOT / "packaging/conda/meta.yaml").read_text())
        self.assertEqual(recipe["package"], {"name": "amontons", "version": load_setup().version()})
        needs = {package.split()[0] for kind in ("build", "host")
                 for package in recipe["requirements"][kind]}
        cmake = ((ROOT / "CMakeLists.txt").read_text() +
                 (ROOT / "python/CMakeLists.txt").read_text())
        searched = set(re.findall(r"(?:find_package|pkg_check_modules)\((\w[\w-]*)", cmake))
        for library in searched - {"Threads"}:
            self.assertIn(CONDA[library], needs, library)
        self.assertTrue((ROOT / "packaging/conda" / recipe["source"]["path"]).samefile(ROOT))
        script = (ROOT / "packaging/conda/build.sh").read_text()
        run("bash", "-n", ROOT / "packaging/conda/build.sh")
        known = "".join((ROOT / file).read_text() for file in ("CMakeLists.txt", "cmake/Install.cmake"))
        for option in re.findall(r"-D(AMONTONS_\w+)", script):
            self.assertRegex(known, rf"(option|set)\({option}\b")
        for target in re.findall(r"--target (.*)", script)[0].split():
            self.assertIn(target, (ROOT / "Makefile").read_text())

    def test_the_dockerfile_uses_what_the_tree_has(self):
        text = (ROOT / "packaging/Dockerfile").read_text()
        joined = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
        lines = [line for line in joined.splitlines() if line.strip()]
        self.assertTrue(lines[0].startswith("FROM "))
        stages = set()
        for line in lines:
            self.assertRegex(line, r"^(FROM|RUN|COPY|WORKDIR|ENTRYPOINT|CMD) \S")
            if stage := re.match(r"FROM (\S+)(?: AS (\w+))?$", line):
                self.assertTrue(stage[1].startswith("debian:12"), line)
                stages.add(stage[2])
            if copied := re.match(r"COPY --from=(\w+) (\S+) ", line):
                self.assertIn(copied[1], stages)
                self.assertIn("build/packages", copied[2])
            elif copied := re.match(r"COPY (\S+) ", line):
                self.assertTrue((ROOT / copied[1]).exists(), line)
            for command in re.split(r"&&|;", line.removeprefix("RUN ")) if "RUN" in line else ():
                words = command.split()
                if words[0] == "make":
                    self.assertTrue(set(words[1:]) <= makefile_targets(), command)
                elif "/" in words[0]:
                    self.assertTrue(os.access(ROOT / words[0], os.X_OK), command)
                else:
                    self.assertIn(words[0], ("apt-get", "rm"), command)
        self.assertIn('ENTRYPOINT ["amontons"]', lines)

    def test_make_install_and_package_build_no_tests(self):
        own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        for target in ("install", "package"):
            said = run("make", "-n", target, "PREFIX=/nowhere", cwd=ROOT, env=own)
            builds = [line for line in said.splitlines() if "cmake --build" in line]
            self.assertEqual(len(builds), 1)
            self.assertTrue(builds[0].endswith("--target amontons_program amontons_python"), builds)
            self.assertIn("-DAMONTONS_TESTS=OFF", said)
            group = "build" if target == "install" else "package"
            self.assertRegex(said, rf"scripts/install-deps {group}\b")
        said = run("make", "-n", "build", cwd=ROOT, env=own)
        self.assertIn("-DAMONTONS_TESTS=ON", said)
        self.assertIn("scripts/install-deps all", said)

    def test_a_wheel_without_auditwheel_is_said_to_need_this_system(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            tools = folder / "tools"
            tools.mkdir()
            # A stand-in for an interpreter, whose pip leaves an empty wheel.
            (tools / "python").write_text('#!/bin/sh\nfor last; do :; done\ntouch "$last/a.whl"\n')
            (tools / "auditwheel").write_text('#!/bin/sh\ntouch "$3/repaired.whl"\n')
            (tools / "python").chmod(0o755)
            plain = {"PATH": "/usr/bin:/bin"}
            result = subprocess.run([ROOT / "scripts/build-wheel", tools / "python", folder / "out"],
                                    env=plain, capture_output=True, text=True, check=True)
            self.assertIn("needs the libraries of this system", result.stdout)
            self.assertEqual([path.name for path in (folder / "out").iterdir()], ["a.whl"])
            (tools / "auditwheel").chmod(0o755)
            said = run(ROOT / "scripts/build-wheel", tools / "python", folder / "other",
                       env={"PATH": f"{tools}:/usr/bin:/bin"})
            self.assertEqual(said.split(), ["repaired.whl"])
            wrong = subprocess.run([ROOT / "scripts/build-wheel"], capture_output=True, check=False)
            self.assertEqual(wrong.returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
