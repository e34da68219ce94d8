// SPDX-License-Identifier: BSD-3-Clause
#include "explain/product_shapley.hpp"

#include <algorithm>
#include <cmath>

#include "base/stop.hpp"
#include "base/triangle.hpp"
#include "explain/explain_contrasts.hpp"
#include "explain/gauss_legendre.hpp"
#include "explain/pair_order.hpp"

namespace gristmill::explain {
namespace {

double square(double value) { return value * value; }

// A product over players, each with a factor for being there and one for being absent. One per thread.
class ProductGame {
 public:
  void start(double scale) {
    players_.clear();
    scale_ = scale;
  }
  void add_player(std::size_t name, double present, double absent) {
    if (present == absent) {
      scale_ *= present;
    } else {
      players_.push_back({name, present - absent, absent});
    }
  }

  // visit(name, share): the value of a player is the sum of its shares.
  template <class Visit>
  void values(Visit visit, Pulse& pulse) {
    const std::size_t n = players_.size();
    if (n == 0 || scale_ == 0) return;
    for (const QuadraturePoint& node : rules_.with((n + 1) / 2, pulse)) {
      prepare(node);
      double before = node.weight * scale_;
      for (std::size_t h = 0; h < n; ++h) {
        shares_[h] += before * players_[h].gain * behind_[h + 1];
        before *= factors_[h];
      }
      pulse(n);
    }
    for (std::size_t h = 0; h < n; ++h) {
      visit(players_[h].name, shares_[h]);
      shares_[h] = 0.0;
    }
  }

  // visit(name, later name, share), likewise.
  template <class Visit>
  void interactions(Visit visit, Pulse& pulse) {
    const std::size_t n = players_.size();
    if (n < 2 || scale_ == 0) return;
    pairs_.assign(pair_row(n), 0.0);
    for (const QuadraturePoint& node : rules_.with(n / 2, pulse)) {
      prepare(node);
      double before = node.weight * scale_;
      double* share = pairs_.data();
      for (std::size_t g = 0; g < n; ++g) {
        double between = before * players_[g].gain;
        for (std::size_t h = g + 1; h < n; ++h, ++share) {
          *share += between * players_[h].gain * behind_[h + 1];
          between *= factors_[h];
        }
        before *= factors_[g];
      }
      pulse(pair_row(n));
    }
    const double* share = pairs_.data();
    for (std::size_t g = 0; g < n; ++g) {
      for (std::size_t h = g + 1; h < n; ++h, ++share) visit(players_[g].name, players_[h].name, *share);
    }
  }

 private:
  struct Player {
    std::size_t name;
    double gain;  // what being there adds to the factor of being absent
    double absent;
  };

  void prepare(const QuadraturePoint& node) {
    const std::size_t n = players_.size();
    factors_.resize(n);
    behind_.resize(n + 1);
    shares_.resize(std::max(n, shares_.size()), 0.0);
    behind_[n] = 1.0;
    for (std::size_t h = n; h-- > 0;) {
      factors_[h] = players_[h].absent + node.at * players_[h].gain;
      behind_[h] = behind_[h + 1] * factors_[h];
    }
  }

  std::vector<Player> players_;
  double scale_ = 1.0;
  std::vector<double> factors_;
  std::vector<double> behind_;  // the product of the factors from a player on
  std::vector<double> shares_;
  std::vector<double> pairs_;
  QuadratureRules rules_;
};

// Explains rows against the support rows, one row after the other. One per thread.
class ProductExplainer {
 public:
  ProductExplainer(const RankedSupport& support, Absence absence)
      : support_(support),
        gamma_(std::get<kernel::RbfKernel>(support.machine->kernel.form()).gamma),
        absence_(absence),
        places_(support.features) {}

  void explain(const Contrasts& contrasts, std::size_t row, std::span<double> values, std::span<double> interactions,
               Pulse& pulse) {
    const rows::Row ids = contrasts.rows[row];
    places_.set(ids);
    gather(contrasts, row);
    for (std::size_t number = 0; number < support_.size(); ++number) {
      set_game(number, contrasts.n_players(row));
      pulse(entries_.size() + support_.row(number).size());
      add_shares(number, contrasts.n_players(row), values, interactions, pulse);
    }
    places_.clear(ids);
  }

