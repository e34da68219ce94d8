// SPDX-License-Identifier: BSD-3-Clause
#include "explain/reference_shapley.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "explain/explain_contrasts.hpp"
#include "explain/gauss_legendre.hpp"
#include "explain/pair_order.hpp"

namespace gristmill::explain {
namespace {

using Series = std::span<double>;  // coefficients of 1, z, ..., z^degree
using ConstSeries = std::span<const double>;

// --- the integral over y ---------------------------------------------------------------------------------------------

// The Gauss-Legendre rule for the mean over [-1, 1].
std::vector<PowerGame::Node> nodes_for(unsigned degree) {
  std::vector<PowerGame::Node> nodes;
  for (const QuadraturePoint& point : gauss_legendre((degree + 1) / 2)) {
    nodes.push_back({2 * point.at - 1, point.weight});
  }
  return nodes;
}

// Its points y >= 0; those above 0 count for their mirror images.
std::vector<PowerGame::Node> half_of(const std::vector<PowerGame::Node>& nodes) {
  std::vector<PowerGame::Node> half;
  for (std::size_t number = nodes.size() / 2; number < nodes.size(); ++number) {
    const bool middle = 2 * number + 1 == nodes.size();
    half.push_back({middle ? 0.0 : nodes[number].y, (middle ? 1.0 : 2.0) * nodes[number].weight});
  }
  return half;
}

// --- power series, cut off after z^degree ----------------------------------------------------------------------------

void multiply(Series series, ConstSeries factor) {  // factor[0] is 1
  for (std::size_t l = series.size(); l-- > 1;) {
    double sum = series[l];
    for (std::size_t i = 1; i <= l; ++i) sum += factor[i] * series[l - i];
    series[l] = sum;
  }
}

// The transpose: for all series s, what `functional` makes of s * factor it then makes of s.
void pull_back(Series functional, ConstSeries factor) {
  for (std::size_t l = 0; l + 1 < functional.size(); ++l) {
    double sum = functional[l];
    for (std::size_t i = 1; l + i < functional.size(); ++i) sum += factor[i] * functional[l + i];
    functional[l] = sum;
  }
}

// out = series * 2 half, where half has the powers 1, 1 + stride, 1 + 2 stride, ... alone.
void multiply_by_gain(ConstSeries series, ConstSeries half, std::size_t stride, Series out) {
  for (std::size_t l = 0; l < out.size(); ++l) {
    double sum = 0.0;
    for (std::size_t i = 1; i <= l; i += stride) sum += half[i] * series[l - i];
    out[l] = 2.0 * sum;
  }
}

void pull_back_gain(ConstSeries functional, ConstSeries half, std::size_t stride, Series out) {
  for (std::size_t l = 0; l < out.size(); ++l) {
    double sum = 0.0;
    for (std::size_t i = 1; l + i < out.size(); i += stride) sum += half[i] * functional[l + i];
    out[l] = 2.0 * sum;
  }
}

double dot(ConstSeries left, ConstSeries right) {
  return std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
}

// Where z counts in thirds of the degree, factorials and powers stay within range up to degree 1000.
double unit_of(std::size_t length) { return static_cast<double>(length - 1) / 3.0; }

// --- rows ------------------------------------------------------------------------------------------------------------

// Explains rows against the support rows, one row after the other. One per thread.
class Explainer {
 public:
  Explainer(const RankedSupport& support, bool independent)
      : support_(support),
        kernel_(support.machine->kernel.polynomial()),
        independent_(independent),
        places_(support.features),
        game_(kernel_.degree) {}

  void explain(const Contrasts& contrasts, std::size_t row, std::span<double> values, std::span<double> interactions,
               Pulse& pulse) {
    const rows::Row ids = contrasts.rows[row];
    places_.set(ids);
    for (std::size_t number = 0; number < support_.size(); ++number) {
      gather(number, contrasts, row);
      set_game();
      pulse(support_.row(number).size());
      if (game_.players() == 0) continue;
      add_values(number, values, pulse);
      if (!interactions.empty()) add_interactions(number, contrasts.n_players(row), interactions, pulse);
    }
    places_.clear(ids);
  }

