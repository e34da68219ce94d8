// SPDX-License-Identifier: BSD-3-Clause
// What sums over fragments are computed in; the recursions are written once for all of it.
//
//   double       the weight of the fragments
//   Points       a polynomial in the weight of a node, known by its values at some points
//   Marked<...>  a pair of either: fragments without a marked node, and those with one. Pairs add and multiply without
//                subtracting anything, so nothing cancels (the published recursion for K_lo^r subtracts)
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace gristmill::kernel::trees {

struct Points {
  static constexpr std::size_t count = 4;
  std::array<double, count> at{};

  friend Points operator+(const Points& a, const Points& b) {
    Points sum;
    for (std::size_t k = 0; k < count; ++k) sum.at[k] = a.at[k] + b.at[k];
    return sum;
  }
  friend Points operator*(const Points& a, const Points& b) {
    Points product;
    for (std::size_t k = 0; k < count; ++k) product.at[k] = a.at[k] * b.at[k];
    return product;
  }
  friend Points operator*(double scale, const Points& a) {
    Points product;
    for (std::size_t k = 0; k < count; ++k) product.at[k] = scale * a.at[k];
    return product;
  }
  Points& operator+=(const Points& b) { return *this = *this + b; }
  Points& operator*=(const Points& b) { return *this = *this * b; }
  [[nodiscard]] static Points all(double value) { return {{value, value, value, value}}; }
};

template <class Plain>
struct Marked {
  Plain without;
  Plain with;

  friend Marked operator+(const Marked& a, const Marked& b) { return {a.without + b.without, a.with + b.with}; }
  friend Marked operator*(const Marked& a, const Marked& b) {
    return {a.without * b.without, a.with * (b.without + b.with) + a.without * b.with};
  }
  friend Marked operator*(double scale, const Marked& a) { return {scale * a.without, scale * a.with}; }
  Marked& operator+=(const Marked& b) { return *this = *this + b; }
  Marked& operator*=(const Marked& b) { return *this = *this * b; }
};
using MarkedValue = Marked<double>;
using MarkedPoints = Marked<Points>;

// Of double and Points.
template <class Value>
struct Semiring {
  using Plain = Value;

  // The weight of a node that is, or is not, marked.
  [[nodiscard]] static Value weight(const Plain& weight, bool) { return weight; }
  // A weight that is not a node's.
  [[nodiscard]] static Value plain(double weight) {
    if constexpr (std::is_same_v<Value, Points>) {
      return Points::all(weight);
    } else {
      return weight;
    }
  }
  [[nodiscard]] static Value one() { return plain(1); }
  // What counts for the kernel.
  [[nodiscard]] static Plain counted(const Value& value) { return value; }
  [[nodiscard]] static bool is_finite(double value) { return std::isfinite(value); }
};

template <class P>
struct Semiring<Marked<P>> {
  using Plain = P;
  using Value = Marked<Plain>;

  [[nodiscard]] static Value weight(const Plain& weight, bool is_marked) {
    return is_marked ? Value{Plain{}, weight} : Value{weight, Plain{}};
  }
  [[nodiscard]] static Value plain(double weight) { return {Semiring<Plain>::plain(weight), Plain{}}; }
  [[nodiscard]] static Value one() { return plain(1); }
  [[nodiscard]] static Plain counted(const Value& value) { return value.with; }
  [[nodiscard]] static bool is_finite(const Value& value) { return std::isfinite(value.without + value.with); }
};

}  // namespace gristmill::kernel::trees
