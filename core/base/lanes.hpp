// SPDX-License-Identifier: BSD-3-Clause
// Vectors of numbers for loops that must stay in registers. Loads and stores go through types that may stand anywhere:
// a copy by memcpy is made in pieces, and reading it back as a whole waits for the pieces to reach the cache.
#pragma once
#include <cstdint>

namespace gristmill::inline base {

using Lanes8i [[gnu::vector_size(32)]] = std::int32_t;
using Lanes32b [[gnu::vector_size(32)]] = std::uint8_t;
using Lanes16h [[gnu::vector_size(32)]] = std::int16_t;
using Lanes4d [[gnu::vector_size(32)]] = double;  // wider ones would live in memory
using Lanes4l [[gnu::vector_size(32)]] = std::int64_t;
using Lanes4u [[gnu::vector_size(32)]] = std::uint64_t;

namespace lanes {
using Loose4u [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = std::uint64_t;
using Loose16h [[gnu::vector_size(32), gnu::aligned(2), gnu::may_alias]] = std::int16_t;
using Loose8i [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = std::int32_t;
using Loose4d [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
using Loose4l [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = std::int64_t;
using Loose1l [[gnu::aligned(1), gnu::may_alias]] = std::int64_t;
}  // namespace lanes

// By reference: how a vector is returned by value depends on the instruction set.
[[gnu::always_inline]] inline void load(Lanes8i& vector, const std::uint32_t* from) {
  vector = *reinterpret_cast<const lanes::Loose8i*>(from);
}
[[gnu::always_inline]] inline void add(Lanes16h& vector, const std::int16_t* from) {
  vector += *reinterpret_cast<const lanes::Loose16h*>(from);
}
[[gnu::always_inline]] inline void load(Lanes4u& vector, const std::uint64_t* from) {
  vector = *reinterpret_cast<const lanes::Loose4u*>(from);
}
// The numbers of even and of odd places, each as wide as two.
[[gnu::always_inline]] inline void add_widened(Lanes8i& even, Lanes8i& odd, const Lanes16h& vector) {
  const auto both = reinterpret_cast<Lanes8i>(vector);
  even += (both << 16) >> 16;
  odd += both >> 16;
}
[[gnu::always_inline]] inline void add(Lanes4d& vector, const double* from) {
  vector += *reinterpret_cast<const lanes::Loose4d*>(from);
}
[[gnu::always_inline]] inline void store(const Lanes8i& vector, std::uint32_t* to) {
  *reinterpret_cast<lanes::Loose8i*>(to) = vector;
}
[[gnu::always_inline]] inline void store(const Lanes8i& vector, std::int32_t* to) {
  *reinterpret_cast<lanes::Loose8i*>(to) = vector;
}
[[gnu::always_inline]] inline void store(const Lanes4d& vector, double* to) {
  *reinterpret_cast<lanes::Loose4d*>(to) = vector;
}

}  // namespace gristmill::inline base
