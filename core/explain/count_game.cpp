// SPDX-License-Identifier: BSD-3-Clause
#include "explain/count_game.hpp"

#include <algorithm>

#include "base/triangle.hpp"

namespace gristmill::explain {

CountGame::Outcome CountGame::Player::take_least() {
  Outcome least = came;
  for (const Outcome& one : absent) {
    if (one.chance == 0) continue;
    least.shared = std::min(least.shared, one.shared);
    least.length = std::min(least.length, one.length);
  }
  const auto take = [&](Outcome& one) {
    one.shared -= least.shared;
    one.length -= least.length;
  };
  take(came);
  for (Outcome& one : absent) {
    if (one.chance > 0) take(one);
  }
  return least;
}

bool CountGame::Player::gives_nothing() const {
  const auto nothing = [](const Outcome& one) { return one.chance == 0 || (one.shared == 0 && one.length == 0); };
  return nothing(came) && std::ranges::all_of(absent, nothing);
}

void CountGame::Extent::add(const Player& player) {
  Outcome most = player.came;
  for (const Outcome& one : player.absent) {
    if (one.chance == 0) continue;
    most.shared = std::max(most.shared, one.shared);
    most.length = std::max(most.length, one.length);
  }
  shared += most.shared;
  lengths += most.length;
}

void CountGame::play(std::span<const Player> players, std::span<const double> worth, bool pairs, Pulse& pulse) {
  set_players(players, worth);
  const std::size_t n = players.size();
  values_.assign(n, 0.0);
  pairs_.assign(pairs ? pair_row(n) : 0, 0.0);
  if (n == 0) return;
  for (const QuadraturePoint& point : rules_.with((n + 1) / 2, pulse)) {
    find_behind(point.at, pulse);
    add_values(point, pulse);
    if (pairs) add_pairs(point, pulse);
  }
}

void CountGame::set_players(std::span<const Player> players, std::span<const double> worth) {
  players_ = players;
  extents_.assign(1, {});
  for (const Player& player : players) {
    extents_.push_back(extents_.back());
    extents_.back().add(player);
  }
  behind_.resize(std::max(behind_.size(), players.size() + 1));
  behind_[players.size()].assign(worth.begin(), worth.end());
}

template <class Visit>
void CountGame::for_points(std::size_t player, Visit visit) const {
  const Extent& own = extents_[player];
  for (std::size_t length = 0; length < own.lengths; ++length) {
    const std::size_t begin = length * extents_.back().shared;
    for (std::size_t at = begin; at < begin + own.shared; ++at) visit(at);
  }
}

template <class Visit>
void CountGame::for_absent(const Player& player, Visit visit) const {
  for (const Outcome& one : player.absent) {
    if (one.chance > 0) visit(step(one), one.chance);
  }
}

void CountGame::find_behind(double y, Pulse& pulse) {
  for (std::size_t h = players_.size(); h-- > 0;) {
    std::vector<double>& own = behind_[h];
    own.resize(extents_.back().size());
    const double* next = behind_[h + 1].data();
    const std::size_t came = step(players_[h].came);
    for_points(h, [&](std::size_t at) { own[at] = y * next[at + came]; });
    for_absent(players_[h], [&](std::size_t absent, double chance) {
      for_points(h, [&](std::size_t at) { own[at] += (1 - y) * chance * next[at + absent]; });
    });
    pulse(extents_[h].size());
  }
}

double CountGame::gain(std::span<const double> front, std::size_t player) const {
  const double* next = behind_[player + 1].data();
  const std::size_t came = step(players_[player].came);
  double sum = 0;
  for_absent(players_[player], [&](std::size_t absent, double chance) {
    double part = 0;
    for_points(player, [&](std::size_t at) { part += front[at] * (next[at + came] - next[at + absent]); });
    sum += chance * part;
  });
  return sum;
}

void CountGame::pass(std::vector<double>& front, std::size_t player, double came, double absent) {
  next_.resize(extents_.back().size());
  for_points(player + 1, [&](std::size_t at) { next_[at] = 0.0; });
  const auto add = [&](std::size_t to, double factor) {
    for_points(player, [&](std::size_t at) { next_[at + to] += factor * front[at]; });
  };
  add(step(players_[player].came), came);
  for_absent(players_[player], [&](std::size_t to, double chance) { add(to, absent * chance); });
  front.swap(next_);
}

void CountGame::add_values(const QuadraturePoint& point, Pulse& pulse) {
  front_.assign(extents_.back().size(), 0.0);
  front_[0] = point.weight;
  for (std::size_t h = 0; h < players_.size(); ++h) {
    values_[h] += gain(front_, h);
    pass(front_, h, point.at, 1 - point.at);
    pulse(extents_[h].size());
  }
}

void CountGame::add_pairs(const QuadraturePoint& point, Pulse& pulse) {
  front_.assign(extents_.back().size(), 0.0);
  front_[0] = point.weight;
  std::vector<double> between;
  double* pair = pairs_.data();
  for (std::size_t g = 0; g < players_.size(); ++g) {
    between = front_;
    pass(between, g, 1, -1);
    for (std::size_t h = g + 1; h < players_.size(); ++h, ++pair) {
      *pair += gain(between, h);
      pass(between, h, point.at, 1 - point.at);
      pulse(extents_[h].size());
    }
    pass(front_, g, point.at, 1 - point.at);
  }
}

}  // namespace gristmill::explain
