// SPDX-License-Identifier: BSD-3-Clause
// What Delta is made of. Plain kernels compute in double. Marked ones compute in pairs (weight of fragments without a
// marked node, weight of those with one), which add and multiply without subtracting anything, so nothing cancels
// (the published recursion for K_lo^r subtracts). Both are semirings; the recursions are written once for either.
#pragma once
#include <cmath>

namespace gristmill::kernel::trees {

struct MarkedValue {
  double without;
  double with;

  friend MarkedValue operator+(MarkedValue a, MarkedValue b) { return {a.without + b.without, a.with + b.with}; }
  friend MarkedValue operator*(MarkedValue a, MarkedValue b) {
    return {a.without * b.without, a.with * (b.without + b.with) + a.without * b.with};
  }
  friend MarkedValue operator*(double scale, MarkedValue a) { return {scale * a.without, scale * a.with}; }
  MarkedValue& operator+=(MarkedValue b) { return *this = *this + b; }
  MarkedValue& operator*=(MarkedValue b) { return *this = *this * b; }
};

template <class Value>
struct Semiring;

template <>
struct Semiring<double> {
  // The weight of a node that is, or is not, marked.
  [[nodiscard]] static double weight(double weight, bool) { return weight; }
  // What counts for the kernel.
  [[nodiscard]] static double counted(double value) { return value; }
  [[nodiscard]] static bool is_zero(double value) { return value == 0; }
  [[nodiscard]] static bool is_finite(double value) { return std::isfinite(value); }
};

template <>
struct Semiring<MarkedValue> {
  [[nodiscard]] static MarkedValue weight(double weight, bool is_marked) {
    return is_marked ? MarkedValue{0, weight} : MarkedValue{weight, 0};
  }
  [[nodiscard]] static double counted(MarkedValue value) { return value.with; }
  [[nodiscard]] static bool is_zero(MarkedValue value) { return value.without == 0 && value.with == 0; }
  [[nodiscard]] static bool is_finite(MarkedValue value) { return std::isfinite(value.without + value.with); }
};

}  // namespace gristmill::kernel::trees
