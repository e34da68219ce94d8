// SPDX-License-Identifier: BSD-3-Clause
#include "explain/kind_shares.hpp"

#include <algorithm>

#include "explain/draws.hpp"

namespace gristmill::explain {
namespace {

std::size_t shared_of(const std::array<std::size_t, kinds>& players) {
  return players[x_shared] + players[reference_shared];
}
std::size_t other_of(const std::array<std::size_t, kinds>& players) {
  return players[x_other] + players[reference_other];
}

void add_weighted(double factor, const double* terms, std::size_t size, double* __restrict out) {
  for (std::size_t at = 0; at < size; ++at) out[at] += factor * terms[at];
}

// How likely it is that of the players in front, uniformly many, j1 are among t of all t + u, and j2 are not: by j2,
// j1.
std::vector<double> chances_of_prefixes(std::size_t t, std::size_t u) {
  std::vector<double> table((t + 1) * (u + 1), 0.0);
  Draws draws(t + u, t);
  for (std::size_t j = 0; j <= t + u; ++j) {
    if (j > 0) draws.draw();
    for (std::size_t j1 = draws.low(); j1 <= draws.high(); ++j1) {
      if (j1 <= j && j - j1 <= u) table[(j - j1) * (t + 1) + j1] = draws.chance(j1) / static_cast<double>(t + u + 1);
    }
  }
  return table;
}

}  // namespace

KindShares KindGames::shares(std::size_t row, const KindCounts& counts, bool pairs, Pulse& pulse) {
  const kernel::SetKernel& kernel = values_.kernel();
  if (const auto* rbf = std::get_if<kernel::RbfKernel>(&kernel.form())) return of_products(*rbf, row, counts);
  const auto length = static_cast<std::size_t>(values_.lengths()[row]);
  if (linear_ && length > 0) return linear_->shares(length, counts, pairs, pulse);
  KindCounts seen = counts;
  if (kernel.by_overlap()) seen.players[x_other] = seen.players[reference_other] = 0;
  if (weights_.empty() || seen.players != players_ || (pairs && !has_pairs_)) weigh(seen.players, pairs, pulse);
  pulse((shared_of(seen.players) + 1) * (other_of(seen.players) + 1) * weights_.size());
  return of_weights(row, seen);
}

// --- products --------------------------------------------------------------------------------------------------------

// A feature of x that the row has, and one of the reference that it has not, bring x nearer; the others take it away.
KindShares KindGames::of_products(const kernel::RbfKernel& kernel, std::size_t row, const KindCounts& counts) {
  const std::size_t nearer = counts.players[x_shared] + counts.players[reference_other];
  const std::size_t all = nearer + counts.players[x_other] + counts.players[reference_shared];
  KindShares found;
  if (all == 0) return found;
  const auto distance = static_cast<double>(static_cast<std::size_t>(values_.lengths()[row]) + counts.common -
                                            2 * counts.common_shared - shared_of(counts.players));
  const double lost = -std::expm1(-kernel.gamma);
  const double scale = std::exp(-kernel.gamma * distance) * lost;
  const PowerMeans& one = means(kernel.gamma, all - 1);
  const double come = nearer > 0 ? scale * one[nearer - 1] : 0.0;
  const double go = nearer < all ? -scale * one[nearer] : 0.0;
  found.value = {come, go, go, come};
  if (all < 2) return found;
  const PowerMeans& two = means(kernel.gamma, all - 2);
  const double both = nearer > 1 ? scale * lost * two[nearer - 2] : 0.0;
  const double mixed = nearer > 0 && nearer < all ? -scale * lost * two[nearer - 1] : 0.0;
  const double none = nearer + 1 < all ? scale * lost * two[nearer] : 0.0;
  found.pair = {
      {{both, mixed, mixed, both}, {mixed, none, none, mixed}, {mixed, none, none, mixed}, {both, mixed, mixed, both}}};
  return found;
}

const PowerMeans& KindGames::means(double gamma, std::size_t n) {
  return means_.try_emplace(n, gamma, n).first->second;
}

// --- weights ---------------------------------------------------------------------------------------------------------

void KindGames::weigh(const Players& players, bool pairs, Pulse& pulse) {
  players_ = players;
  has_pairs_ = pairs;
  weights_.clear();
  for (const Kind first : all_kinds) {
    if (players[first] == 0) continue;
    Players others = players;
    --others[first];
    weights_.push_back({{first, first}, 1, weigh(others, pulse)});
    for (std::size_t second = first; pairs && second < kinds; ++second) {
      if (others[second] == 0) continue;
      Players rest = others;
      --rest[second];
      weights_.push_back({{first, static_cast<Kind>(second)}, 2, weigh(rest, pulse)});
    }
  }
}

std::vector<double> KindGames::weigh(const Players& others, Pulse& pulse) {
  const std::size_t t = shared_of(others);
  const std::size_t u = other_of(others);
  const std::size_t width = u + 1;
  const std::vector<double> prefixes = chances_of_prefixes(t, u);
  std::vector<double> by_sum(width * (t + 1), 0.0);  // by x2 and j1
  for_each_sum(others[x_other], others[reference_other], [&](std::size_t j2, std::size_t x2, double chance) {
    add_weighted(chance, prefixes.data() + j2 * (t + 1), t + 1, by_sum.data() + x2 * (t + 1));
    pulse(t + 1);
  });
  std::vector<double> by_front((t + 1) * width);  // by j1 and x2
  for (std::size_t x2 = 0; x2 <= u; ++x2) {
    for (std::size_t j1 = 0; j1 <= t; ++j1) by_front[j1 * width + x2] = by_sum[x2 * (t + 1) + j1];
  }
  std::vector<double> table((t + 1) * width, 0.0);
  for_each_sum(others[x_shared], others[reference_shared], [&](std::size_t j1, std::size_t x1, double chance) {
    add_weighted(chance, by_front.data() + j1 * width, width, table.data() + x1 * width);
    pulse(width);
  });
  return table;
}

KindShares KindGames::of_weights(std::size_t row, const KindCounts& counts) const {
  const std::vector<double> k = kernel_table(row, counts);
  const std::size_t width = other_of(counts.players) + 1;
  const auto step = [&](Kind kind) { return is_shared(kind) ? width : 1; };
  KindShares found;
  for (const Weights& weights : weights_) {
    const auto [first, second] = weights.coming;
    const bool is_pair = weights.order == 2;
    const std::size_t own_width = width - (is_shared(first) ? 0 : 1) - (is_pair && !is_shared(second) ? 1 : 0);
    const double* weight = weights.table.data();
    double sum = 0.0;
    for (std::size_t begin = 0; weight < weights.table.data() + weights.table.size(); begin += width) {
      for (std::size_t at = begin; at < begin + own_width; ++at, ++weight) {
        const double gain = k[at + step(first)] - k[at];
        sum += *weight * (is_pair ? (k[at + step(first) + step(second)] - k[at + step(second)]) - gain : gain);
      }
    }
    if (is_pair) {
      found.pair[first][second] = found.pair[second][first] = sign_of(first) * sign_of(second) * sum;
    } else {
      found.value[first] = sign_of(first) * sum;
    }
  }
  return found;
}

std::vector<double> KindGames::kernel_table(std::size_t row, const KindCounts& counts) const {
  const std::size_t shared = shared_of(counts.players);
  const std::size_t other = other_of(counts.players);
  std::vector<double> table((shared + 1) * (other + 1));
  for (std::size_t players = 0; players <= shared + other; ++players) {
    values_.with_row(row, counts.common + players, shared + other + 1, [&](const auto& value) {
      for (std::size_t x1 = players - std::min(players, other); x1 <= std::min(players, shared); ++x1) {
        table[x1 * (other + 1) + (players - x1)] = value(counts.common_shared + x1);
      }
    });
  }
  return table;
}

}  // namespace gristmill::explain
