// SPDX-License-Identifier: BSD-3-Clause
#include "explain/product_shapley.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "base/triangle.hpp"
#include "explain/gauss_legendre.hpp"
#include "score/sums.hpp"

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
  ProductExplainer(const machine::SetMachine& machine, const rows::FeatureMap& features,
                   std::span<const rows::Rank> ranks, Absence absence)
      : machine_(machine),
        gamma_(std::get<kernel::RbfKernel>(machine.kernel.form()).gamma),
        features_(features),
        ranks_(ranks),
        absence_(absence),
        places_(features.size(), 0) {}

  void explain(const Contrasts& contrasts, std::size_t row, std::span<double> values, std::span<double> interactions,
               Pulse& pulse) {
    const rows::Row ids = contrasts.rows[row];
    score::for_each_known(features_, ids, [&](rows::Rank rank, std::size_t at) { places_[rank] = at + 1; });
    gather(contrasts, row);
    for (std::size_t number = 0; number < machine_.support().size(); ++number) {
      set_game(number, contrasts.n_players(row));
      pulse(entries_.size() + machine_.support().length(number));
      add_shares(number, contrasts.n_players(row), values, interactions, pulse);
    }
    score::for_each_known(features_, ids, [&](rows::Rank rank, std::size_t) { places_[rank] = 0; });
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
      player.to_x += square(entries_[at].x - support_[at]);
      player.to_reference += square(entries_[at].reference - support_[at]);
      player.own += square(support_[at]);
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
    const std::span<const rows::Rank> ranks = score::row_of(machine_.support(), ranks_, number);
    const bool binary = machine_.values.empty();
    const auto values = binary ? std::span<const double>() : machine_.real_support().values_of(number);
    support_.assign(entries_.size(), 0.0);
    double beyond = 0.0;
    for (std::size_t at = 0; at < ranks.size(); ++at) {
      const double value = binary ? 1.0 : values[at];
      if (places_[ranks[at]] == 0) {
        beyond += square(value);
      } else {
        support_[places_[ranks[at]] - 1] = value;
      }
    }
    return beyond;
  }

  void average_absent() {
    for (std::size_t at = 0; at < entries_.size(); ++at) {
      Player& player = players_[entries_[at].player];
      const double chance = entries_[at].reference;
      const double distance = std::max(0.0, player.own + 1 - 2 * support_[at]);
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
    const std::size_t outputs = machine_.outputs();
    const auto add = [&](std::span<double> table, std::size_t at, double share) {
      machine_.coef.add_row(number, share, table.subspan(at * outputs, outputs));
    };
    game_.values([&](std::size_t h, double share) { add(values, h, share); }, pulse);
    if (interactions.empty()) return;
    game_.interactions(
        [&](std::size_t g, std::size_t h, double share) { add(interactions, pair_number(players, g, h), share); },
        pulse);
  }

  const machine::SetMachine& machine_;
  double gamma_;
  const rows::FeatureMap& features_;
  std::span<const rows::Rank> ranks_;
  Absence absence_;
  std::vector<std::size_t> places_;  // by rank: one more than where the feature is in the row; 0 where it is not
  std::vector<Entry> entries_;
  std::vector<double> support_;  // by entry
  std::vector<Player> players_;
  ProductGame game_;
};

}  // namespace

ProductShapley::ProductShapley(std::shared_ptr<const machine::SetMachine> machine)
    : machine_(std::move(machine)), features_(machine_->support()), ranks_(score::ranks_of(features_, machine_->ids)) {
  static_cast<void>(std::get<kernel::RbfKernel>(machine_->kernel.form()));
}

void ProductShapley::explain(const Contrasts& contrasts, Absence absence, std::span<double> values,
                             std::span<double> interactions, std::size_t threads, Observer& observer) const {
  const std::size_t rows = contrasts.rows.size();
  const std::vector<std::size_t> pairs = pair_offsets(contrasts, !interactions.empty());
  std::vector<ProductExplainer> explainers(threads_for(rows, 1, threads),
                                           ProductExplainer(*machine_, features_, ranks_, absence));
  Stop stop(observer);
  parallel_for(rows, 1, threads, stop, [&](std::size_t row, std::size_t, std::size_t worker) {
    Pulse pulse(stop, worker);
    explainers[worker].explain(
        contrasts, row, values.subspan(contrasts.first_player(row) * outputs(), contrasts.n_players(row) * outputs()),
        interactions.subspan(pairs[row] * outputs(), (pairs[row + 1] - pairs[row]) * outputs()), pulse);
  });
}

}  // namespace gristmill::explain
