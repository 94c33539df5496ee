# The everyday commands. Each installs the packages that it needs, so that a fresh Debian 12 suffices.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
JOBS ?= $(shell nproc)
RELEASE := build/cmake-release

# Copies for users: the program at build/amontons, the Python module in build/python/.
publish = mkdir -p build/python && cp -f $(RELEASE)/bin/amontons build/amontons \
  && rm -rf build/python/amontons* && cp -rf $(RELEASE)/python/amontons build/python/

.PHONY: build test check test-long demo docs reference fuzz install package wheel format check-format check-sanitizers check-threads coverage bench bench-dissipation bench-heaps bench-peers bench-public bench-python bench-robots bench-scenes peers deps clean viewer

# DEPS names a group of packages of scripts/install-deps, by default those of building and testing.
DEPS ?= all
deps:
	@scripts/install-deps $(DEPS)

TESTS ?= ON
build: deps
	@cmake --preset release -Wno-dev -DAMONTONS_TESTS=$(TESTS) >build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
	@rm -f build-configure.log
	cmake --build $(RELEASE) -j $(JOBS) --target amontons_program amontons_python
	@$(publish)

test: build
	cmake --build $(RELEASE) -j $(JOBS)
	@$(publish)
	ctest --test-dir $(RELEASE) -j $(JOBS) --output-on-failure --progress

# Another name for `test`, which continuous integration runs (.ci/run).
check: test

test-long: build
	cmake --build $(RELEASE) -j $(JOBS)
	@$(publish)
	AMONTONS_TEST_SIZE=long ctest --test-dir $(RELEASE) -j $(JOBS) --output-on-failure --progress

check-sanitizers: deps
	cmake --preset sanitizers -Wno-dev
	cmake --build --preset sanitizers -j $(JOBS)
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp \
	  ctest --test-dir build/cmake-sanitizers -j $(JOBS) --output-on-failure --progress

# Tests of data that threads share: the pool, steps and rollouts on several threads, and the server of
# `replay --live`.
check-threads: deps
	cmake --preset threads -Wno-dev
	cmake --build --preset threads -j $(JOBS) --target amontons_program test_math test_simulation
	build/cmake-threads/bin/test_math "*task*"
	build/cmake-threads/bin/test_simulation "*thread*"
	TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp \
	  /usr/bin/python3 tests/viewer/live_test.py build/cmake-threads/bin/amontons
	TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp \
	  /usr/bin/python3 tests/viewer/touch_test.py build/cmake-threads/bin/amontons

# Searches TIME seconds for inputs that break each reader, with clang (docs/reliability.md);
# FUZZ="run problem" takes these readers alone.
TIME ?= 60
FUZZ ?=
fuzz: build
	@scripts/install-deps fuzz
	cmake --preset fuzz -Wno-dev
	cmake --build --preset fuzz -j $(JOBS) --target \
	  $(addprefix fuzz_,scene urdf sdf mjcf mesh map table override checkpoint)
	cmake --preset fuzz-hdf5 -Wno-dev
	cmake --build --preset fuzz-hdf5 -j $(JOBS) --target fuzz_run fuzz_problem
	scripts/fuzz $(TIME) $(FUZZ)

# Builds the site of the documentation, at build/site/index.html, with the C++ reference in it.
docs: deps
	mkdocs build --quiet
	scripts/cpp-reference build/site/cpp-reference

# Writes the pages of docs/ that are made of the program and the Python package, after a change in these.
reference: build
	scripts/reference-pages build/amontons build/python

# Installs program, library and Python package; PREFIX=DIR is another place than /usr/local.
# It needs no package of the tests, and does not build them.
PREFIX ?= /usr/local
install: DEPS = build
package wheel: DEPS = package
install package: TESTS = OFF
install: build
	cmake --install $(RELEASE) --prefix $(PREFIX)

# Makes the Debian package, in build/packages.
package: build
	cd $(RELEASE) && cpack -G DEB -B $(CURDIR)/build/packages
	rm -rf build/packages/_CPack_Packages

# Makes a wheel in build/wheels, for Debian's Python or WHEEL_PYTHON (docs/install.md).
WHEEL_PYTHON ?= /usr/bin/python3
wheel: deps
	JOBS=$(JOBS) AMONTONS_BUILD_FOLDER=$(if $(filter /usr/bin/python3,$(WHEEL_PYTHON)),$(RELEASE)) \
	  scripts/build-wheel $(WHEEL_PYTHON) build/wheels

demo: build
	@scripts/demo

format:
	@git ls-files '*.h' '*.cc' | xargs clang-format-14 -i

