// SPDX-License-Identifier: BSD-3-Clause
// What sums over fragments are computed in: polynomials in the weight z of a node, known by their values at some points
// at once. Marked kernels compute in pairs (fragments without a marked node, those with one; see
// kernel/marked_value.hpp). A "gradient" is the derivative of the whole by a value: for pairs a pair, too.
#pragma once
#include <array>
#include <cstddef>

namespace gristmill::explain {

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

struct MarkedPoints {
  Points without{};
  Points with{};

  friend MarkedPoints operator+(const MarkedPoints& a, const MarkedPoints& b) {
    return {a.without + b.without, a.with + b.with};
  }
  friend MarkedPoints operator*(const MarkedPoints& a, const MarkedPoints& b) {
    return {a.without * b.without, a.with * (b.without + b.with) + a.without * b.with};
  }
  friend MarkedPoints operator*(double scale, const MarkedPoints& a) { return {scale * a.without, scale * a.with}; }
  MarkedPoints& operator+=(const MarkedPoints& b) { return *this = *this + b; }
  MarkedPoints& operator*=(const MarkedPoints& b) { return *this = *this * b; }
};

template <class Value>
struct Fragments;

template <>
struct Fragments<Points> {
  // A node that is, or is not, marked.
  [[nodiscard]] static Points node(const Points& weight, bool) { return weight; }
  // What counts for the kernel.
  [[nodiscard]] static Points counted(const Points& value) { return value; }
  // Bars: of a value that counts so much; of a, from that of a * b; of the weight of a node.
  [[nodiscard]] static Points gradient(double weight) { return Points::all(weight); }
  [[nodiscard]] static Points gradient(const Points& product, const Points& b) { return product * b; }
  [[nodiscard]] static Points node_gradient(const Points& gradient, bool) { return gradient; }
  // What a gradient makes of a change of the value.
  [[nodiscard]] static Points dot(const Points& gradient, const Points& value) { return gradient * value; }
};

template <>
struct Fragments<MarkedPoints> {
  [[nodiscard]] static MarkedPoints node(const Points& weight, bool is_marked) {
    return is_marked ? MarkedPoints{{}, weight} : MarkedPoints{weight, {}};
  }
  [[nodiscard]] static Points counted(const MarkedPoints& value) { return value.with; }
  [[nodiscard]] static MarkedPoints gradient(double weight) { return {{}, Points::all(weight)}; }
  [[nodiscard]] static MarkedPoints gradient(const MarkedPoints& product, const MarkedPoints& b) {
    return {product.without * b.without + product.with * b.with, product.with * (b.without + b.with)};
  }
  [[nodiscard]] static Points node_gradient(const MarkedPoints& gradient, bool is_marked) {
    return is_marked ? gradient.with : gradient.without;
  }
  [[nodiscard]] static Points dot(const MarkedPoints& gradient, const MarkedPoints& value) {
    return gradient.without * value.without + gradient.with * value.with;
  }
};

}  // namespace gristmill::explain
