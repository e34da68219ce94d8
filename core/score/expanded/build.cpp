// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/build.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "base/large_pages.hpp"
#include "score/conjunction_inverted.hpp"
#include "score/expanded/given_weights.hpp"
#include "score/expanded/strip.hpp"
#include "score/expanded/trie_builder.hpp"

namespace gristmill::score::expanded {
namespace {

template <class Weight, class Single, class Multi>
using WeightsFor = std::conditional_t<std::is_same_v<Weight, double>, Single, Multi>;

template <class Number>
std::vector<Number> first_numbers(std::size_t count) {
  std::vector<Number> numbers(count);
  std::iota(numbers.begin(), numbers.end(), Number{0});
  return numbers;
}

// What stands at the head of a rare feature's lines: the coefficient, or the number of the support row.
std::vector<std::uint64_t> payloads(std::span<const double> coef) {
  std::vector<std::uint64_t> payloads(coef.size());
  std::ranges::transform(coef, payloads.begin(), [](double a) { return std::bit_cast<std::uint64_t>(a); });
  return payloads;
}

std::vector<std::uint64_t> payloads(const machine::Coefficients& coef) {
  return first_numbers<std::uint64_t>(coef.rows());
}

// What a support row with a rare feature adds beyond the feature's own weight, by the overlap of the rest.
std::vector<double> single_feature_increments(const kernel::PolynomialKernel& kernel, std::size_t longest) {
  const std::vector<double> k = kernel.values(longest + 1);
  std::vector<double> kernel_increment(longest + 1);
  for (std::size_t m = 0; m <= longest; ++m) kernel_increment[m] = (k[m + 1] - k[m]) - (k[1] - k[0]);
  return kernel_increment;
}

// Given conjunctions stand in lines of which all features must be there.
std::vector<double> whole_lines_only(const GivenRare& rare) {
  std::vector<double> kernel_increment(rare.least_listed() + 1, 0.0);
  kernel_increment.back() = 1.0;
  return kernel_increment;
}

std::vector<double> scores_of_the_empty_row(const machine::SetMachine& machine, double weight) {
  std::vector<double> base(machine.outputs(), 0.0);
  for (std::size_t row = 0; row < machine.coef.rows(); ++row) machine.coef.add_row(row, weight, base);
  for (std::size_t output = 0; output < base.size(); ++output) base[output] += machine.intercept[output];
  return base;
}

// In steps: the system may take its time to find memory.
template <class T>
LargeVector<T> filled(std::size_t size, T value, Observer& observer) {
  constexpr std::size_t step = std::size_t{1} << 20;
  LargeVector<T> made;
  made.reserve(size);
  for (; made.size() < size; made.resize(std::min(size, made.size() + step), value)) require(observer, 0, 1);
  return made;
}

// Those rare features of which nothing would be kept, were they expanded.
template <class Weights>
std::vector<bool> dropped_features(const rows::RankedRows& rows, rows::Rank first, machine::PkeThresholds keep,
                                   Weights& weights) {
  std::vector<bool> dropped;
  if (keep.everything()) return dropped;
  for (rows::Rank rank = first; rank < rows.features().size(); ++rank) {
    dropped.push_back(!weights.may_grow(rows.places(rank)));
  }
  return dropped;
}

Buffer<Column> checks(const CombRows& rows, const Packing& packing, Observer& observer) {
  LargeVector<Column> check = filled(packing.slots, no_column, observer);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const rows::Rank column : rows[row]) check[packing.shift[row] + column] = static_cast<Column>(column);
  }
  return Buffer<Column>(std::move(check));
}

template <class Weight>
Buffer<Weight> packed_leaves(const CollectedRows<Weight>& leaf, const Packing& packing, Weight nothing,
                             Observer& observer) {
  LargeVector<Weight> leaves = filled(packing.slots, nothing, observer);
  for (std::size_t row = 0; row < leaf.rows.size(); ++row) {
    if (row % 65536 == 0) require(observer, 0, 1);
    for (std::size_t at = leaf.rows.starts[row]; at < leaf.rows.starts[row + 1]; ++at) {
      leaves[packing.shift[row] + leaf.rows.columns[at]] = leaf.entries[at];
    }
  }
  return Buffer<Weight>(std::move(leaves));
}

// Where the rows of the combs are packed.
struct Packings {
  Packing leaf, inner;
};

