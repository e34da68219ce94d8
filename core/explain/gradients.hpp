// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a sum over fragments by what it is made of (kernel/trees/semiring.hpp): by a pair a pair, too.
#pragma once
#include "kernel/trees/semiring.hpp"

namespace gristmill::explain {

using kernel::trees::MarkedPoints;
using kernel::trees::Points;
using kernel::trees::Semiring;

template <class Value>
struct Gradients;

template <>
struct Gradients<Points> {
  // Of a value that counts so much; of a, from that of a * b; of the weight of a node.
  [[nodiscard]] static Points counted(double weight) { return Points::all(weight); }
  [[nodiscard]] static Points factor(const Points& product, const Points& b) { return product * b; }
  [[nodiscard]] static Points node(const Points& gradient, bool) { return gradient; }
  // What a gradient makes of a change of the value.
  [[nodiscard]] static Points dot(const Points& gradient, const Points& value) { return gradient * value; }
};

template <>
struct Gradients<MarkedPoints> {
  [[nodiscard]] static MarkedPoints counted(double weight) { return {{}, Points::all(weight)}; }
  [[nodiscard]] static MarkedPoints factor(const MarkedPoints& product, const MarkedPoints& b) {
    return {product.without * b.without + product.with * b.with, product.with * (b.without + b.with)};
  }
  [[nodiscard]] static Points node(const MarkedPoints& gradient, bool is_marked) {
    return is_marked ? gradient.with : gradient.without;
  }
  [[nodiscard]] static Points dot(const MarkedPoints& gradient, const MarkedPoints& value) {
    return gradient.without * value.without + gradient.with * value.with;
  }
};

}  // namespace gristmill::explain
