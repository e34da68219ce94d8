// SPDX-License-Identifier: BSD-3-Clause
#include "explain/reference_shapley.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/triangle.hpp"
#include "explain/gauss_legendre.hpp"
#include "score/sums.hpp"

namespace gristmill::explain {
namespace {

using Series = std::span<double>;  // coefficients of 1, z, ..., z^degree
using ConstSeries = std::span<const double>;

// --- the integral over y ---------------------------------------------------------------------------------------------

// The points y >= 0 of the Gauss-Legendre rule for the mean over [-1, 1]; those above 0 count for their mirror images.
std::vector<SignGame::Node> nodes_for(unsigned degree) {
  const std::vector<QuadraturePoint> rule = gauss_legendre((degree + 1) / 2);
  std::vector<SignGame::Node> nodes;
  for (std::size_t number = rule.size() / 2; number < rule.size(); ++number) {
    const bool middle = 2 * number + 1 == rule.size();
    nodes.push_back({middle ? 0.0 : 2 * rule[number].at - 1, (middle ? 1.0 : 2.0) * rule[number].weight});
  }
  return nodes;
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

// out = series * 2 sinh(step z), given e^(step z).
void multiply_by_gain(ConstSeries series, ConstSeries exponential, Series out) {
  for (std::size_t l = 0; l < out.size(); ++l) {
    double sum = 0.0;
    for (std::size_t i = 1; i <= l; i += 2) sum += exponential[i] * series[l - i];
    out[l] = 2.0 * sum;
  }
}

void pull_back_gain(ConstSeries functional, ConstSeries exponential, Series out) {
  for (std::size_t l = 0; l < out.size(); ++l) {
    double sum = 0.0;
    for (std::size_t i = 1; l + i < out.size(); i += 2) sum += exponential[i] * functional[l + i];
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
  Explainer(const machine::PolynomialMachine& machine, const rows::FeatureMap& features,
            std::span<const rows::Rank> ranks)
      : machine_(machine),
        features_(features),
        ranks_(ranks),
        places_(features.size(), 0),
        game_(machine.kernel.degree) {}

  void explain(rows::Row ids, std::span<const double> x, std::span<const double> reference, std::span<double> values,
               std::span<double> interactions, Pulse& pulse) {
    score::for_each_known(features_, ids, [&](rows::Rank rank, std::size_t at) { places_[rank] = at + 1; });
    for (std::size_t row = 0; row < machine_.support().size(); ++row) {
      set_game(row, x, reference);
      pulse(machine_.support().length(row));
      if (game_.players() == 0) continue;
      add_values(row, values, pulse);
      if (!interactions.empty()) add_interactions(row, ids.size(), interactions, pulse);
    }
    score::for_each_known(features_, ids, [&](rows::Rank rank, std::size_t) { places_[rank] = 0; });
  }

 private:
  void set_game(std::size_t row, std::span<const double> x, std::span<const double> reference) {
    const std::span<const rows::Rank> ranks = score::row_of(machine_.support(), ranks_, row);
    const bool binary = machine_.values.empty();
    const std::span<const double> weights = binary ? std::span<const double>() : machine_.real_support().values_of(row);
    const double gamma = machine_.kernel.gamma;
    double middle = 0.0;
    game_.clear();
    for (std::size_t at = 0; at < ranks.size(); ++at) {
      const std::size_t place = places_[ranks[at]];
      if (place == 0) continue;
      const double value = binary ? 1.0 : weights[at];
      middle += value * (0.5 * x[place - 1] + 0.5 * reference[place - 1]);
      const double step = gamma * value * (0.5 * x[place - 1] - 0.5 * reference[place - 1]);
      if (step != 0.0) game_.add_player(place - 1, step);
    }
    if (game_.players() > 0) game_.set_centre(gamma * middle + machine_.kernel.coef0);
  }

  void add_values(std::size_t row, std::span<double> values, Pulse& pulse) {
    const std::size_t outputs = machine_.outputs();
    game_.values(
        [&](std::size_t f, double share) { machine_.coef.add_row(row, share, values.subspan(f * outputs, outputs)); },
        pulse);
  }

  void add_interactions(std::size_t row, std::size_t entries, std::span<double> interactions, Pulse& pulse) {
    const std::size_t outputs = machine_.outputs();
    const auto pair = [&](std::size_t f, std::size_t g) {
      return pair_row(entries) - pair_row(entries - f) + (g - f - 1);
    };
    game_.interactions(
        [&](std::size_t f, std::size_t g, double share) {
          machine_.coef.add_row(row, share, interactions.subspan(pair(f, g) * outputs, outputs));
        },
        pulse);
  }

  const machine::PolynomialMachine& machine_;
  const rows::FeatureMap& features_;
  std::span<const rows::Rank> ranks_;
  std::vector<std::size_t> places_;  // by rank: one more than where the feature is in the row; 0 where it is not
  SignGame game_;
};

// Where the pairs of each row begin, if there are to be any.
std::vector<std::size_t> pair_offsets(rows::Rows rows, bool paired) {
  std::vector<std::size_t> offsets(rows.size() + 1, 0);
  if (!paired) return offsets;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    offsets[row + 1] = offsets[row] + pair_row(rows.length(row));
  }
  return offsets;
}

}  // namespace

SignGame::SignGame(unsigned degree)
    : length_(degree + 1),
      nodes_(nodes_for(degree)),
      falling_(length_, 1.0),
      functional_(length_),
      before_(length_),
      pair_(length_) {
  for (std::size_t l = 1; l < length_; ++l) {
    falling_[l] = falling_[l - 1] * static_cast<double>(length_ - l) / unit_of(length_);
  }
}

void SignGame::clear() {
  names_.clear();
  steps_.clear();
}

void SignGame::add_player(std::size_t name, double step) {
  names_.push_back(name);
  steps_.push_back(step);
}

// Everything is divided by the largest |centre + sum of +-step|, whose power then multiplies the shares.
void SignGame::set_centre(double centre) {
  double largest = std::abs(centre);
  for (const double step : steps_) largest += std::abs(step);
  scale_ = kernel::PolynomialKernel{static_cast<unsigned>(length_ - 1), 1.0, 0.0}(largest);
  set_weights(centre / largest);
  set_exponentials(largest);
}

void SignGame::set_weights(double centre) {
  weights_ = falling_;
  double power = 1.0;
  for (std::size_t l = length_; l-- > 0; power *= centre) weights_[l] *= power;
}

void SignGame::set_exponentials(double largest) {
  for (std::vector<double>* table : {&exponentials_, &factors_, &gains_}) table->resize(players() * length_);
  for (std::size_t f = 0; f < players(); ++f) {
    const Series series = of(exponentials_, f);
    const double step = steps_[f] / largest * unit_of(length_);
    series[0] = 1.0;
    for (std::size_t l = 1; l < length_; ++l) series[l] = series[l - 1] * step / static_cast<double>(l);
  }
}

void SignGame::prepare(const Node& node, std::size_t parity) {
  std::ranges::fill(before_, 0.0);
  before_[0] = 1.0;
  for (std::size_t l = 0; l < length_; ++l) functional_[l] = l % 2 == parity ? node.weight * weights_[l] : 0.0;
  for (std::size_t f = players(); f-- > 0;) {
    const ConstSeries exponential = of(exponentials_, f);
    const Series factor = of(factors_, f);
    for (std::size_t l = 0; l < length_; ++l) factor[l] = l % 2 == 0 ? exponential[l] : node.y * exponential[l];
    pull_back_gain(functional_, exponential, of(gains_, f));
    pull_back(functional_, factor);
  }
}

double SignGame::value(std::size_t f) { return scale_ * dot(before_, of(gains_, f)); }

double SignGame::interaction(std::size_t g) { return scale_ * dot(pair_, of(gains_, g)); }

void SignGame::begin_pairs(std::size_t f) { multiply_by_gain(before_, of(exponentials_, f), pair_); }

void SignGame::pass(std::vector<double>& series, std::size_t f) { multiply(series, of(factors_, f)); }

ReferenceShapley::ReferenceShapley(std::shared_ptr<const machine::PolynomialMachine> machine)
    : machine_(std::move(machine)), features_(machine_->support()), ranks_(score::ranks_of(features_, machine_->ids)) {}

void ReferenceShapley::explain(const Contrasts& contrasts, std::span<double> values, std::span<double> interactions,
                               std::size_t threads, Observer& observer) const {
  const rows::Rows rows = contrasts.rows;
  const std::vector<std::size_t> pairs = pair_offsets(rows, !interactions.empty());
  std::vector<Explainer> explainers(threads_for(rows.size(), 1, threads), Explainer(*machine_, features_, ranks_));
  Stop stop(observer);
  parallel_for(rows.size(), 1, threads, stop, [&](std::size_t row, std::size_t, std::size_t worker) {
    Pulse pulse(stop, worker);
    const auto begin = static_cast<std::size_t>(rows.offsets[row]);
    const std::size_t length = rows.length(row);
    explainers[worker].explain(
        rows[row], contrasts.x.subspan(begin, length), contrasts.reference.subspan(begin, length),
        values.subspan(begin * outputs(), length * outputs()),
        interactions.subspan(pairs[row] * outputs(), (pairs[row + 1] - pairs[row]) * outputs()), pulse);
  });
}

}  // namespace gristmill::explain
