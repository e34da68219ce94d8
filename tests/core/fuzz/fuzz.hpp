// SPDX-License-Identifier: BSD-3-Clause
// What fuzz targets share. A target is one file NAME_fuzz.cpp with fuzz::read: it reads an input and, where that is
// accepted, holds what was read to a law, as a rule that it can be written and read again.
//
// An input is a byte of options, whatever they mean to the target, and the text behind it.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/observer.hpp"

namespace gristmill::fuzz {

// ParseError and ByteError are answers. Anything else that leaves it is a find.
void read(std::string_view input);

struct Silent final : Observer {
  bool advance(std::size_t, std::size_t) override { return true; }
};

inline std::uint8_t take_options(std::string_view& input) {
  if (input.empty()) return 0;
  const auto options = static_cast<std::uint8_t>(input.front());
  input.remove_prefix(1);
  return options;
}

#define INSIST(condition)                                                          \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: INSIST(%s)\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)

}  // namespace gristmill::fuzz
