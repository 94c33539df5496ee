#!/usr/bin/python3
"""Checks that installed parts can be used: the program, the library, the Python package, the Debian package.
usage: install_test.py BUILD_FOLDER"""
import gzip
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
FIRST = HERE.parents[1] / "examples" / "first.yaml"


def public_headers():
    loader = importlib.machinery.SourceFileLoader(
        "cpp_reference", str(HERE.parents[1] / "scripts/cpp-reference"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(script)
    return script.public_headers()


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: exit {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.folder.name)
        cls.prefix = cls.dir / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_program_finds_its_experiments_and_its_manual_is_beside_it(self):
        program = self.prefix / "bin" / "amontons"
        run(program, "reproduce", "pendulum-drift", "--quiet", "-o", self.dir / "reproduced")
        manual = (self.prefix / "share/man/man1/amontons.1").read_text()
        self.assertTrue(manual.startswith(".TH AMONTONS 1"))
        for script in ("bash-completion/completions/amontons", "zsh/vendor-completions/_amontons",
                       "fish/vendor_completions.d/amontons.fish"):
            self.assertIn("verify", (self.prefix / "share" / script).read_text())

    def test_another_project_builds_against_the_library(self):
        build = self.dir / "consumer"
        run("cmake", "-S", HERE / "consumer", "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", build)
        self.assertRegex(run(build / "consumer", FIRST),
                         r"^400 of 400 steps certified, ([1-9]\d+) of \1 problems relaxed\n$")

    def test_the_python_package_is_found(self):
        packages = self.prefix / "lib/python3/dist-packages"
        if not packages.exists():
            self.skipTest("built without the Python module")
        answer = run("/usr/bin/python3", "-c",
                     "import amontons as am; print(am.__file__, am.__version__)",
                     env=os.environ | {"PYTHONPATH": str(packages)})
        self.assertTrue(answer.startswith(str(packages)), answer)

    def test_only_public_headers_are_installed(self):
        include = self.prefix / "include"
        installed = {str(file.relative_to(include)) for file in include.rglob("*.h")}
        self.assertEqual(installed, set(public_headers()))

    def test_a_debian_package_works_where_it_is_unpacked(self):
        run("cpack", "-G", "DEB", "-B", self.dir / "package", cwd=BUILD)
        package, = (self.dir / "package").glob("amontons_*.deb")
        depends = run("dpkg-deb", "--field", package, "Depends")
        for needed in ("libhdf5", "libc6", "python3-numpy", "python3 (<< "):
            self.assertIn(needed, depends)
        root = self.dir / "unpacked"
        run("dpkg-deb", "--extract", package, root)
        for path in ("share/man/man1/amontons.1.gz", "share/doc/amontons/copyright",
                     "share/doc/amontons/changelog.gz", "share/doc/amontons/changelog.Debian.gz",
                     "share/bash-completion/completions/amontons",
                     "share/zsh/vendor-completions/_amontons",
                     "share/fish/vendor_completions.d/amontons.fish",
                     "share/amontons/examples/first.yaml", "share/doc/amontons/README.md",
                     "include/amontons/simulation/simulator.h"):
            self.assertTrue((root / "usr" / path).is_file(), path)
        self.assertTrue(list((root / "usr").rglob("amontonsConfig.cmake")))
        # The changelog of the package is that of its version.
        log = gzip.decompress((root / "usr/share/doc/amontons/changelog.Debian.gz").read_bytes()).decode()
        self.assertEqual(run("dpkg-deb", "--field", package, "Version").strip(), log.split("(")[1].split(")")[0])
        lines = run("dpkg-deb", "--field", package, "Description").splitlines()
        self.assertGreater(len(lines), 2)
        self.assertLessEqual(max(map(len, lines)), 80)
        module, = (root / "usr/lib/python3/dist-packages/amontons").glob("_core*.so")
        sections = run("readelf", "--sections", "--dynamic", module)
        for part in (".symtab", "RUNPATH", "RPATH"):
            self.assertNotIn(part, sections)
        run(root / "usr/bin/amontons", "run", FIRST, "-o", self.dir / "first.h5", "--quiet")
        answer = run("/usr/bin/python3", "-c",
                     "import sys, amontons as am; run = am.open_run(sys.argv[1]); "
                     "print(am.__file__, len(run) > 100)", self.dir / "first.h5",
                     env=os.environ | {"PYTHONPATH": str(root / "usr/lib/python3/dist-packages")})
        self.assertEqual(answer.split()[1], "True")
        self.assertTrue(answer.startswith(str(root)), answer)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