template <class Builder>
auto packed_nodes(const Builder& trie, const Packings& packings, typename Builder::Weight nothing, Observer& observer) {
  using Slot = InnerSlot<typename Builder::Weight>;
  const CombRows& rows = trie.inner().rows;
  LargeVector<Slot> nodes = filled(packings.inner.slots, Slot{.weight = nothing}, observer);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t at = rows.starts[row]; at < rows.starts[row + 1]; ++at) {
      const auto& entry = trie.inner().entries[at];
      const Packing& below = trie.points_to_leaves()[at] ? packings.leaf : packings.inner;
      Slot& node = nodes[packings.inner.shift[row] + rows.columns[at]];
      node.weight = entry.weight;
      node.shift = below.shift[entry.row];
    }
  }
  return Buffer<Slot>(std::move(nodes));
}

rows::Rank move_to_strip(CollectedRows<double>& leaf, std::span<const FeatureRecord<double>> common, rows::Rank dense,
                         LargeVector<double>& block) {
  const std::size_t room = std::numeric_limits<std::uint32_t>::max() - block.size();  // positions have 32 bits
  const std::size_t widest = room / std::max<std::size_t>(common.size(), 1);
  const rows::Rank width = strip_width(leaf.rows, static_cast<rows::Rank>(std::min<std::size_t>(dense, widest)));
  std::vector<std::uint32_t> numbers(common.size());
  std::ranges::transform(common, numbers.begin(), &FeatureRecord<double>::base);
  cut_strip(leaf, numbers, width, block);
  return width;
}

std::span<const rows::RankedRows::Place> places_of(const rows::RankedRows& rows, rows::Rank rank) {
  return rows.places(rank);
}
rows::ConjunctionIndex::Branch places_of(const rows::ConjunctionIndex& index, rows::Rank rank) {
  return index.at_home(rank);
}

// Conjunctions that support rows have in common, or that are given: a source of them, their weights, and how rare
// features are compared.
template <class Weights, class Rare>
class TablesBuilder {
 public:
  using Weight = typename Weights::Weight;
  using Source = typename Weights::Source;

  // Bounds are for rows of up to `reach_length` features, at least `degree`.
  TablesBuilder(const Source& source, Weights& weights, const Rare& rare, unsigned degree, FeatureTiers lines,
                std::size_t reach_length)
      : source_(source),
        weights_(weights),
        rare_(rare),
        degree_(degree),
        lines_(lines),
        features_(source.features().size()),
        trie_(source, weights, degree, lines.dense, reach_length) {
    tables_.degree = degree;
    tables_.dense = lines.dense;
    tables_.common = lines.common;
    tables_.features = features_;
    tables_.reach_length = reach_length;
  }

  // base: the scores of the empty row; kernel_increment: see Tables.
  Tables<Weight> build(std::vector<double> base, std::vector<double> kernel_increment, std::size_t max_bytes,
                       Observer& observer) {
    if (RarePostings::nbytes_for(rare_) > max_bytes) throw TooLarge();
    tables_.outputs = base.size();
    tables_.base = Buffer<double>(std::move(base));
    tables_.kernel_increment = Buffer<double>(std::move(kernel_increment));
    add_features(max_bytes, observer);
    Scaled last(observer, features_ - 1, features_ - 1, features_);  // packing is part of the last feature
    if constexpr (has_one_output) take_block();
    pack_combs(last);
    for (rows::Rank rank = 0; rank < lines_.dense; ++rank) {
      records_[rank].base = static_cast<std::uint32_t>(degree_ == 2 ? pair_row(rank) : triple_plane(rank));
    }
    put_rare();
    put_records();
    require(observer, features_, features_);
    return std::move(tables_);
  }

 private:
  static constexpr bool has_one_output = std::is_same_v<Weight, double>;

  void add_features(std::size_t max_bytes, Observer& observer) {
    records_.resize(features_);
    reach_.resize(features_);
    dropped_.resize(features_);
    for (rows::Rank rank = 0; rank < features_; ++rank) {
      add_feature(rank);
      if (trie_.nbytes() > max_bytes) throw TooLarge();
      require(observer, rank, features_);
    }
    tables_.conjunctions += trie_.kept();
  }

  void add_feature(rows::Rank rank) {
    const typename Weights::Places places = places_of(source_, rank);
    const Term alone = weights_.evaluate(places, 1);
    tables_.conjunctions += alone.kept ? 1 : 0;
    records_[rank] = {alone.kept ? weights_.store() : weights_.nothing(), 0};
    if (rank < lines_.common) {
      const Branch branch = trie_.add(rank, places);
      records_[rank].base = branch.row;
      reach_[rank] = outward(branch.reach);
      dropped_[rank] = upward(alone.dropped + branch.dropped);
    } else {
      reach_[rank] = outward(weights_.reach_below(places, 1));
      dropped_[rank] = upward(alone.dropped + (rare_.is_dropped(rank) ? weights_.below(places, 1) : 0.0));
    }
  }

