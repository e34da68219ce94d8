// SPDX-License-Identifier: BSD-3-Clause
// A game whose players each give to two counts of a row, the features that it shares with a support row and the
// features that it has, and whose worth is a table by these counts. A player that came gives one outcome; one that did
// not gives another one, or one of several by chance.
//
// By Owen's multilinear extension the value of a player is the integral over y of what it adds where every other one
// came with probability y, which Gauss-Legendre rules give exactly. With front_h the chances of the counts of the
// players before h, and behind_h(c) the mean worth if those before h gave c and h and all others still come or not,
//
//   phi_h = int sum over c of front_h(c) (behind_{h+1}(c + came_h) - behind_{h+1}(c + absent_h)) dy
//
// and for a pair the players between the two are added to a front that is itself such a difference. All are means of
// worths, so nothing is lost but in that difference. Cost, with n players and S different counts: n^2 S / 2 steps for
// values, n^3 S / 6 for pairs as well. Memory: n S.
#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "explain/gauss_legendre.hpp"

namespace gristmill::explain {

// One per thread.
class CountGame {
 public:
  struct Outcome {
    std::uint32_t shared = 0;
    std::uint32_t length = 0;
    double chance = 1;
    friend auto operator<=>(const Outcome&, const Outcome&) = default;
  };
  struct Player {
    Outcome came;
    std::array<Outcome, 3> absent{Outcome{}, Outcome{.chance = 0}, Outcome{.chance = 0}};
    friend auto operator<=>(const Player&, const Player&) = default;

    // The least that it gives to each count, which is taken away; whether it is then nothing, come what may.
    Outcome take_least();
    [[nodiscard]] bool gives_nothing() const;
  };
  // How many different counts there are, or a bound.
  struct Extent {
    std::size_t shared = 1;
    std::size_t lengths = 1;
    [[nodiscard]] std::size_t size() const noexcept { return shared * lengths; }
    void add(const Player& player);
  };

  // worth: by length and shared, of the extent of all players. Their values and, if asked for, those of the pairs
  // (0, 1), (0, 2), ..., (1, 2), ...
  void play(std::span<const Player> players, std::span<const double> worth, bool pairs, Pulse& pulse);
  [[nodiscard]] std::span<const double> values() const noexcept { return values_; }
  [[nodiscard]] std::span<const double> pairs() const noexcept { return pairs_; }

 private:
  // Points of a table of counts: those that the players before one can have given.
  template <class Visit>
  void for_points(std::size_t player, Visit visit) const;
  template <class Visit>
  void for_absent(const Player& player, Visit visit) const;
  [[nodiscard]] std::size_t step(const Outcome& outcome) const noexcept {
    return outcome.length * extents_.back().shared + outcome.shared;
  }

  void set_players(std::span<const Player> players, std::span<const double> worth);
  void find_behind(double y, Pulse& pulse);
  // What comes of a front: the difference of `player` there, and the front behind it.
  [[nodiscard]] double gain(std::span<const double> front, std::size_t player) const;
  void pass(std::vector<double>& front, std::size_t player, double came, double absent);
  void add_values(const QuadraturePoint& point, Pulse& pulse);
  void add_pairs(const QuadraturePoint& point, Pulse& pulse);

  std::span<const Player> players_;
  std::vector<Extent> extents_;              // of the players before each, and of all
  std::vector<std::vector<double>> behind_;  // by player; the last is the worth
  std::vector<double> front_;
  std::vector<double> next_;
  std::vector<double> values_;
  std::vector<double> pairs_;
  QuadratureRules rules_;
};

}  // namespace gristmill::explain
