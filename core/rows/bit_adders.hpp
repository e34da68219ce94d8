// SPDX-License-Identifier: BSD-3-Clause
// Sums of many rows at once, as adders of a processor make them: bit r of plane p is digit p of the sum of row r.
#pragma once
#include "base/variants.hpp"

namespace gristmill::rows {

// A full adder: sum + a + b are sum and, twice as much, carry.
template <class Bits>
GRISTMILL_INLINE void add_bits(Bits& sum, Bits& carry, const Bits& a, const Bits& b) {
  const Bits either = sum ^ a;
  carry = (sum & a) | (either & b);
  sum = either ^ b;
}

// Adds carry, which counts as plane `first` does; what is left of it counts as plane `planes` would.
template <class Bits, class Count>
GRISTMILL_INLINE void ripple(Bits* sums, Count first, Count planes, Bits& carry) {
  for (Count plane = first; plane < planes; ++plane) {
    const Bits next = sums[plane] & carry;
    sums[plane] ^= carry;
    carry = next;
  }
}

}  // namespace gristmill::rows
