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
# An environment of its own, which borrows the packages of the other one but not its editable install: a path in a .pth
# file is searched, the .pth files found there are not read.
"$PYTHON" -m venv build/check-env
site=$(build/check-env/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
"$PYTHON" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' > "$site/borrowed.pth"
"$PYTHON" -m pip --disable-pip-version-check -q --python build/check-env/bin/python install --no-build-isolation --no-deps \
  --force-reinstall -Cbuild-dir=build/check-obj -Ccmake.define.GRISTMILL_SANITIZE=address,undefined .
runtime=$("${CXX:-g++}" -print-file-name=libasan.so)
undefined=$("${CXX:-g++}" -print-file-name=libubsan.so)
# The interpreter and its libraries never free everything they allocate: leaks are looked for in the core tests above.
env LD_PRELOAD="$runtime $undefined" ASAN_OPTIONS=detect_leaks=0 GRISTMILL_INSTALLED="$PWD/build/check-env" \
  build/check-env/bin/python -m pytest -q -n "$JOBS" -p no:cacheprovider -k "not archive"  # archives are Python's own code

say "property tests with thousands of examples"
HYPOTHESIS_PROFILE=long "$PYTHON" -m pytest -q -n "$JOBS" -m "not slow"

say "fuzzing"
"$PYTHON" -m pytest -q -n "$JOBS" -m slow
