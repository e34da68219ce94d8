// SPDX-License-Identifier: BSD-3-Clause
// Exact Shapley values and interactions of features of any values, or of groups of them, against a reference row or
// against independent groups.
//
// Players are the features in which x and the reference r differ: those in the coalition S have the value they have in
// x, the others the one in r. A support row s then plays
//
//   G(S) = (centre + sum_f +-step_f)^d, + for f in S,  centre = gamma <s, (x + r) / 2> + coef0,
//                                                      step_f = gamma s_f (x_f - r_f) / 2,
//
// and the step of a group of features is the sum of theirs.
//
// By Owen's multilinear extension (1972) the value of f is what f adds on average where all others come with the same
// probability (1 + y) / 2, the mean of that over y from -1 to 1, and likewise the interaction of f and g:
//
//   phi_f = 1/2 int L( 2 sinh(step_f z)                   prod_{h != f}    (cosh(step_h z) + y sinh(step_h z)) ) dy
//   I_fg  = 1/2 int L( 2 sinh(step_f z) 2 sinh(step_g z)  prod_{h != f, g} (cosh(step_h z) + y sinh(step_h z)) ) dy
//
// where L takes z^l to d! / (d - l)! centre^(d - l). In y these are polynomials, for which the Gauss-Legendre rule of
// (d + 1) / 2 points is exact. Replacing y and z by -y and -z changes only the signs of the sinh in front: values need
// the odd powers of z, interactions the even ones, and both of them no negative y.
//
// Where groups are independent and have one of their features each, an absent player is random. e^(-step z) is then the
// mean of e^(gamma s_h z) over the features h that it may have, and the middle of the two takes the place of cosh, half
// the difference that of sinh; all powers of z and all y count.
//
// There is no cancellation to fear: without their signs the terms add up to at most 2 (values) or 4 (interactions)
// times (|centre| + sum |step|)^d, which is the largest |G|.
// Cost: entries of the support rows, and for every one that has k players about d / 4 passes of k d^2 (values) and of
// k^2 d^2 / 2 multiplications (interactions).
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "explain/contrasts.hpp"
#include "explain/ranked_support.hpp"

namespace gristmill::explain {

// The game of a support row: (centre + what each player adds)^d. Players have names, ascending.
class PowerGame {
 public:
  // A point of the integral over y.
  struct Node {
    double y;
    double weight;
  };
  // What an absent player may add, and how likely; it adds nothing else.
  struct Chance {
    double probability;
    double adds;
  };

  explicit PowerGame(unsigned degree);

  [[nodiscard]] std::size_t players() const noexcept { return players_.size(); }
  [[nodiscard]] std::size_t work() const noexcept { return players() * length_ * length_; }  // of a pass over them

  void clear();
  void add_player(std::size_t name, double step);  // adds step, absent -step
  void add_player(std::size_t name, double adds, std::span<const Chance> absent);
  void set_centre(double centre);  // after the last player

  // visit(name, share): the value of a player is the sum of its shares; pulse(steps) now and then.
  template <class Visit>
  void values(Visit visit, Pulse& pulse) {
    for (const Node& node : nodes()) {
      prepare(node, 1);
      for (std::size_t f = 0; f < players(); ++f) {
        visit(players_[f].name, value(f));
        pass(before_, f);
      }
      pulse(work());
    }
  }

  // visit(name, later name, share), likewise.
  template <class Visit>
  void interactions(Visit visit, Pulse& pulse) {
    for (const Node& node : nodes()) {
      prepare(node, 0);
      for (std::size_t f = 0; f < players(); ++f) {
        begin_pairs(f);
        for (std::size_t g = f + 1; g < players(); ++g) {
          visit(players_[f].name, players_[g].name, interaction(g));
          pass(pair_, g);
        }
        pass(before_, f);
        pulse(work());
      }
    }
  }

 private:
  struct Player {
    std::size_t name;
    double adds;
    std::size_t first_chance;
  };

  [[nodiscard]] std::span<double> of(std::vector<double>& table, std::size_t player) const {
    return std::span(table).subspan(player * length_, length_);
  }
  [[nodiscard]] std::span<const Node> nodes() const noexcept { return symmetric_ ? half_nodes_ : nodes_; }
  [[nodiscard]] std::size_t stride() const noexcept { return symmetric_ ? 2 : 1; }  // of the powers in halves
  [[nodiscard]] std::span<const Chance> chances(std::size_t player) const;
  void set_weights(double centre);
  void set_series(double largest);
  // The factors at this y, nobody before the first player, and for each player what a series of those before it is
  // worth once it is multiplied by the player's gain and by the factors of those behind: L, pulled back over them.
  void prepare(const Node& node, std::size_t parity);
  [[nodiscard]] double value(std::size_t f);
  [[nodiscard]] double interaction(std::size_t g);
  void begin_pairs(std::size_t f);
  void pass(std::vector<double>& series, std::size_t f);

  // Series are the coefficients of 1, z, ..., z^d.
  std::size_t length_;
  std::vector<Node> nodes_;
  std::vector<Node> half_nodes_;  // those of y >= 0, which count for their mirror images
  std::vector<double> falling_;   // d! / (d - l)!
  bool symmetric_ = true;         // each player adds +-step: even powers of z in the middle, odd ones in the difference
  std::vector<Player> players_;
  std::vector<Chance> chances_;
  double scale_ = 1.0;
  std::vector<double> weights_;  // L
  std::vector<double> middles_;  // players x length: (e^(adds z) + the mean of e^(absent z)) / 2
  std::vector<double> halves_;   // half the difference
  std::vector<double> factors_;  // middle + y half
  std::vector<double> gains_;    // see prepare()
  std::vector<double> functional_;
  std::vector<double> before_;  // the product of the factors of those before
  std::vector<double> pair_;    // the same between the two of a pair and before, times the gain of the first
};

class ReferenceShapley {
 public:
  explicit ReferenceShapley(std::shared_ptr<const machine::SetMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return support_.outputs(); }

  // Adds to `values` (players x outputs) and, unless that is empty, to `interactions`: for row after row its pairs of
  // players p < q in the order (0, 1), (0, 2), ..., (1, 2), ..., x outputs. A share that leaves the range of double is
  // not finite. `independent`: the reference has the probability of each feature, of which a player has at most one.
  void explain(const Contrasts& contrasts, bool independent, std::span<double> values, std::span<double> interactions,
               std::size_t threads, Observer& observer) const;

 private:
  RankedSupport support_;
};

}  // namespace gristmill::explain
