#!/usr/bin/env bash
# make check: what is too slow for every day, within an hour on two cores. Every step runs, whatever became of those
# before it; a table at the end says how each went and how long it took.
#
#   tests/check.sh [address] [thread] [suite] [clang] [odr] [properties] [fuzz] [fuzz-core] [slow]       without a name: all of them
set -uo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
JOBS=${JOBS:-2}
SKIPPED=77
PATH="$(dirname "$(command -v "$PYTHON")"):$PATH"  # cmake, ninja and ctest of the environment

STEPS="address thread suite clang odr properties fuzz fuzz-core slow"

# build FOLDER [options of CMake]
build() {
  cmake -S . -B "$1" -G Ninja -DGRISTMILL_WERROR=ON "${@:2}" >/dev/null
  cmake --build "$1" -j "$JOBS"
}

core_tests() {
  build "$@"
  ctest --test-dir "$1" --output-on-failure
}

# The options with which CMake builds the Python module, too.
with_module() {
  echo -DGRISTMILL_BINDINGS=ON "-DPython_EXECUTABLE=$(command -v "$PYTHON")" \
    "-Dnanobind_DIR=$("$PYTHON" -m nanobind --cmake_dir)"
}

# An environment in FOLDER/env with the package and the module of FOLDER. It borrows the other packages, but not an
# editable install: a path in a .pth file is searched, the .pth files found there are not read.
environment() {
  local site
  "$PYTHON" -m venv --clear --without-pip "$1/env"
  site=$("$1/env/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  "$PYTHON" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' > "$site/borrowed.pth"
  cp -r src/gristmill "$site"
  rm -f "$site"/gristmill/_core*.so
  cp "$1"/_core*.so "$site/gristmill"
}

# pytest_with FOLDER [arguments]: the tests on the module of FOLDER, which tests/conftest.py makes sure of
pytest_with() {
  GRISTMILL_INSTALLED="$PWD/$1/env" "$1/env/bin/python" -m pytest -q -p no:cacheprovider "${@:2}"
}

step_address() { core_tests build/check-address -DGRISTMILL_SANITIZE=address,undefined; }
step_thread() { core_tests build/check-thread -DGRISTMILL_SANITIZE=thread; }

# The suite on a core built with sanitizers. That build has no instruction set variants, so test_same_bits.py holds the
# plain code to the digests. Left out: archives, benchmarks and pages, which are Python's own code.
step_suite() {
  local folder=build/check-address compiler=${CXX:-g++}
  build $folder -DGRISTMILL_SANITIZE=address,undefined $(with_module)
  environment $folder
  # The interpreter and its libraries never free everything they allocate: leaks are looked for in the core tests.
  export ASAN_OPTIONS=detect_leaks=0
  LD_PRELOAD="$($compiler -print-file-name=libasan.so) $($compiler -print-file-name=libubsan.so)" \
    pytest_with $folder -n "$JOBS" -m "not slow" -k "not archive" \
    --ignore tests/benchmarks --ignore tests/docs --ignore tests/web --ignore tests/report
}

# Another compiler: no warnings, and the same bits.
step_clang() {
  local folder=build/check-clang
  if ! command -v clang++ >/dev/null; then
    echo "no clang++ here (Debian: apt-get install clang)"
    return $SKIPPED
  fi
  core_tests $folder -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Check -DCMAKE_CXX_FLAGS_CHECK=-O1 $(with_module)
  environment $folder
  pytest_with $folder tests/across/test_same_bits.py
}

# One definition of every type in all files: only the linker sees them together. Nothing is run.
step_odr() {
  build build/check-odr -DCMAKE_CXX_COMPILER=g++ -DGRISTMILL_CORE_TESTS=OFF -DCMAKE_BUILD_TYPE=Check \
    -DCMAKE_CXX_FLAGS_CHECK="-O0 -flto" -DCMAKE_AR="$(command -v gcc-ar)" -DCMAKE_RANLIB="$(command -v gcc-ranlib)" \
    -DCMAKE_MODULE_LINKER_FLAGS="-flto=$JOBS -Wodr -Werror=odr -Werror=lto-type-mismatch" $(with_module)
}

step_properties() { HYPOTHESIS_PROFILE=long "$PYTHON" -m pytest -q -n "$JOBS" -m "hypothesis and not slow"; }

# Damaged files through every reader and every use, other ones every day; tests/fuzz says how to try more.
step_fuzz() {
  "$PYTHON" -m tests.fuzz --jobs "$JOBS" --seconds "${FUZZ_SECONDS:-120}" --seed "$(date +%Y%m%d)"
}

# The parsers of the core under libFuzzer, from the corpus of the repository. 77 where clang has no libFuzzer.
step_fuzz-core() {
  "$PYTHON" -m tests.fuzz.native --jobs "$JOBS" --seconds "${FUZZ_CORE_SECONDS:-8}" --seed "$(date +%Y%m%d)"
}

step_slow() { "$PYTHON" -m pytest -q -n "$JOBS" -m slow; }

for step in "$@"; do
  [[ " $STEPS " == *" $step "* ]] || { echo "no step named $step: $STEPS" >&2; exit 2; }
done
failed=0
summary=""
for step in ${*:-$STEPS}; do
  printf '\n== %s\n' "$step"
  SECONDS=0
  (set -e; "step_$step")
  case $? in
    0) result=passed ;;
    "$SKIPPED") result=skipped ;;
    *) result=FAILED failed=1 ;;
  esac
  printf '== %s: %s, %d s\n' "$step" "$result" $SECONDS
  summary+=$(printf '%-12s %-8s %6d s' "$step" "$result" $SECONDS)$'\n'
done
printf '\n%s' "$summary"
exit $failed