 private:
  struct Entry {
    std::size_t player;
    double adds;       // gamma times the value in the support row
    double x;          // in x, ...
    double reference;  // ... and in the reference, or how likely
  };

  // The entries of a support row that x or the reference has, player by player.
  void gather(std::size_t number, const Contrasts& contrasts, std::size_t row) {
    const std::span<const rows::Rank> ranks = support_.row(number);
    const std::span<const double> weights = support_.values(number);
    const auto begin = static_cast<std::size_t>(contrasts.rows.offsets[row]);
    entries_.clear();
    for (std::size_t at = 0; at < ranks.size(); ++at) {
      if (!places_.has(ranks[at])) continue;
      const std::size_t place = places_.of(ranks[at]);
      entries_.push_back({contrasts.player(row, place), kernel_.gamma * (weights.empty() ? 1.0 : weights[at]),
                          contrasts.in_x(begin + place), contrasts.in_reference(begin + place)});
    }
    if (contrasts.grouped()) std::ranges::stable_sort(entries_, {}, &Entry::player);
  }

  void set_game() {
    double centre = kernel_.coef0;
    game_.clear();
    for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
      while (end < entries_.size() && entries_[end].player == entries_[begin].player) ++end;
      const std::span<const Entry> own = std::span(entries_).subspan(begin, end - begin);
      if (independent_) {
        add_independent(own);
      } else {
        centre += add_contrast(own);
      }
    }
    if (game_.players() > 0) game_.set_centre(centre);
  }

  // Returns the middle of what the player adds in x and in the reference.
  double add_contrast(std::span<const Entry> own) {
    double middle = 0.0;
    double step = 0.0;
    for (const Entry& entry : own) {
      middle += entry.adds * (0.5 * entry.x + 0.5 * entry.reference);
      step += entry.adds * (0.5 * entry.x - 0.5 * entry.reference);
    }
    if (step != 0.0) game_.add_player(own.front().player, step);
    return middle;
  }

  void add_independent(std::span<const Entry> own) {
    double adds = 0.0;
    chances_.clear();
    for (const Entry& entry : own) {
      adds += entry.adds * entry.x;
      if (entry.reference != 0.0) chances_.push_back({entry.reference, entry.adds});
    }
    if (adds != 0.0 || !chances_.empty()) game_.add_player(own.front().player, adds, chances_);
  }

  void add_values(std::size_t number, std::span<double> values, Pulse& pulse) {
    game_.values([&](std::size_t f, double share) { support_.add(number, share, values, f); }, pulse);
  }

  void add_interactions(std::size_t number, std::size_t players, std::span<double> interactions, Pulse& pulse) {
    game_.interactions([&](std::size_t f, std::size_t g,
                           double share) { support_.add(number, share, interactions, pair_number(players, f, g)); },
                       pulse);
  }

  const RankedSupport& support_;
  const kernel::PolynomialKernel& kernel_;
  bool independent_;
  Places places_;
  std::vector<Entry> entries_;
  std::vector<PowerGame::Chance> chances_;
  PowerGame game_;
};

}  // namespace

PowerGame::PowerGame(unsigned degree)
    : length_(degree + 1),
      nodes_(nodes_for(degree)),
      half_nodes_(half_of(nodes_)),
      falling_(length_, 1.0),
      functional_(length_),
      before_(length_),
      pair_(length_) {
  for (std::size_t l = 1; l < length_; ++l) {
    falling_[l] = falling_[l - 1] * static_cast<double>(length_ - l) / unit_of(length_);
  }
}

void PowerGame::clear() {
  players_.clear();
  chances_.clear();
  symmetric_ = true;
}

