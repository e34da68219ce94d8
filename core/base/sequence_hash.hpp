// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <span>

namespace gristmill::inline base {

// Of a sequence of numbers, the same on every machine. Not meant to withstand anybody who looks for collisions.
template <class Number>
[[nodiscard]] std::uint64_t hash_of(std::span<const Number> sequence) {
  std::uint64_t hash = sequence.size();
  for (const Number number : sequence) {
    hash = (hash ^ static_cast<std::uint32_t>(number)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32U;
  }
  return hash;
}

}  // namespace gristmill::inline base
