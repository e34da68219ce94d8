// SPDX-License-Identifier: BSD-3-Clause
#include "explain/kind_shares.hpp"

#include <algorithm>

namespace gristmill::explain {
namespace {

constexpr double rarest_sum = 1e-30;

constexpr std::array<Kind, kinds> all_kinds{x_shared, x_other, reference_shared, reference_other};

bool is_shared(Kind kind) { return kind % 2 == 0; }
double sign_of(Kind kind) { return kind < reference_shared ? 1.0 : -1.0; }  // those of the reference go when they come

std::size_t shared_of(const std::array<std::size_t, kinds>& players) {
  return players[x_shared] + players[reference_shared];
}
std::size_t other_of(const std::array<std::size_t, kinds>& players) {
  return players[x_other] + players[reference_other];
}

}  // namespace

KindShares KindGames::shares(std::size_t row, const KindCounts& counts, bool pairs, Pulse& pulse) {
  const kernel::SetKernel& kernel = values_.kernel();
  if (const auto* rbf = std::get_if<kernel::RbfKernel>(&kernel.form())) return of_products(*rbf, row, counts);
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
  found.pair = {{{both, mixed, mixed, both}, {mixed, none, none, mixed}, {mixed, none, none, mixed},
                 {both, mixed, mixed, both}}};
  return found;
}

const PowerMeans& KindGames::means(double gamma, std::size_t n) { return means_.try_emplace(n, gamma, n).first->second; }

// --- weights ---------------------------------------------------------------------------------------------------------

void KindGames::weigh(const Players& players, bool pairs, Pulse& pulse) {
  players_ = players;
  has_pairs_ = pairs;
  weights_.clear();
  for (const Kind first : all_kinds) {
    if (players[first] == 0) continue;
    Players others = players;
    --others[first];
    weights_.push_back({{first, first}, 1, {}});
    weigh(weights_.back(), others, pulse);
    for (std::size_t second = first; pairs && second < kinds; ++second) {
      if (others[second] == 0) continue;
      Players rest = others;
      --rest[second];
      weights_.push_back({{first, static_cast<Kind>(second)}, 2, {}});
      weigh(weights_.back(), rest, pulse);
    }
  }
}

void KindGames::weigh(Weights& weights, const Players& others, Pulse& pulse) {
  const std::size_t width = other_of(others) + 1;
  weights.table.assign((shared_of(others) + 1) * width, 0.0);
  const std::size_t points = (shared_of(others) + other_of(others)) / 2 + 1;
  auto& rule = rules_[points];
  if (rule.empty()) rule = gauss_legendre(points, [&](std::size_t steps) { pulse(steps); });
  for (const QuadraturePoint& point : rule) {
    const Chances shared = chances(others[x_shared], others[reference_shared], point.at);
    const Chances other = chances(others[x_other], others[reference_other], point.at);
    for (std::size_t x1 = 0; x1 < shared.at.size(); ++x1) {
      const double chance = point.weight * shared.at[x1];
      double* out = weights.table.data() + (shared.low + x1) * width + other.low;
      for (std::size_t x2 = 0; x2 < other.at.size(); ++x2) out[x2] += chance * other.at[x2];
    }
    pulse(shared.at.size() * (other.at.size() + others[x_shared] + others[reference_shared]) +
          other.at.size() * (others[x_other] + others[reference_other]));
  }
}

// Of a sum of coin flips: `coming` of them are 1 with probability y, `leaving` with 1 - y. Unlikely ends are cut off.
KindGames::Chances KindGames::chances(std::size_t coming, std::size_t leaving, double y) {
  std::vector<double> at(coming + leaving + 1, 0.0);
  std::size_t low = 0;
  std::size_t high = 0;
  at[0] = 1.0;
  for (std::size_t flip = 0; flip < coming + leaving; ++flip) {
    const double one = flip < coming ? y : 1 - y;
    at[++high] = 0.0;
    for (std::size_t sum = high; sum > low; --sum) at[sum] = at[sum] * (1 - one) + at[sum - 1] * one;
    at[low] *= 1 - one;
    while (low < high && at[low] < rarest_sum) ++low;
    while (low < high && at[high] < rarest_sum) --high;
  }
  at.resize(high + 1);
  at.erase(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(low));
  return {low, std::move(at)};
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
    values_.with(counts.common + players, [&](const auto& value) {
      for (std::size_t x1 = players - std::min(players, other); x1 <= std::min(players, shared); ++x1) {
        table[x1 * (other + 1) + (players - x1)] = value(row, counts.common_shared + x1);
      }
    });
  }
  return table;
}

}  // namespace gristmill::explain
