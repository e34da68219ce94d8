// SPDX-License-Identifier: BSD-3-Clause
// Vectors of numbers for loops that must stay in registers. Loads and stores go through types that may stand anywhere:
// a copy by memcpy is made in pieces, and reading it back as a whole waits for the pieces to reach the cache.
#pragma once
#include <cstdint>

namespace gristmill {

using Lanes8i [[gnu::vector_size(32)]] = std::int32_t;
using Lanes8d [[gnu::vector_size(64)]] = double;

namespace lanes {
using Loose8i [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = std::int32_t;
using Loose8d [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;
}  // namespace lanes

[[gnu::always_inline]] inline Lanes8i load8(const std::uint32_t* from) {
  return *reinterpret_cast<const lanes::Loose8i*>(from);
}
[[gnu::always_inline]] inline Lanes8d load8(const double* from) {
  return *reinterpret_cast<const lanes::Loose8d*>(from);
}
[[gnu::always_inline]] inline void store8(Lanes8i lanes, std::uint32_t* to) {
  *reinterpret_cast<lanes::Loose8i*>(to) = lanes;
}
[[gnu::always_inline]] inline void store8(Lanes8d lanes, double* to) { *reinterpret_cast<lanes::Loose8d*>(to) = lanes; }

}  // namespace gristmill
