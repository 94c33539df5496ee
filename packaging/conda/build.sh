#!/usr/bin/env bash
# Builds the program, the library and the Python package for the recipe beside this file.
set -euo pipefail
cmake -S . -B build/cmake-conda -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_INSTALL_RPATH="$PREFIX/lib" \
  -DAMONTONS_TESTS=OFF -DAMONTONS_PYTHON_FOLDER="$SP_DIR" \
  -DPYTHON_EXECUTABLE="$PYTHON" -DPython_EXECUTABLE="$PYTHON"
cmake --build build/cmake-conda -j "${CPU_COUNT:-2}" --target amontons_program amontons_python
cmake --install build/cmake-conda --prefix "$PREFIX"
