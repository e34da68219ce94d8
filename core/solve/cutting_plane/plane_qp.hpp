// SPDX-License-Identifier: BSD-3-Clause
// The dual problem of the 1-slack machine over the planes found so far (Joachims, Finley and Yu 2009):
//
//   minimise 1/2 a'Ha - h'a   with a >= 0, sum a <= total, and e'a = 0 if balanced
//
// solved exactly by a primal active set that starts from the solution before. Inside there is one plane more, the idle
// plane (H, h and e zero, its loss is 0), which takes what the others leave: then sum a = total always, and xi >= 0
// needs no care. As the sum does not change, H + rho 11' + sigma ee' gives the same steps as H and is positive definite
// wherever the minimum over the active planes P is unique; its Cholesky factor follows P. Where the minimum is not
// unique (planes that repeat one another) the factor is stiff instead of singular, the step points along the flat
// direction, and an exact line search carries it to the first bound.
//
// Every round enters the plane of largest loss (a pair of opposite e where no active plane has one) and strictly gains
// by it. Cost of a round: planes * |P| + a few |P|^2. Memory: planes^2. Accuracy: the residual is about what rounding a
// to doubles does to Ha, some 1e-16 times (1 + the largest entry of |H|a).
#pragma once
#include <cstdint>
#include <limits>

#include "solve/cutting_plane/plane_qp_factor.hpp"
#include "solve/cutting_plane/plane_qp_gram.hpp"

namespace gristmill::solve::cutting_plane {

inline constexpr double qp_rounding = 8 * std::numeric_limits<double>::epsilon();  // of a sum of some products, at most

class PlaneQp {
 public:
  // Throws std::invalid_argument unless total is positive and finite.
  PlaneQp(double total, bool balanced);

  // A new plane with a_j = 0. column: H with the planes so far, then with itself (size() + 1 entries). e is ignored
  // unless balanced, and taken for 0 where it is rounding beside the others.
  void add(std::span<const double> column, double h, double e);
  // Planes to keep, ascending; only planes with a_j = 0 may be left out (std::invalid_argument otherwise).
  void keep(std::span<const std::uint32_t> planes);
  // From the a there is.
  void solve();

  [[nodiscard]] std::size_t size() const noexcept { return a_.size() - 1; }
  [[nodiscard]] double total() const noexcept { return total_; }
  [[nodiscard]] std::span<const double> solution() const noexcept { return std::span(a_).subspan(1); }
  // xi, the multiplier of sum a <= total: the largest loss of a plane, or 0.
  [[nodiscard]] double slack() const noexcept { return slack_; }
  // b, the multiplier of e'a = 0: loss_j = h_j - (Ha)_j - b e_j.
  [[nodiscard]] double intercept() const noexcept { return intercept_; }
  // a'Ha, that is |w|^2
  [[nodiscard]] double square() const noexcept;
  // h'a - 1/2 a'Ha
  [[nodiscard]] double objective() const noexcept;
  // The largest violation of: loss_j <= xi, a_j (xi - loss_j) = 0, xi (total - sum a) = 0, e'a = 0 (over total).
  [[nodiscard]] double residual() const noexcept;
  // H with all planes.
  [[nodiscard]] std::span<const double> column(std::size_t plane) const { return {gram_.row(plane + 1) + 1, size()}; }
  // Rounds of all solutions so far.
  [[nodiscard]] std::size_t rounds() const noexcept { return rounds_; }

 private:
  struct Move {
    double length = 1;
    bool blocked = false;
  };

  void append(std::span<const double> column, double h, double e);
  void prepare();
  void rebuild();
  void refresh();
  void settle();
  void descend();
  void polish();
  [[nodiscard]] bool is_settled() const;
  void find_direction(double sum_gap, double tie_gap);
  void project(double sum_gap, double tie_gap);
  [[nodiscard]] Move find_move() const;
  [[nodiscard]] double find_bound() const;
  void go(const Move& move);
  void activate(std::uint32_t plane);
  void deactivate(std::size_t at);
  void drop_lone_signs();
  void drop_zeros();
  [[nodiscard]] bool enter();
  [[nodiscard]] bool enter_pair();
  [[nodiscard]] std::uint32_t worst(double intercept, bool only_level) const;
  [[nodiscard]] bool is_tied() const;
  [[nodiscard]] double loss(std::size_t plane) const { return rest_[plane] - intercept_ * e_[plane]; }
  [[nodiscard]] double noise(std::size_t plane, double intercept) const;
  void bar_if_out(std::uint32_t plane);

  double total_;
  bool balanced_;
  PlaneGram gram_;
  // Per plane, the idle plane first:
  std::vector<double> a_;
  std::vector<double> h_;
  std::vector<double> e_;
  std::vector<double> root_;  // of H_jj
  std::vector<double> rest_;  // h - Ha
  std::vector<char> is_active_;
  std::vector<char> is_barred_;        // came in and went out again at once: not before something else has moved
  std::vector<std::uint32_t> active_;  // a_j > 0, or about to be; in the order of the factor
  PlaneFactor factor_;
  double rho_ = 0;
  double sigma_ = 0;
  double slack_ = 0;
  double intercept_ = 0;
  double height_ = 0;  // the largest h
  double reach_ = 0;   // sum of root_j a_j: what rounding in Ha is measured by
  std::size_t removals_ = 0;
  std::size_t rounds_ = 0;
  // Scratch, by place in active_:
  std::vector<double> direction_;
  std::vector<double> curve_;  // H times direction
  std::vector<double> ones_;
  std::vector<double> ties_;
  std::vector<double> column_;
  double tie_on_ones_ = 0;  // the part of ties_ along ones_, taken out of ties_
};

}  // namespace gristmill::solve::cutting_plane
