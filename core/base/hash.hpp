// SPDX-License-Identifier: BSD-3-Clause
// Hashes, the same on every machine. Not meant to withstand anybody who looks for collisions.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/variants.hpp"

namespace gristmill::inline base {

constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;

// The hash with one word more.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash ^ word) * golden_ratio;
  return hash ^ hash >> 32U;
}

// Of a sequence of numbers.
template <class Number>
[[nodiscard]] std::uint64_t hash_of(std::span<const Number> sequence) noexcept {
  std::uint64_t hash = sequence.size();
  for (const Number number : sequence) hash = mix(hash, static_cast<std::uint32_t>(number));
  return hash;
}

// Where a key belongs in a table whose size, from 2 on, is a power of two (Fibonacci hashing). The low bits of the
// product depend on the low bits of the key alone, the high ones on all.
[[nodiscard]] GRISTMILL_INLINE std::size_t slot_of(std::uint64_t key, std::size_t slots) noexcept {
  return (key * golden_ratio) >> (64 - std::countr_zero(slots));
}

}  // namespace gristmill::inline base
