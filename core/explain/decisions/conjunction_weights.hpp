// SPDX-License-Identifier: BSD-3-Clause
// The weights of all conjunctions of a machine, ordered to be added up: for a set of features the list of all others
// that make a conjunction with it, each with its weight. Conjunctions of two features of one group never hold and are
// left out.
//
// Cost: the conjunctions of the support rows. Memory: r entries of a conjunction of r features; lists that are a
// quarter full are kept as a number for each feature.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/lists.hpp"
#include "base/observer.hpp"
#include "base/sequence_table.hpp"
#include "explain/decisions/gains.hpp"
#include "machine/conjunction_machine.hpp"
#include "machine/machine.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::explain::decisions {

// Features that are in groups, none twice, and the group of each; all others are by themselves.
struct FeatureGroups {
  std::span<const FeatureId> features;
  std::span<const std::int32_t> groups;
};

// Features by rank, and the group of each.
struct GroupedFeatures {
  rows::FeatureMap map;
  std::vector<std::uint32_t> groups;  // by rank

  GroupedFeatures(rows::Rows support, const FeatureGroups& given);
  // With all features that are in groups, also those of no support row.
  static GroupedFeatures with_all(rows::Rows support, const FeatureGroups& given);
  [[nodiscard]] Slot none() const noexcept { return static_cast<Slot>(map.size()); }
  [[nodiscard]] Slot find(FeatureId feature) const noexcept {
    const rows::Rank rank = feature < 0 ? rows::FeatureMap::unseen : map.find(feature);
    return rank == rows::FeatureMap::unseen ? none() : rank;
  }
};

// Sums by slot, and which of them have been added to.
class SlotSums {
 public:
  explicit SlotSums(std::size_t slots) : values_(slots, 0.0), is_touched_(slots, 0) {}

  [[nodiscard]] double operator[](Slot slot) const { return values_[slot]; }
  [[nodiscard]] bool all() const noexcept { return all_; }                           // perhaps all of them
  [[nodiscard]] std::span<const Slot> touched() const noexcept { return touched_; }  // unless all

  void clear();
  void add(Slot slot, double value) {
    values_[slot] += value;
    if (is_touched_[slot] == 0) touch(slot);
  }
  [[nodiscard]] double* add_all() {
    all_ = true;
    return values_.data();
  }

 private:
  void touch(Slot slot) {
    is_touched_[slot] = 1;
    touched_.push_back(slot);
  }

  std::vector<double> values_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<Slot> touched_;
  bool all_ = false;
};

class ConjunctionWeights {
 public:
  // Whether the conjunctions of these rows, of up to `degree` features, are few enough to be listed.
  [[nodiscard]] static bool fits(rows::Rows support, std::size_t degree, std::size_t features, std::size_t outputs);

  ConjunctionWeights(const machine::SetMachine& machine, const GroupedFeatures& features, Observer& observer);
  ConjunctionWeights(const machine::ConjunctionMachine& machine, const GroupedFeatures& features, Observer& observer);

  [[nodiscard]] std::size_t features() const noexcept { return features_; }
  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }  // features of the longest conjunction
  [[nodiscard]] double terms() const noexcept { return terms_; }     // numbers added up in a weight, at most
  [[nodiscard]] double magnitude(std::size_t output) const { return magnitudes_[output]; }  // no sum is larger
  [[nodiscard]] std::size_t nbytes() const noexcept;

  static constexpr std::uint32_t none = SequenceTable<Slot>::none;
  // The list of a set (ascending), or none.
  [[nodiscard]] std::uint32_t list_of(std::span<const Slot> set) const;
  [[nodiscard]] std::uint32_t list_of(Slot a, Slot b) const;

  // out += sign * the list; out has features() numbers.
  void add(std::uint32_t list, std::size_t output, double sign, double* out) const;
  void add(std::uint32_t list, std::size_t output, double sign, SlotSums& out) const;

  // The sum of |w| of conjunctions of three features and more that have both.
  [[nodiscard]] double higher(Slot a, Slot b, std::size_t output) const;

 private:
  struct Entry {
    Slot feature;
    std::uint32_t weight;  // which conjunction's
  };

  void expand(const machine::SetMachine& machine, const GroupedFeatures& features, Observer& observer);
  void count(std::span<const Slot> set, const machine::Coefficients& coef, std::size_t row, double scale);
  void make_all();
  void make_lists();
  void make_dense();
  void make_pairs();
  void sum_higher();

  std::size_t features_;
  std::size_t outputs_;
  std::size_t size_ = 0;
  double terms_ = 1;
  std::vector<double> magnitudes_;
  SequenceTable<Slot> conjunctions_;
  std::vector<double> weights_;  // conjunctions x outputs
  SequenceTable<Slot> sets_;     // the set of list i has id i
  Lists<Entry> lists_;
  std::vector<std::uint32_t> dense_of_;    // by list: its number among the dense ones, or none
  std::vector<double> dense_;              // dense lists x outputs x features
  std::vector<std::uint32_t> pair_lists_;  // features x features; or empty
  std::vector<double> higher_;             // outputs x features x features; or empty
};

}  // namespace gristmill::explain::decisions