void PowerGame::add_player(std::size_t name, double step) {
  players_.push_back({name, step, chances_.size()});
  chances_.push_back({1.0, -step});
}

void PowerGame::add_player(std::size_t name, double adds, std::span<const Chance> absent) {
  players_.push_back({name, adds, chances_.size()});
  chances_.insert(chances_.end(), absent.begin(), absent.end());
  symmetric_ = false;
}

std::span<const PowerGame::Chance> PowerGame::chances(std::size_t player) const {
  const std::size_t end = player + 1 < players() ? players_[player + 1].first_chance : chances_.size();
  return std::span(chances_).subspan(players_[player].first_chance, end - players_[player].first_chance);
}

// Everything is divided by the largest |centre + what players add|, whose power then multiplies the shares.
void PowerGame::set_centre(double centre) {
  double largest = std::abs(centre);
  for (std::size_t f = 0; f < players(); ++f) {
    double most = std::abs(players_[f].adds);
    for (const Chance& chance : chances(f)) most = std::max(most, std::abs(chance.adds));
    largest += most;
  }
  scale_ = kernel::PolynomialKernel{static_cast<unsigned>(length_ - 1), 1.0, 0.0}(largest);
  set_weights(centre / largest);
  set_series(largest);
}

void PowerGame::set_weights(double centre) {
  weights_ = falling_;
  double power = 1.0;
  for (std::size_t l = length_; l-- > 0; power *= centre) weights_[l] *= power;
}

void PowerGame::set_series(double largest) {
  for (std::vector<double>* table : {&middles_, &halves_, &factors_, &gains_}) table->assign(players() * length_, 0.0);
  for (std::size_t f = 0; f < players(); ++f) {
    const Series middle = of(middles_, f);
    const Series half = of(halves_, f);
    const auto add = [&](double adds, double to_middle, double to_half) {
      const double step = adds / largest * unit_of(length_);
      double term = 0.5;
      for (std::size_t l = 1; l < length_; ++l) {
        term *= step / static_cast<double>(l);
        middle[l] += to_middle * term;
        half[l] += to_half * term;
      }
    };
    middle[0] = 1.0;
    add(players_[f].adds, 1.0, 1.0);
    for (const Chance& chance : chances(f)) add(chance.adds, chance.probability, -chance.probability);
  }
}

void PowerGame::prepare(const Node& node, std::size_t parity) {
  std::ranges::fill(before_, 0.0);
  before_[0] = 1.0;
  for (std::size_t l = 0; l < length_; ++l) {
    functional_[l] = symmetric_ && l % 2 != parity ? 0.0 : node.weight * weights_[l];
  }
  for (std::size_t f = players(); f-- > 0;) {
    const ConstSeries middle = of(middles_, f);
    const ConstSeries half = of(halves_, f);
    const Series factor = of(factors_, f);
    for (std::size_t l = 0; l < length_; ++l) factor[l] = middle[l] + node.y * half[l];
    pull_back_gain(functional_, half, stride(), of(gains_, f));
    pull_back(functional_, factor);
  }
}

double PowerGame::value(std::size_t f) { return scale_ * dot(before_, of(gains_, f)); }

double PowerGame::interaction(std::size_t g) { return scale_ * dot(pair_, of(gains_, g)); }

void PowerGame::begin_pairs(std::size_t f) { multiply_by_gain(before_, of(halves_, f), stride(), pair_); }

void PowerGame::pass(std::vector<double>& series, std::size_t f) { multiply(series, of(factors_, f)); }

ReferenceShapley::ReferenceShapley(std::shared_ptr<const machine::SetMachine> machine) : support_(std::move(machine)) {}

void ReferenceShapley::explain(const Contrasts& contrasts, bool independent, std::span<double> values,
                               std::span<double> interactions, std::size_t threads, Observer& observer) const {
  explain_contrasts(contrasts, outputs(), values, interactions, threads, observer,
                    [&] { return Explainer(support_, independent); });
}

}  // namespace gristmill::explain
