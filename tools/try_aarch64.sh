#!/usr/bin/env bash
# A wheel for aarch64, tried on a machine of another kind: qemu runs Debian's Python 3.11 for aarch64, whose packages are
# unpacked into a folder, not installed. Ends with 77 where that cannot be had, saying what is missing.
#
#   TOOLS=.venv/bin tools/try_aarch64.sh WHEEL
#
# Debian: dpkg --add-architecture arm64 && apt-get update && apt-get install qemu-user-static
set -euo pipefail
cd "$(dirname "$0")/.."
WHEEL=$(realpath "$1")
SKIPPED=77
PACKAGES="libc6 libgcc-s1 libstdc++6 zlib1g libexpat1 libssl3 libffi8 libbz2-1.0 liblzma5 libsqlite3-0 libuuid1
  python3.11-minimal libpython3.11-minimal libpython3.11-stdlib"

skip() { echo "the wheel for aarch64 is not tried: $*"; exit $SKIPPED; }
command -v qemu-aarch64-static >/dev/null || skip "no qemu-aarch64-static (Debian: qemu-user-static)"
dpkg --print-foreign-architectures 2>/dev/null | grep -qx arm64 || skip "packages for arm64 are not known here"

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir "$home/root" "$home/packages"
chmod 755 "$home" && chmod 777 "$home/packages"  # apt downloads as another user
(cd "$home/packages" && apt-get download -qq $(printf '%s:arm64 ' $PACKAGES)) || skip "Debian's Python for arm64 cannot be downloaded"
for package in "$home"/packages/*.deb; do dpkg-deb -x "$package" "$home/root"; done

"$TOOLS/python" -m pip --disable-pip-version-check -q install --target "$home/site" --only-binary=:all: --python-version 3.11 \
  --implementation cp --abi cp311 --abi abi3 --abi none \
  --platform any $(printf -- '--platform manylinux_2_%s_aarch64 ' 17 27 28 34) --platform manylinux2014_aarch64 "$WHEEL" pytest
cp tests/across/test_same_bits.py tools/try_wheel.py "$home"
run() { (cd "$home" && PYTHONPATH=$home/site qemu-aarch64-static -L "$home/root" "$home/root/usr/bin/python3.11" "$@"); }
echo "== trying $(basename "$WHEEL") with $(run --version) for $(run -c 'import platform; print(platform.machine())')"
run try_wheel.py
run -m pytest -q -p no:cacheprovider test_same_bits.py
