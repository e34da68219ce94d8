// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/conjunction_weights.hpp"

#include <algorithm>
#include <cmath>

#include "rows/id_table.hpp"
#include "score/sums.hpp"

namespace gristmill::explain::decisions {
namespace {

constexpr double most_entries = 3e7;
constexpr std::size_t most_paired = 1024;  // features that have a table of pairs

std::vector<std::uint32_t> groups_by_rank(const rows::FeatureMap& map, const FeatureGroups& given) {
  const rows::IdTable<std::int32_t> group_of(given.features, given.groups, -1);
  std::uint32_t next = 0;
  for (const std::int32_t group : given.groups) next = std::max(next, static_cast<std::uint32_t>(group + 1));
  std::vector<std::uint32_t> groups;
  for (const FeatureId id : map.ids()) {
    const std::int32_t group = group_of.find(id);
    groups.push_back(group < 0 ? next++ : static_cast<std::uint32_t>(group));
  }
  return groups;
}

// visit(set) for all sets of 1 to `most` of the slots (ascending), no two of a group.
template <class Visit>
class Subsets {
 public:
  Subsets(std::span<const Slot> slots, std::span<const std::uint32_t> groups, std::size_t most, const Visit& visit)
      : slots_(slots), groups_(groups), most_(most), visit_(visit) {
    extend(0);
  }

 private:
  void extend(std::size_t first) {
    for (std::size_t at = first; at < slots_.size(); ++at) {
      const auto shares = [&](Slot other) { return groups_[other] == groups_[slots_[at]]; };
      if (std::ranges::any_of(set_, shares)) continue;
      set_.push_back(slots_[at]);
      visit_(std::span<const Slot>(set_));
      if (set_.size() < most_) extend(at + 1);
      set_.pop_back();
    }
  }

  std::span<const Slot> slots_;
  std::span<const std::uint32_t> groups_;
  std::size_t most_;
  const Visit& visit_;
  std::vector<Slot> set_;
};

bool clash(std::span<const Slot> slots, std::span<const std::uint32_t> groups) {
  for (std::size_t a = 0; a < slots.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (groups[slots[a]] == groups[slots[b]]) return true;
    }
  }
  return false;
}

// visit(row, its features by rank, ascending).
template <class Visit>
void for_each_row(rows::Rows support, const GroupedFeatures& features, Observer& observer, const Visit& visit) {
  std::vector<Slot> slots;
  for (std::size_t row = 0; row < support.size(); ++row) {
    slots.clear();
    for (const FeatureId id : support[row]) slots.push_back(features.find(id));
    std::ranges::sort(slots);
    visit(row, slots);
    if (row % 64 == 0) require(observer, row, support.size());
  }
}

std::vector<double> sums_of_magnitudes(const machine::Coefficients& coef, std::span<const double> intercept,
                                       double largest) {
  std::vector<double> sums(intercept.size(), 0.0);
  for (std::size_t row = 0; row < coef.rows(); ++row) {
    coef.for_each_in_row(row, [&](std::size_t output, double a) { sums[output] += std::abs(a); });
  }
  for (std::size_t o = 0; o < sums.size(); ++o) sums[o] = sums[o] * largest + std::abs(intercept[o]);
  return sums;
}

double choices(std::size_t from, std::size_t most) {
  double sum = 0;
  double sets = 1;
  for (std::size_t size = 1; size <= std::min(from, most); ++size) {
    sets *= static_cast<double>(from - size + 1) / static_cast<double>(size);
    sum += sets;
  }
  return sum;
}

}  // namespace

GroupedFeatures::GroupedFeatures(rows::Rows support, const FeatureGroups& given)
    : map(support), groups(groups_by_rank(map, given)) {}

GroupedFeatures GroupedFeatures::with_all(rows::Rows support, const FeatureGroups& given) {
  std::vector<Offset> offsets(support.offsets.begin(), support.offsets.end());
  std::vector<FeatureId> ids(support.ids.begin(), support.ids.end());
  ids.insert(ids.end(), given.features.begin(), given.features.end());
  offsets.push_back(static_cast<Offset>(ids.size()));
  return {rows::Rows{offsets, ids}, given};
}

