// SPDX-License-Identifier: BSD-3-Clause
// Where libFuzzer enters every target.
#include "base/errors.hpp"
#include "fuzz.hpp"

// NOLINTNEXTLINE: the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    gristmill::fuzz::read({reinterpret_cast<const char*>(data), size});
  } catch (const gristmill::ParseError&) {
  } catch (const gristmill::ByteError&) {
  }
  return 0;
}
