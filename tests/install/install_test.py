#!/usr/bin/python3
"""What is installed can be used: the program, the library, the Python package, the Debian package.
usage: install_test.py BUILD_FOLDER"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
FIRST = HERE.parents[1] / "examples" / "first.yaml"


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
        self.assertEqual(run(build / "consumer", FIRST), "400 of 400 steps certified\n")

    def test_the_python_package_is_found(self):
        packages = self.prefix / "lib/python3/dist-packages"
        if not packages.exists():
            self.skipTest("built without the Python module")
        answer = run("/usr/bin/python3", "-c",
                     "import amontons as am; print(am.__file__, am.__version__)",
                     env=os.environ | {"PYTHONPATH": str(packages)})
        self.assertTrue(answer.startswith(str(packages)), answer)

    def test_a_debian_package_holds_the_same(self):
        run("cpack", "-G", "DEB", "-B", self.dir / "package", cwd=BUILD)
        package, = (self.dir / "package").glob("amontons_*.deb")
        contents = run("dpkg-deb", "--contents", package)
        for path in ("usr/bin/amontons", "usr/include/amontons/simulation/simulator.h",
                     "usr/share/man/man1/amontons.1", "amontonsConfig.cmake"):
            self.assertIn(path, contents)
        self.assertIn("libhdf5", run("dpkg-deb", "--field", package, "Depends"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
