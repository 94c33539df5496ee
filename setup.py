"""Builds the compiled part of the Python package with CMake, for pip (docs/install.md).

AMONTONS_BUILD_FOLDER names a folder of CMake to build in, by default build/cmake-wheel-TAG. JOBS is
the number of compilers at a time.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent
FIRST, LAST = (3, 9), (3, 13)  # versions of CPython
# The first version of pybind11 that works with a version of CPython, the highest one first.
PYBIND11 = (((3, 13), (2, 13)), ((3, 12), (2, 11)), ((3, 9), (2, 10)))
FIRST_WITH_NUMPY_2 = (2, 12)  # of pybind11


def refuse(what, remedy):
    """Ends the build with one sentence and its remedy."""
    sys.exit(f"amontons cannot be built: {what}; {remedy}")


def version():
    """Returns the version that CMakeLists.txt gives the project."""
    return re.search(r"project\(amontons VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def check_interpreter(implementation, interpreter, free_threaded, headers):
    """Refuses interpreters that the compiled part cannot be built for."""
    name = f"{implementation} {interpreter[0]}.{interpreter[1]}"
    if implementation != "cpython" or not FIRST <= interpreter <= LAST or free_threaded:
        refuse(f"{name}{' without the global lock' if free_threaded else ''} is not supported",
               "use CPython 3.9 to 3.13")
    if not (pathlib.Path(headers) / "Python.h").is_file():
        refuse(f"{headers} has no Python.h",
               "install the headers of this interpreter (Debian: python3-dev)")


def pybind11_folders():
    """Returns the folder of pybind11's CMake files (None: where CMake finds them) and its version."""
    try:
        import pybind11
        folder, headers = pybind11.get_cmake_dir(), pathlib.Path(pybind11.get_include())
    except ImportError:
        folder, headers = None, pathlib.Path("/usr/include")
    common = headers / "pybind11/detail/common.h"
    if not common.is_file():
        refuse("pybind11 is missing",
               "install it for this interpreter (pip install pybind11), or Debian's pybind11-dev")
    numbers = [re.search(rf"PYBIND11_VERSION_{part}\s+(\d+)", common.read_text())[1]
               for part in ("MAJOR", "MINOR")]
    return folder, tuple(map(int, numbers))


def check_pybind11(found, interpreter):
    """Refuses a pybind11 that is older than the interpreter needs."""
    needed = next(least for python, least in PYBIND11 if interpreter >= python)
    if found < needed:
        refuse(f"pybind11 {found[0]}.{found[1]} does not know CPython "
               f"{interpreter[0]}.{interpreter[1]}",
               f"install pybind11 {needed[0]}.{needed[1]} or newer for it (pip install pybind11)")


def check_programs():
    """Refuses to begin without the programs that build."""
    for program, package in (("cmake", "cmake"), ("ninja", "ninja-build"), ("c++", "g++")):
        if shutil.which(program) is None:
            refuse(f"{program} is missing", f"install it (Debian: {package}); scripts/install-deps "
                   "build installs all that is needed")


class FreshSources(build_py):
    """Copies the sources into an empty folder: files of earlier builds must not enter a wheel."""

    def run(self):
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class BuildWithCMake(build_ext):
    """Builds amontons._core by CMake, and copies it to where setuptools expects it."""

    def build_extension(self, ext):
        interpreter = sys.version_info[:2]
        check_interpreter(sys.implementation.name, interpreter,
                          bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
                          sysconfig.get_path("include"))
        check_programs()
        cmake_folder, found = pybind11_folders()
        check_pybind11(found, interpreter)
        tag = f"cp{interpreter[0]}{interpreter[1]}"
        build = ROOT / (os.environ.get("AMONTONS_BUILD_FOLDER") or f"build/cmake-wheel-{tag}")
        # What a folder knows of another interpreter is forgotten.
        options = ["-UPYTHON_*", "-Upybind11_DIR", f"-DPYTHON_EXECUTABLE={sys.executable}",
                   f"-DPython_EXECUTABLE={sys.executable}", "-DAMONTONS_PYTHON=ON"]
        if not (build / "CMakeCache.txt").is_file():  # a folder that exists keeps its own settings
            options += ["-DCMAKE_BUILD_TYPE=Release", "-DAMONTONS_TESTS=OFF"]
        if cmake_folder is not None:
            options.append(f"-Dpybind11_DIR={cmake_folder}")
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-Wno-dev", *options],
                       check=True)
        jobs = os.environ.get("JOBS", str(os.cpu_count()))
        subprocess.run(["cmake", "--build", build, "-j", jobs, "--target", "amontons_python"],
                       check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        made = build / "python/amontons" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
        if not made.is_file():
            refuse(f"CMake has not made {made}", "remove that build folder and build again")
        shutil.copy2(made, target)


if __name__ == "__main__":
    # pybind11 before 2.12 cannot read arrays of NumPy 2.
    old = pybind11_folders()[1] < FIRST_WITH_NUMPY_2
    (ROOT / "build").mkdir(exist_ok=True)
    setup(version=version(), install_requires=["numpy<2" if old else "numpy"],
          ext_modules=[Extension("amontons._core", sources=[])],
          cmdclass={"build_ext": BuildWithCMake, "build_py": FreshSources},
          options={"egg_info": {"egg_base": "build"}})
