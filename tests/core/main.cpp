// SPDX-License-Identifier: BSD-3-Clause
// The tests of one room of the core: what Python tests cannot see, which is threads inside of it and memory at the
// edges of buffers. Made to be run under sanitizers; answers are compared with tests/oracle by the Python tests.
#include "checks.hpp"

int main() {
  for (const gristmill::TestFile::Run run : gristmill::TestFile::all()) run();
  return gristmill::failures == 0 ? 0 : 1;
}
