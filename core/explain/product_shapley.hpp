// SPDX-License-Identifier: BSD-3-Clause
// Exact Shapley values and interactions under an RBF kernel, which is a product over features: rows of any values,
// groups of features, a reference row or independent groups as background.
//
// Of a support row s a player h that came gives a factor X_h, one that did not R_h, and the game is the product of all:
//
//   reference     X_h = e^(-gamma sum (x_f - s_f)^2),  R_h the same of the reference, sums over the features of h
//   independent   R_h is the mean of e^(-gamma ...) over the features of which an absent player may have one
//   dropped       R_h = 1: absent features are dropped from the kernel, and all that are left are equal without any
//
// By Owen's multilinear extension, with F_h = (1 - y) R_h + y X_h the mean factor where h came with probability y,
//
//   phi_h = int (X_h - R_h) prod_{others} F dy     I_gh = int (X_g - R_g) (X_h - R_h) prod_{others} F dy
//
// which Gauss-Legendre rules give exactly. Factors lie between 0 and 1. Players with X_h = R_h are out of the game.
// Cost for each support row: its features and those of x; with n players in the game n^2 (values), n^3 / 4 (pairs).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/observer.hpp"
#include "explain/contrasts.hpp"
#include "explain/ranked_support.hpp"

namespace gristmill::explain {

enum class Absence : std::uint8_t { reference, independent, dropped };

class ProductShapley {
 public:
  // Throws std::bad_variant_access for other kernels.
  explicit ProductShapley(std::shared_ptr<const machine::SetMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return support_.outputs(); }

  // Adds to `values` (players x outputs) and, unless that is empty, to `interactions`, see ReferenceShapley.
  // independent: the reference has the probability of each feature, of which a player has at most one.
  void explain(const Contrasts& contrasts, Absence absence, std::span<double> values, std::span<double> interactions,
               std::size_t threads, Observer& observer) const;

 private:
  RankedSupport support_;
};

}  // namespace gristmill::explain
