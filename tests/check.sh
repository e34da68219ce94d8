#!/usr/bin/env bash
# make check: what is too slow for every day. Sanitizer builds, fuzzing, property tests with thousands of examples.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
JOBS=${JOBS:-2}
BIN=$(dirname "$PYTHON")

say() { printf '\n== %s\n' "$*"; }

for sanitizer in address,undefined thread; do
  say "core tests, -fsanitize=$sanitizer"
  build="build/check-${sanitizer//,/-}"
  PATH="$BIN:$PATH" cmake -S . -B "$build" -G Ninja -DGRISTMILL_SANITIZE="$sanitizer" -DGRISTMILL_WERROR=ON >/dev/null
  PATH="$BIN:$PATH" cmake --build "$build"
  "$build/core_tests"
done

say "the whole suite on a core built with -fsanitize=address,undefined"
"$PYTHON" -m pip --disable-pip-version-check -q install --no-build-isolation --no-deps --target build/check-python \
  --upgrade -Cbuild-dir=build/check-python-obj -Ccmake.define.GRISTMILL_SANITIZE=address,undefined .
runtime=$("${CXX:-g++}" -print-file-name=libasan.so)
undefined=$("${CXX:-g++}" -print-file-name=libubsan.so)
# The interpreter and its libraries never free everything they allocate: leaks are looked for in the core tests above.
env LD_PRELOAD="$runtime $undefined" ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=build/check-python GRISTMILL_SANITIZED=1 \
  "$PYTHON" -m pytest -q -n "$JOBS" -p no:cacheprovider

say "property tests with thousands of examples"
HYPOTHESIS_PROFILE=long "$PYTHON" -m pytest -q -n "$JOBS" -m "not slow"

say "fuzzing"
"$PYTHON" -m pytest -q -n "$JOBS" -m slow