void SlotSums::clear() {
  if (all_) std::ranges::fill(values_, 0.0);
  for (const Slot slot : touched_) {
    values_[slot] = 0;
    is_touched_[slot] = 0;
  }
  touched_.clear();
  all_ = false;
}

bool ConjunctionWeights::fits(rows::Rows support, std::size_t degree, std::size_t features, std::size_t outputs) {
  double occurrences = 0;
  for (std::size_t row = 0; row < support.size(); ++row) occurrences += choices(support.length(row), degree);
  const double different = std::min(occurrences, choices(features, degree));
  return occurrences <= most_entries && different * static_cast<double>(degree * outputs) <= most_entries;
}

ConjunctionWeights::ConjunctionWeights(const machine::SetMachine& machine, const GroupedFeatures& features,
                                       Observer& observer)
    : features_(features.map.size()), outputs_(machine.outputs()) {
  const std::size_t longest = machine.support().longest();
  magnitudes_ = sums_of_magnitudes(machine.coef, machine.intercept, machine.kernel.values(longest)[longest]);
  terms_ = static_cast<double>(machine.support().size()) + 2;
  expand(machine, features, observer);
  make_all();
}

ConjunctionWeights::ConjunctionWeights(const machine::ConjunctionMachine& machine, const GroupedFeatures& features,
                                       Observer& observer)
    : features_(features.map.size()), outputs_(machine.outputs()) {
  magnitudes_ = sums_of_magnitudes(machine.coef, machine.intercept, 1.0);
  terms_ = static_cast<double>(machine.support().size()) + 2;
  for_each_row(machine.support(), features, observer, [&](std::size_t row, std::span<const Slot> slots) {
    if (!slots.empty() && !clash(slots, features.groups)) count(slots, machine.coef, row, 1.0);
  });
  make_all();
}

// As many as there are of up to so many features; weights: by their number.
void ConjunctionWeights::expand(const machine::SetMachine& machine, const GroupedFeatures& features,
                                Observer& observer) {
  const std::vector<double> weights = machine.kernel.polynomial().subset_weights();
  for_each_row(machine.support(), features, observer, [&](std::size_t row, std::span<const Slot> slots) {
    const auto visit = [&](std::span<const Slot> set) { count(set, machine.coef, row, weights[set.size()]); };
    Subsets(slots, features.groups, weights.size() - 1, visit);
  });
}

void ConjunctionWeights::count(std::span<const Slot> set, const machine::Coefficients& coef, std::size_t row,
                               double scale) {
  const std::size_t at = conjunctions_.intern(set) * outputs_;
  if (at == weights_.size()) weights_.resize(at + outputs_, 0.0);
  coef.for_each_in_row(row, [&](std::size_t output, double a) { weights_[at + output] += a * scale; });
  size_ = std::max(size_, set.size());
}

void ConjunctionWeights::make_all() {
  make_lists();
  make_dense();
  if (size_ >= 3) make_pairs();
  if (size_ >= 4) sum_higher();
}

void ConjunctionWeights::make_lists() {
  std::vector<Slot> rest;
  const auto each = [&](auto visit) {
    for (std::uint32_t id = 0; id < conjunctions_.size(); ++id) {
      const std::span<const Slot> set = conjunctions_[id];
      for (const Slot feature : set) {
        rest.clear();
        std::ranges::copy_if(set, std::back_inserter(rest), [&](Slot other) { return other != feature; });
        visit(sets_.intern(rest), Entry{feature, id});
      }
    }
  };
  sets_.intern({});
  std::vector<std::size_t> lengths;
  each([&](std::uint32_t list, const Entry&) {
    lengths.resize(std::max<std::size_t>(lengths.size(), list + 1), 0);
    ++lengths[list];
  });
  lengths.resize(sets_.size(), 0);
  lists_ = Lists<Entry>::filled(sets_.size(), [&](std::size_t list) { return lengths[list]; }, each);
}

