// SPDX-License-Identifier: BSD-3-Clause
#include "explain/linear_kinds.hpp"

#include <cmath>
#include <initializer_list>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "explain/draws.hpp"

namespace gristmill::explain {
namespace {

using Pair = std::pair<std::size_t, std::size_t>;

void set_pair(KindShares& shares, Kind one, Kind other, double share) {
  shares.pair[one][other] = shares.pair[other][one] = sign_of(one) * sign_of(other) * share;
}

// --- Tanimoto --------------------------------------------------------------------------------------------------------

class TanimotoKinds final : public LinearKinds {
 public:
  KindShares shares(std::size_t s, const KindCounts& counts, bool pairs, Pulse& pulse) override {
    const auto& [players, common, common_shared] = counts;
    const Pair all{players[x_other], players[reference_other]};
    if (all != all_) moments_.clear();
    all_ = all;
    offset_ = static_cast<double>(common + s - common_shared);
    // x1 is come r + stay (1 - r) where r of the orders has a shared player in front.
    stay_ = static_cast<double>(common_shared + players[reference_shared]);
    rise_ = static_cast<double>(players[x_shared]) - static_cast<double>(players[reference_shared]);
    KindShares found;
    const double height = sum(moments({0, 0}, pulse), 0, pulse).even;
    found.value[x_shared] = height;
    found.value[reference_shared] = -height;
    for (const Kind one : {x_other, reference_other}) {
      if (players[one] == 0) continue;
      const Sums step = sum(moments(without(one), pulse), 1, pulse);
      found.value[one] = sign_of(one) * overlap(step);
      if (!pairs) continue;
      for (const Kind shared : {x_shared, reference_shared}) set_pair(found, shared, one, step.even);
      for (const Kind other : {x_other, reference_other}) {
        if (other < one || players[other] < (other == one ? 2U : 1U)) continue;
        set_pair(found, one, other, overlap(sum(moments(without(one, other), pulse), 2, pulse)));
      }
    }
    return found;
  }

 private:
  // By x2 of the others: how likely it is, and that times the share of shared players in front.
  struct Moments {
    std::vector<double> even;
    std::vector<double> early;
  };
  struct Sums {
    double even = 0;
    double early = 0;
  };

  static Pair without(Kind one) { return {one == x_other ? 1 : 0, one == reference_other ? 1 : 0}; }
  static Pair without(Kind one, Kind other) {
    const Pair first = without(one);
    const Pair second = without(other);
    return {first.first + second.first, first.second + second.second};
  }

  const Moments& moments(const Pair& removed, Pulse& pulse) {
    const auto [at, is_new] = moments_.try_emplace(removed);
    if (!is_new) return at->second;
    const std::size_t of_x = all_.first - removed.first;
    const std::size_t of_reference = all_.second - removed.second;
    const std::size_t others = of_x + of_reference;
    Moments& found = at->second;
    found.even.assign(others + 1, 0.0);
    found.early.assign(others + 1, 0.0);
    for_each_sum(of_x, of_reference, [&](std::size_t j, std::size_t x2, double chance) {
      const double weight = chance / static_cast<double>(others + 1);
      found.even[x2] += weight;
      found.early[x2] += weight * static_cast<double>(j + 1) / static_cast<double>(others + 2);
      pulse(1);
    });
    return found;
  }

  // With the difference of h of this order.
  Sums sum(const Moments& moments, std::size_t order, Pulse& pulse) const {
    Sums found;
    for (std::size_t x2 = 0; x2 < moments.even.size(); ++x2) {
      const double z = offset_ + static_cast<double>(x2);
      const double h = order == 0 ? 1 / z : order == 1 ? -1 / (z * (z + 1)) : 2 / (z * (z + 1) * (z + 2));
      found.even += moments.even[x2] * h;
      found.early += moments.early[x2] * h;
    }
    pulse(moments.even.size());
    return found;
  }

  [[nodiscard]] double overlap(const Sums& sums) const { return stay_ * sums.even + rise_ * sums.early; }

  Pair all_;                         // players that the support row has not: of x, and of the reference
  std::map<Pair, Moments> moments_;  // of these, without so many of them
  double offset_ = 0;
  double stay_ = 0;
  double rise_ = 0;
};

// --- cosine, Dice ----------------------------------------------------------------------------------------------------

using Height = double (*)(double length, double s);

class LengthKinds final : public LinearKinds {
 public:
  explicit LengthKinds(Height height) : height_(height) {}