check-format:
	@git ls-files '*.h' '*.cc' | xargs clang-format-14 --dry-run --Werror

coverage: deps
	cmake --preset coverage -Wno-dev
	cmake --build --preset coverage -j $(JOBS)
	ctest --test-dir build/cmake-coverage -j $(JOBS) --output-on-failure

bench: deps
	cmake --preset bench -Wno-dev
	cmake --build --preset bench -j $(JOBS)
	build/cmake-bench/bin/amontons_benchmarks

# Times steps from Python and from C++, rollouts on two threads, calls, and campaigns (docs/benchmarks.md).
bench-python: build
	PYTHONPATH=build/python benchmarks/python_overhead.py -o benchmarks/results
	PYTHONPATH=build/python benchmarks/python_calls.py -o benchmarks/results
	PYTHONPATH=build/python benchmarks/campaign.py -o benchmarks/results

# Times maximum-dissipation beside convex-relaxation and anitescu-potra (docs/benchmarks.md).
bench-dissipation: build
	benchmarks/dissipation.py build/amontons -o benchmarks/results

# Counts in thirty scenes how many steps have the law asked (docs/benchmarks.md).
bench-scenes: build
	benchmarks/scene_laws.py build/amontons -o benchmarks/results

# Configures the comparison with other engines in a folder of its own.
configure_peers = cmake -S . -B build/cmake-peers -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Release \
  -DAMONTONS_PEERS=ON -DAMONTONS_TESTS=OFF -DAMONTONS_PYTHON=OFF -DBOX3D_DIR="$(BOX3D_DIR)"

# Measures steps of the robots below a folder; e.g. make bench-robots ROBOTS=FOLDER
# ROBOTS_OPTIONS="--package example-robot-data=FOLDER". Then steps of four robots beside MuJoCo.
ROBOTS_OPTIONS ?=
bench-robots: build
	@if [[ -z "$(ROBOTS)" ]]; then echo "make bench-robots ROBOTS=FOLDER" >&2; exit 2; fi
	benchmarks/robots.py build/amontons "$(ROBOTS)" -o benchmarks/results $(ROBOTS_OPTIONS)
	$(configure_peers)
	@if cmake --build build/cmake-peers --target help | grep -q "^bench_robots:"; then \
	  cmake --build build/cmake-peers -j $(JOBS) --target bench_robots && build/cmake-peers/bin/bench_robots; \
	  else echo "robots not compared: MuJoCo is not installed" >&2; fi

# Builds the programs of the comparison, one for each engine that is here. BOX3D_DIR names a folder with
# an installation or the source of Box3D, which is no package.
BOX3D_DIR ?=
peers:
	@scripts/install-deps --peers
	$(configure_peers)
	cmake --build build/cmake-peers -j $(JOBS) \
	  --target bench_peers contact_problem_peers entrant_amontons amontons_program
	@cmake --build build/cmake-peers -j $(JOBS) --target peers -- -k 0 \
	  || echo "PEER MISSING: an adapter does not build against this machine's packages" >&2

# Compares heaps that settle, at accuracies from coarse to fine, with other engines: a table and a plot
# of accuracy against time in benchmarks/results/heaps.*, in about ten minutes.
bench-heaps: peers
	build/cmake-peers/bin/bench_peers --only "heap,wedge,hopper" --name heaps
	/usr/bin/python3 benchmarks/plot_heaps.py benchmarks/results/heaps.json

# Runs the public scenes of experiments/public in all engines that can express them, in about ten minutes:
# benchmarks/results/public.*.
bench-public: peers
	build/cmake-peers/bin/bench_peers --only public --name public

# Compares Amontons with other engines on the same scenes (docs/benchmarks.md), in at most 40 minutes; e.g.
# make bench-peers PEERS_OPTIONS="--quick --only W1,W5". PROBLEMS names a folder of FCLIB files.
PEERS_OPTIONS ?=
PROBLEMS ?=
bench-peers: peers
	@if [ -x build/cmake-peers/bin/bench_dynamics ]; then \
	  build/cmake-peers/bin/bench_dynamics; fi
	build/cmake-peers/bin/bench_peers $(PEERS_OPTIONS)
	@if [[ -n "$(PROBLEMS)" ]]; then build/cmake-peers/bin/contact_problem_peers "$(PROBLEMS)" \
	  --amontons build/cmake-peers/bin/amontons; else \
	  echo "contact problems not compared: PROBLEMS=FOLDER names none" >&2; fi

# Builds the template of the replay page, after a change in viewer/.
viewer:
	cd viewer && npm ci --no-audit --no-fund && npx --no-install tsc --noEmit && node build.mjs

clean:
	rm -rf build