void ConjunctionWeights::make_dense() {
  dense_of_.assign(lists_.size(), none);
  std::uint32_t count = 0;
  for (std::size_t list = 0; list < lists_.size(); ++list) {
    if (4 * lists_[list].size() >= features_) dense_of_[list] = count++;
  }
  dense_.assign(count * outputs_ * features_, 0.0);
  for (std::size_t list = 0; list < lists_.size(); ++list) {
    if (dense_of_[list] == none) continue;
    double* numbers = dense_.data() + dense_of_[list] * outputs_ * features_;
    for (const Entry& entry : lists_[list]) {
      for (std::size_t o = 0; o < outputs_; ++o) {
        numbers[o * features_ + entry.feature] = weights_[entry.weight * outputs_ + o];
      }
    }
  }
}

void ConjunctionWeights::make_pairs() {
  if (features_ > most_paired) return;
  pair_lists_.assign(features_ * features_, none);
  for (std::uint32_t list = 0; list < sets_.size(); ++list) {
    const std::span<const Slot> set = sets_[list];
    if (set.size() != 2) continue;
    pair_lists_[set[0] * features_ + set[1]] = list;
    pair_lists_[set[1] * features_ + set[0]] = list;
  }
}

void ConjunctionWeights::sum_higher() {
  if (features_ > most_paired) return;
  higher_.assign(outputs_ * features_ * features_, 0.0);
  for (std::uint32_t id = 0; id < conjunctions_.size(); ++id) {
    const std::span<const Slot> set = conjunctions_[id];
    if (set.size() < 3) continue;
    for (const Slot a : set) {
      for (const Slot b : set) {
        for (std::size_t o = 0; o < outputs_; ++o) {
          higher_[(o * features_ + a) * features_ + b] += std::abs(weights_[id * outputs_ + o]);
        }
      }
    }
  }
}

double ConjunctionWeights::higher(Slot a, Slot b, std::size_t output) const {
  if (a >= features_ || b >= features_) return 0.0;
  return higher_.empty() ? magnitudes_[output] : higher_[(output * features_ + a) * features_ + b];
}

std::uint32_t ConjunctionWeights::list_of(std::span<const Slot> set) const {
  return set.size() == 2 ? list_of(set[0], set[1]) : sets_.find(set);
}

std::uint32_t ConjunctionWeights::list_of(Slot a, Slot b) const {
  if (!pair_lists_.empty()) return pair_lists_[a * features_ + b];
  const Slot set[] = {std::min(a, b), std::max(a, b)};
  return sets_.find(set);
}

void ConjunctionWeights::add(std::uint32_t list, std::size_t output, double sign, double* out) const {
  if (dense_of_[list] != none) {
    const double* numbers = dense_.data() + (dense_of_[list] * outputs_ + output) * features_;
    for (std::size_t f = 0; f < features_; ++f) out[f] += sign * numbers[f];
    return;
  }
  for (const Entry& entry : lists_[list]) out[entry.feature] += sign * weights_[entry.weight * outputs_ + output];
}

void ConjunctionWeights::add(std::uint32_t list, std::size_t output, double sign, SlotSums& out) const {
  if (dense_of_[list] != none) return add(list, output, sign, out.add_all());
  for (const Entry& entry : lists_[list]) out.add(entry.feature, sign * weights_[entry.weight * outputs_ + output]);
}

std::size_t ConjunctionWeights::nbytes() const noexcept {
  return conjunctions_.nbytes() + sets_.nbytes() + lists_.nbytes() +
         (weights_.size() + dense_.size() + higher_.size()) * sizeof(double) +
         (dense_of_.size() + pair_lists_.size()) * sizeof(std::uint32_t);
}

}  // namespace gristmill::explain::decisions
