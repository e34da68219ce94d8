// SPDX-License-Identifier: BSD-3-Clause
// Cutting planes for a support vector machine in the 1-slack form (Joachims 2006), with a line search to the best point
// so far (OCAS, Franc and Sonnenburg 2008):
//
//   minimise  1/2 |w|^2 + total * sum_v share_v max(0, 1 - y_v (w phi_v + b)),   share_v = cost_v / total
//
// A plane takes in some variables: sum_v share_v c_v (1 - y_v f(v)) is never above the loss, whatever c in [0, 1]. The
// master problem, its dual a QP of a variable per plane, bounds the minimum from below; its solution is dual feasible:
// each variable gets at most its cost. b is free if `balanced`, else 0.
//
// Who uses it multiplies: everything about the kernel comes in as products of the Gram matrix with weights it gave out.
// A round is solve, place, search, cut, add: two products and a few passes over variables and planes. Squares of
// vectors that are below 0 by more than rounding, and products that are no numbers, are refused with
// std::invalid_argument.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solve/cutting_plane/plane_qp.hpp"
#include "solve/cutting_plane/plane_set.hpp"

namespace gristmill::solve::cutting_plane {

class Bundle {
 public:
  // costs > 0, signs 1 or -1; total: the sum of the costs of all variables, also of those that are not here (yet).
  Bundle(std::vector<std::int8_t> signs, std::span<const double> costs, double total, bool balanced);

  [[nodiscard]] std::size_t variables() const noexcept { return signs_.size(); }
  [[nodiscard]] std::size_t planes() const noexcept { return planes_.size(); }
  [[nodiscard]] double total() const noexcept { return qp_.total(); }
  [[nodiscard]] std::size_t nbytes() const;
  [[nodiscard]] const PlaneQp& qp() const noexcept { return qp_; }

  // w = sum_v y_v a_v phi_v
  struct Point {
    std::vector<double> dual;     // a
    std::vector<double> margins;  // y f, with b
    double norm = 0;              // |w|^2
    double intercept = 0;
    double loss = 1;  // mean hinge
  };
  [[nodiscard]] const Point& master() const noexcept { return master_; }
  [[nodiscard]] const Point& best() const noexcept { return best_; }
  [[nodiscard]] double objective(const Point& point) const noexcept { return point.norm / 2 + total() * point.loss; }
  // Variables that some plane takes in, ascending.
  [[nodiscard]] std::vector<std::uint32_t> members() const;
  // What the minimum is not below, if all planes are exact.
  [[nodiscard]] double lower() const noexcept { return qp_.objective(); }

  // --- a round ---
  // Solves the master problem; planes without weight for more than `patience` rounds are left out. If balanced, the
  // first two planes stay: one for each sign, they keep b within bounds.
  void solve(std::size_t patience);
  // y a of a point, to be multiplied.
  [[nodiscard]] std::vector<double> weights(const Point& point) const;
  // The products of the weights of the master's solution: values_v = w phi_v.
  void place(std::span<const double> values);
  // Moves the best point to the best one on the way to the master's solution.
  void search();
  // The exact plane at a point between the best (0) and the master's solution (1). Weights to be multiplied.
  [[nodiscard]] std::vector<double> cut(double toward_master);
  // The exact plane of the variables that are chosen.
  [[nodiscard]] std::vector<double> cut(std::span<const bool> chosen);
  // That plane, with the products of its weights.
  void add(std::span<const double> values);
  // A sampled plane: what its variables count (1/r each for r of them drawn uniformly), and the products of its
  // weights, where only those of variables in other planes or its own are looked at.
  void add(PlaneSet::Sample sample, std::span<const double> values);

  // --- other than from nothing ---
  // The best point so far, known from elsewhere; products as in place().
  void start(std::vector<double> dual, std::span<const double> values, double intercept);
  // More variables; values: their products with the weights of the best point.
  void extend(std::span<const std::int8_t> signs, std::span<const double> costs, std::span<const double> values);

 private:
  [[nodiscard]] std::vector<double> signed_weights(const PlaneSet::Bits& bits) const;
  template <class Plane>
  void append(Plane plane, std::span<const double> values);
  void measure(Point& point, std::span<const double> values) const;
  [[nodiscard]] double loss_of(std::span<const double> margins) const;
  void check_square(double square) const;

  std::vector<std::int8_t> signs_;
  PlaneSet planes_;
  PlaneQp qp_;
  std::size_t lasting_;            // planes that stay whatever their weight
  std::vector<std::size_t> idle_;  // rounds without weight, of each plane
  double size_ = 0;                // the largest product of a plane
  PlaneSet::Bits pending_;
  Point master_;
  Point best_;
};

}  // namespace gristmill::solve::cutting_plane
