// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/boundaries/score_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "score/expanded/comb.hpp"

namespace gristmill::text_apps::boundaries {
namespace {

constexpr double most_units = 32'000;  // of a lane; rounding adds half a unit for each of some 20 numbers
constexpr double most_fact_units = 1 << 29;
constexpr double smallest_unit = 1e-280;

// The largest of several rows of weights, lane by lane.
class LanePeaks {
 public:
  explicit LanePeaks(std::size_t places) : peaks_(places) {}
  void clear() { std::ranges::fill(peaks_, 0.0); }
  void see(std::span<const double> weights) {
    for (std::size_t i = 0; i < peaks_.size(); ++i) peaks_[i] = std::max(peaks_[i], std::abs(weights[i]));
  }
  void add_to(std::span<double> sums) const {
    for (std::size_t i = 0; i < peaks_.size(); ++i) sums[i] += peaks_[i];
  }

 private:
  std::vector<double> peaks_;
};

// What no sum of a letter's lane can exceed, of any letter, and no weight of a fact.
class Peak {
 public:
  explicit Peak(const WindowWeights& weights) : weights_(weights), sums_(weights.letters * weights.places) {
    LanePeaks peaks(weights.places);
    for (std::size_t letter = 0; letter < weights.letters; ++letter) {
      see(peaks, letter, &weights.alone[letter * weights.places], 1);
      for (std::size_t direction = 0; direction < WindowWeights::directions(weights.places); ++direction) {
        see(peaks, letter, &weights.beside[weights.beside_at(letter, direction, 0)], weights.types);
      }
    }
    for (const LetterPairs& pairs : weights.pairs) add_pairs(pairs);
  }

  [[nodiscard]] double value() const {
    double peak = *std::ranges::max_element(sums_);
    for (const double weight : weights_.with_fact) peak = std::max(peak, std::abs(weight));
    return peak;
  }

 private:
  [[nodiscard]] std::span<double> of(std::size_t letter) {
    return std::span(sums_).subspan(letter * weights_.places, weights_.places);
  }

  void see(LanePeaks& peaks, std::size_t letter, const double* rows, std::size_t count) {
    peaks.clear();
    for (std::size_t i = 0; i < count; ++i) peaks.see({rows + i * weights_.places, weights_.places});
    peaks.add_to(of(letter));
  }

  void add_pairs(const LetterPairs& pairs) {
    std::vector<double> largest(sums_.size());
    for (std::size_t i = 0; i < pairs.weights.size(); ++i) {
      double& known = largest[pairs.pairs[i / weights_.places].first * weights_.places + i % weights_.places];
      known = std::max(known, std::abs(pairs.weights[i]));
    }
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += largest[i];
  }

  const WindowWeights& weights_;
  std::vector<double> sums_;  // letters x places
};

template <class Number>
Number in_units(double weight, double unit) {
  return static_cast<Number>(std::lrint(weight / unit));
}

class TableBuilder {
 public:
  TableBuilder(const WindowWeights& weights, double unit, Observer& observer)
      : weights_(weights), unit_(unit), observer_(observer) {}

  ScoreTables run() {
    ScoreTables tables;
    tables.places = weights_.places;
    tables.types = weights_.types;
    tables.alone = lanes_of(weights_.alone);
    tables.beside = lanes_of(weights_.beside);
    tables.shifts.resize(weights_.letters * weights_.pairs.size());
    for (std::size_t i = 0; i < weights_.pairs.size(); ++i) tables.pairs.push_back(packed(i, tables.shifts));
    for (const double weight : weights_.with_fact) tables.with_fact.push_back(in_units<std::int16_t>(weight, unit_));
    for (const double weight : weights_.facts) tables.facts.push_back(in_units<std::int32_t>(weight, unit_));
    return tables;
  }

 private:
  [[nodiscard]] Lanes8h lanes_at(const double* weights) const {
    Lanes8h lanes{};
    for (std::size_t i = 0; i < weights_.places; ++i) lanes[i] = in_units<std::int16_t>(weights[i], unit_);
    return lanes;
  }

  [[nodiscard]] LargeVector<Lanes8h> lanes_of(std::span<const double> weights) const {
    LargeVector<Lanes8h> lanes;
    lanes.reserve(weights.size() / weights_.places);
    for (std::size_t at = 0; at < weights.size(); at += weights_.places) lanes.push_back(lanes_at(&weights[at]));
    return lanes;
  }

  PairSlots packed(std::size_t number, std::vector<std::uint32_t>& shifts) {
    const LetterPairs& pairs = weights_.pairs[number];
    std::vector<std::size_t> order(pairs.pairs.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(pairs.pairs[i].first, pairs.pairs[i].second); });
    score::expanded::CombRows rows;
    for (const std::size_t i : order) {
      while (rows.size() < pairs.pairs[i].first) rows.end_row();
      rows.columns.push_back(pairs.pairs[i].second);
    }
    while (rows.size() < weights_.letters) rows.end_row();
    const score::expanded::Packing packing = score::expanded::pack(rows, weights_.letters, observer_);
    PairSlots slots(packing.slots, nobody());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const LetterPairs::Pair pair = pairs.pairs[order[i]];
      Lanes8h& slot = slots[packing.shift[pair.first] + pair.second];
      slot = lanes_at(&pairs.weights[order[i] * weights_.places]);
      slot[7] = static_cast<std::int16_t>(pair.second);
    }
    for (std::size_t letter = 0; letter < weights_.letters; ++letter) {
      shifts[letter * weights_.pairs.size() + number] = packing.shift[letter];
    }
    return slots;
  }

  static Lanes8h nobody() {
    Lanes8h lanes{};
    lanes[7] = static_cast<std::int16_t>(Alphabet::most);
    return lanes;
  }

  const WindowWeights& weights_;
  double unit_;
  Observer& observer_;
};

// In units: half of one for each number of a sum; and what rounding does to weights and to the definition, four times
// over, as elsewhere.
double doubt_of(const WindowWeights& weights, std::size_t support_rows, double unit) {
  const auto places = static_cast<double>(weights.places);
  const double numbers = places * (1 + (places - 1) + (places - 1) / 2 + 3) + 1;
  const double terms = static_cast<double>(support_rows) + 16;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double rounding = 4 * terms * epsilon * weights.magnitude + smallest_unit;
  return std::ceil(numbers / 2 + rounding / unit) + 1;
}

}  // namespace

std::size_t ScoreTables::nbytes() const noexcept {
  std::size_t slots = alone.size() + beside.size();
  for (const PairSlots& some : pairs) slots += some.size();
  return slots * sizeof(Lanes8h) + with_fact.size() * sizeof(std::int16_t) +
         (facts.size() + shifts.size()) * sizeof(std::int32_t);
}

std::optional<ScoreTables> tables_of(const WindowWeights& weights, std::size_t support_rows, Observer& observer) {
  const double peak = Peak(weights).value();
  const double unit = peak > 0 ? peak / most_units : 1.0;
  if (!(unit >= smallest_unit) || !std::isfinite(weights.magnitude)) return std::nullopt;
  const double doubt = doubt_of(weights, support_rows, unit);
  const auto is_large = [&](double weight) { return !(std::abs(weight) / unit < most_fact_units); };
  if (!(doubt < most_fact_units) || std::ranges::any_of(weights.facts, is_large)) return std::nullopt;
  ScoreTables tables = TableBuilder(weights, unit, observer).run();
  tables.doubt = static_cast<std::int32_t>(doubt);
  return tables;
}

}  // namespace gristmill::text_apps::boundaries