 private:
  struct Entry {
    std::size_t player;
    double x;
    double reference;
  };
  struct Player {
    double to_x = 0;  // squared distances of the support row
    double to_reference = 0;
    double own = 0;     // what the support row has of its features
    double chance = 0;  // that it has any feature, where groups are independent
    double absent = 0;  // the factor, where groups are independent
  };

  void gather(const Contrasts& contrasts, std::size_t row) {
    const auto begin = static_cast<std::size_t>(contrasts.rows.offsets[row]);
    entries_.clear();
    for (std::size_t at = 0; at < contrasts.rows.length(row); ++at) {
      entries_.push_back({contrasts.player(row, at), contrasts.in_x(begin + at), contrasts.in_reference(begin + at)});
    }
  }

  void set_game(std::size_t number, std::size_t players) {
    const double beyond = spread(number);
    players_.assign(players, {});
    for (std::size_t at = 0; at < entries_.size(); ++at) {
      Player& player = players_[entries_[at].player];
      player.to_x += square(entries_[at].x - own_values_[at]);
      player.to_reference += square(entries_[at].reference - own_values_[at]);
      player.own += square(own_values_[at]);
    }
    if (absence_ == Absence::independent) average_absent();
    game_.start(absence_ == Absence::dropped ? 1.0 : std::exp(-gamma_ * beyond));
    for (std::size_t name = 0; name < players; ++name) {
      const Player& player = players_[name];
      game_.add_player(name, std::exp(-gamma_ * player.to_x), absent_factor(player));
    }
  }

  // The values of a support row by entry of x; returns the squares of those that are nowhere there.
  double spread(std::size_t number) {
    const std::span<const rows::Rank> ranks = support_.row(number);
    const std::span<const double> values = support_.values(number);
    own_values_.assign(entries_.size(), 0.0);
    double beyond = 0.0;
    for (std::size_t at = 0; at < ranks.size(); ++at) {
      const double value = values.empty() ? 1.0 : values[at];
      if (places_.has(ranks[at])) {
        own_values_[places_.of(ranks[at])] = value;
      } else {
        beyond += square(value);
      }
    }
    return beyond;
  }

  void average_absent() {
    for (std::size_t at = 0; at < entries_.size(); ++at) {
      Player& player = players_[entries_[at].player];
      const double chance = entries_[at].reference;
      const double distance = std::max(0.0, player.own + 1 - 2 * own_values_[at]);
      player.chance += chance;
      player.absent += chance * std::exp(-gamma_ * distance);
    }
  }

  [[nodiscard]] double absent_factor(const Player& player) const {
    if (absence_ == Absence::dropped) return 1.0;
    if (absence_ == Absence::reference) return std::exp(-gamma_ * player.to_reference);
    return player.absent + std::max(0.0, 1 - player.chance) * std::exp(-gamma_ * player.own);
  }

  void add_shares(std::size_t number, std::size_t players, std::span<double> values, std::span<double> interactions,
                  Pulse& pulse) {
    game_.values([&](std::size_t h, double share) { support_.add(number, share, values, h); }, pulse);
    if (interactions.empty()) return;
    game_.interactions([&](std::size_t g, std::size_t h,
                           double share) { support_.add(number, share, interactions, pair_number(players, g, h)); },
                       pulse);
  }

  const RankedSupport& support_;
  double gamma_;
  Absence absence_;
  Places places_;
  std::vector<Entry> entries_;
  std::vector<double> own_values_;  // of the support row, by entry
  std::vector<Player> players_;
  ProductGame game_;
};

}  // namespace

ProductShapley::ProductShapley(std::shared_ptr<const machine::SetMachine> machine) : support_(std::move(machine)) {
  static_cast<void>(std::get<kernel::RbfKernel>(support_.machine->kernel.form()));
}

void ProductShapley::explain(const Contrasts& contrasts, Absence absence, std::span<double> values,
                             std::span<double> interactions, std::size_t threads, Observer& observer) const {
  explain_contrasts(contrasts, outputs(), values, interactions, threads, observer,
                    [&] { return ProductExplainer(support_, absence); });
}

}  // namespace gristmill::explain