  KindShares shares(std::size_t s, const KindCounts& counts, bool pairs, Pulse& pulse) override {
    const auto& players = counts.players;
    set_players({players[x_shared] + players[x_other], players[reference_shared] + players[reference_other]},
                counts.common);
    KindShares found;
    for (const Kind one : all_kinds) {
      if (players[one] == 0) continue;
      found.value[one] = sign_of(one) * share(sums(without(one), 1, s, pulse), counts, {one});
      for (std::size_t second = one; pairs && second < kinds; ++second) {
        const auto other = static_cast<Kind>(second);
        if (players[other] < (other == one ? 2U : 1U)) continue;
        const Pair first = without(one);
        const Pair removed{first.first + without(other).first, first.second + without(other).second};
        set_pair(found, one, other, share(sums(removed, 2, s, pulse), counts, {one, other}));
      }
    }
    return found;
  }

 private:
  // By z of the others: how likely it is, and that times the share of those of x, and of the reference, that are there.
  struct Moments {
    std::vector<double> even;
    std::vector<double> of_x;
    std::vector<double> of_reference;
  };
  // The same with differences of h, and what the overlap of those that come adds.
  struct Sums {
    double even = 0;
    double of_x = 0;
    double of_reference = 0;
    double own = 0;
  };

  static Pair without(Kind one) { return {one < reference_shared ? 1 : 0, one < reference_shared ? 0 : 1}; }

  void set_players(const Pair& all, std::size_t common) {
    if (all != all_) moments_.clear();
    if (all != all_ || common != common_) sums_.clear();
    all_ = all;
    common_ = common;
  }

  const Moments& moments(const Pair& removed, Pulse& pulse) {
    const auto [at, is_new] = moments_.try_emplace(removed);
    if (!is_new) return at->second;
    const std::size_t of_x = all_.first - removed.first;
    const std::size_t of_reference = all_.second - removed.second;
    Moments& found = at->second;
    for (auto* part : {&found.even, &found.of_x, &found.of_reference}) part->assign(of_x + of_reference + 1, 0.0);
    const auto share_of = [](std::size_t some, std::size_t all) {
      return all > 0 ? static_cast<double>(some) / static_cast<double>(all) : 0.0;
    };
    for_each_sum(of_x, of_reference, [&](std::size_t j, std::size_t z, double chance) {
      const std::size_t came = (z + j - of_reference) / 2;
      const double weight = chance / static_cast<double>(of_x + of_reference + 1);
      found.even[z] += weight;
      found.of_x[z] += weight * share_of(came, of_x);
      found.of_reference[z] += weight * share_of(z - came, of_reference);
      pulse(1);
    });
    return found;
  }

  const Sums& sums(const Pair& removed, std::size_t order, std::size_t s, Pulse& pulse) {
    const auto [at, is_new] = sums_[s].try_emplace(removed);
    if (!is_new) return at->second;
    const Moments& weights = moments(removed, pulse);
    for (std::size_t z = 0; z < weights.even.size(); ++z) {
      const double step = h(z + order, s) - h(z + order - 1, s);
      const double gain = order == 1 ? step : step - (h(z + 1, s) - h(z, s));
      at->second.even += weights.even[z] * gain;
      at->second.of_x += weights.of_x[z] * gain;
      at->second.of_reference += weights.of_reference[z] * gain;
      at->second.own += weights.even[z] * (order == 1 ? h(z + 1, s) : step);
    }
    pulse(weights.even.size());
    return at->second;
  }

  // Where there is no feature at all there is no overlap either.
  [[nodiscard]] double h(std::size_t z, std::size_t s) const {
    const std::size_t length = common_ + z;
    return length > 0 ? height_(static_cast<double>(length), static_cast<double>(s)) : 0.0;
  }

  static double share(const Sums& sums, const KindCounts& counts, std::initializer_list<Kind> coming) {
    auto of_x = static_cast<double>(counts.players[x_shared]);
    auto of_reference = static_cast<double>(counts.players[reference_shared]);
    double own = 0;
    for (const Kind one : coming) {
      if (one == x_shared) --of_x;
      if (one == reference_shared) --of_reference;
      if (is_shared(one)) ++own;
    }
    return static_cast<double>(counts.common_shared) * sums.even + of_x * sums.of_x + of_reference * sums.of_reference +
           own * sums.own;
  }

  Height height_;
  Pair all_;  // players of x, and of the reference
  std::size_t common_ = 0;
  std::map<Pair, Moments> moments_;                             // of all without so many
  std::unordered_map<std::size_t, std::map<Pair, Sums>> sums_;  // by the length of s
};

}  // namespace

std::unique_ptr<LinearKinds> linear_kinds(const kernel::SetKernel& kernel) {
  if (std::holds_alternative<kernel::TanimotoKernel>(kernel.form())) return std::make_unique<TanimotoKinds>();
  if (std::holds_alternative<kernel::CosineKernel>(kernel.form())) {
    return std::make_unique<LengthKinds>([](double length, double s) { return 1 / std::sqrt(length * s); });
  }
  if (std::holds_alternative<kernel::DiceKernel>(kernel.form())) {
    return std::make_unique<LengthKinds>([](double length, double s) { return 2 / (length + s); });
  }
  return nullptr;
}

}  // namespace gristmill::explain