  void take_block() {
    LargeVector<double> block = weights_.take_block();
    if (degree_ == 2) {
      const auto common = std::span(records_).subspan(lines_.dense, lines_.common - lines_.dense);
      tables_.strip = move_to_strip(trie_.leaf(), common, lines_.dense, block);
    }
    tables_.block = Buffer<double>(std::move(block));
  }

  void pack_combs(Observer& observer) {
    const Packings packings{pack(trie_.leaf().rows, tables_.common, observer),
                            pack(trie_.inner().rows, tables_.common, observer)};
    tables_.leaf = packed_leaves(trie_.leaf(), packings.leaf, weights_.nothing(), observer);
    require(observer, 0, 1);
    tables_.inner = packed_nodes(trie_, packings, weights_.nothing(), observer);
    for (std::size_t rank = lines_.dense; rank < lines_.common; ++rank) {
      records_[rank].base = (degree_ == 2 ? packings.leaf : packings.inner).shift[records_[rank].base];
    }
    require(observer, 0, 1);
    tables_.leaf_check = checks(trie_.leaf().rows, packings.leaf, observer);
    require(observer, 0, 1);
    tables_.inner_check = checks(trie_.inner().rows, packings.inner, observer);
  }

  void put_rare() {
    std::vector<std::uint32_t> starts;
    tables_.rare = RarePostings(rare_, payloads(weights_.coef()), starts);
    if constexpr (!has_one_output) tables_.rows = weights_.take_rows();
    for (rows::Rank rank = lines_.common; rank < features_; ++rank) {
      records_[rank].base = starts[rank - lines_.common];
    }
  }

  void put_records() {
    records_.resize(features_ + 2, {weights_.nothing(), 0});
    tables_.ranks = rows::IdTable<rows::Rank>(source_.features().ids(), first_numbers<rows::Rank>(features_),
                                              static_cast<rows::Rank>(features_ + 1));
    tables_.records = Buffer<FeatureRecord<Weight>>(std::move(records_));
    tables_.reach = Buffer<ScoreBounds>(std::move(reach_));
    if (weights_.may_drop()) tables_.dropped = Buffer<float>(std::move(dropped_));
  }

  const Source& source_;
  Weights& weights_;
  const Rare& rare_;
  unsigned degree_;
  FeatureTiers lines_;
  std::size_t features_;
  TrieBuilder<Weights> trie_;
  std::vector<FeatureRecord<Weight>> records_;
  std::vector<ScoreBounds> reach_;
  std::vector<float> dropped_;
  Tables<Weight> tables_;
};

}  // namespace

template <class Weight>
Tables<Weight> build_tables(const machine::SetMachine& machine, const rows::RankedRows& rows, FeatureTiers lines,
                            machine::PkeThresholds keep, std::size_t max_bytes, Observer& observer) {
  using Weights = WeightsFor<Weight, SingleWeights, MultiWeights>;
  const unsigned degree = machine.kernel.polynomial().degree;
  Weights weights(machine, rows.longest(), keep, block_size(degree, lines.dense));
  const SharedRare rare(rows, lines.common, dropped_features(rows, lines.common, keep, weights));
  return TablesBuilder(rows, weights, rare, degree, lines, rows.longest())
      .build(scores_of_the_empty_row(machine, machine.kernel.polynomial().subset_weights()[0]),
             single_feature_increments(machine.kernel.polynomial(), rows.longest()), max_bytes, observer);
}

template <class Weight>
Tables<Weight> build_given(const machine::ConjunctionMachine& machine, const rows::ConjunctionIndex& index,
                           unsigned degree, FeatureTiers lines, std::size_t reach_length, std::size_t max_bytes,
                           Observer& observer) {
  using Weights = WeightsFor<Weight, SingleGiven, MultiGiven>;
  Weights weights(machine, index, block_size(degree, lines.dense));
  const GivenRare rare(index, lines.common);
  return TablesBuilder(index, weights, rare, degree, lines, reach_length)
      .build(base_scores(machine, index), whole_lines_only(rare), max_bytes, observer);
}

template Tables<double> build_tables(const machine::SetMachine&, const rows::RankedRows&, FeatureTiers,
                                     machine::PkeThresholds, std::size_t, Observer&);
template Tables<RowRef> build_tables(const machine::SetMachine&, const rows::RankedRows&, FeatureTiers,
                                     machine::PkeThresholds, std::size_t, Observer&);
template Tables<double> build_given(const machine::ConjunctionMachine&, const rows::ConjunctionIndex&, unsigned,
                                    FeatureTiers, std::size_t, std::size_t, Observer&);
template Tables<RowRef> build_given(const machine::ConjunctionMachine&, const rows::ConjunctionIndex&, unsigned,
                                    FeatureTiers, std::size_t, std::size_t, Observer&);

}  // namespace gristmill::score::expanded
