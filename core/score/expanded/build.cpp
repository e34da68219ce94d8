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

template <class Weight, class One, class Many>
using WeightsFor = std::conditional_t<std::is_same_v<Weight, double>, One, Many>;

// What stands at the head of a rare feature's lines: the coefficient, or the number of the support row.
std::vector<std::uint64_t> coefficient_payloads(std::span<const double> coef) {
  std::vector<std::uint64_t> payloads(coef.size());
  std::ranges::transform(coef, payloads.begin(), [](double a) { return std::bit_cast<std::uint64_t>(a); });
  return payloads;
}

template <class Number>
std::vector<Number> first_numbers(std::size_t count) {
  std::vector<Number> numbers(count);
  std::iota(numbers.begin(), numbers.end(), Number{0});
  return numbers;
}

// What a support row with a rare feature adds beyond the feature's own weight, by the overlap of the rest.
std::vector<double> single_feature_increments(const kernel::PolynomialKernel& kernel, std::size_t longest) {
  const std::vector<double> k = kernel.values(longest + 1);
  std::vector<double> kernel_increment(longest + 1);
  for (std::size_t m = 0; m <= longest; ++m) kernel_increment[m] = (k[m + 1] - k[m]) - (k[1] - k[0]);
  return kernel_increment;
}

std::vector<double> scores_of_the_empty_row(const machine::PolynomialMachine& machine, double weight) {
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

template <class Tables, class Builder>
void pack_combs(Tables& tables, const Builder& trie, typename Tables::Weight nothing,
                std::vector<FeatureRecord<typename Tables::Weight>>& records, Observer& observer) {
  using Weight = typename Tables::Weight;
  const Packing leaf = pack(trie.leaf().rows, tables.common, observer);
  const Packing inner = pack(trie.inner().rows, tables.common, observer);
  const auto checks = [&](const CombRows& rows, const Packing& packing) {
    LargeVector<Column> check = filled(packing.slots, no_column, observer);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const rows::Rank column : rows[row]) check[packing.shift[row] + column] = static_cast<Column>(column);
    }
    return Buffer<Column>(std::move(check));
  };
  LargeVector<Weight> leaves = filled(leaf.slots, nothing, observer);
  LargeVector<InnerSlot<Weight>> nodes = filled(inner.slots, InnerSlot<Weight>{.weight = nothing}, observer);
  for (std::size_t row = 0; row < trie.leaf().rows.size(); ++row) {
    if (row % 65536 == 0) require(observer, 0, 1);
    for (std::size_t at = trie.leaf().rows.starts[row]; at < trie.leaf().rows.starts[row + 1]; ++at) {
      leaves[leaf.shift[row] + trie.leaf().rows.columns[at]] = trie.leaf().entries[at];
    }
  }
  require(observer, 0, 1);
  for (std::size_t row = 0; row < trie.inner().rows.size(); ++row) {
    for (std::size_t at = trie.inner().rows.starts[row]; at < trie.inner().rows.starts[row + 1]; ++at) {
      const auto& entry = trie.inner().entries[at];
      auto& node = nodes[inner.shift[row] + trie.inner().rows.columns[at]];
      node.weight = entry.weight;
      node.shift = (trie.points_to_leaves()[at] ? leaf : inner).shift[entry.row];
    }
  }
  for (std::size_t rank = tables.dense; rank < tables.common; ++rank) {
    records[rank].base = (tables.degree == 2 ? leaf : inner).shift[records[rank].base];
  }
  require(observer, 0, 1);
  tables.leaf_check = checks(trie.leaf().rows, leaf);
  require(observer, 0, 1);
  tables.inner_check = checks(trie.inner().rows, inner);
  tables.leaf = Buffer<Weight>(std::move(leaves));
  tables.inner = Buffer<InnerSlot<Weight>>(std::move(nodes));
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

template <class Weight>
Tables<Weight> empty_tables(unsigned degree, FeatureTiers lines, std::size_t features, std::size_t reach_length) {
  Tables<Weight> tables;
  tables.degree = degree;
  tables.dense = lines.dense;
  tables.common = lines.common;
  tables.features = features;
  tables.reach_length = reach_length;
  return tables;
}

// Everything but the scores of the empty row and the increments of rare features.
template <class Weights, class Rare>
void fill_tables(Tables<typename Weights::Weight>& tables, const typename Weights::Source& source, Weights& weights,
                 const Rare& rare, std::size_t support_rows, std::size_t max_bytes, Observer& observer) {
  using Weight = typename Weights::Weight;
  const auto degree = static_cast<unsigned>(tables.degree);
  const FeatureTiers lines{static_cast<rows::Rank>(tables.dense), rare.first()};
  const std::size_t features = tables.features;
  if (RarePostings::nbytes_for(rare) > max_bytes) throw TooLarge();
  TrieBuilder<Weights> trie(source, weights, degree, lines.dense, tables.reach_length);
  std::vector<FeatureRecord<Weight>> records(features);
  std::vector<ScoreBounds> reach(features);
  std::vector<float> dropped(features);
  for (rows::Rank rank = 0; rank < features; ++rank) {
    const typename Weights::Places places = places_of(source, rank);
    const Term alone = weights.evaluate(places, 1);
    tables.conjunctions += alone.kept ? 1 : 0;
    records[rank] = {alone.kept ? weights.store() : weights.nothing(), 0};
    if (rank < lines.common) {
      const Branch branch = trie.add(rank, places);
      records[rank].base = branch.row;
      reach[rank] = outward(branch.reach);
      dropped[rank] = upward(alone.dropped + branch.dropped);
    } else {
      reach[rank] = outward(weights.reach_below(places, 1));
      dropped[rank] = upward(alone.dropped + (rare.is_dropped(rank) ? weights.below(places, 1) : 0.0));
    }
    if (trie.nbytes() > max_bytes) throw TooLarge();
    require(observer, rank, features);
  }
  tables.conjunctions += trie.kept();
  Scaled last(observer, features - 1, features - 1, features);  // packing is part of the last feature
  if constexpr (std::is_same_v<Weight, double>) {
    LargeVector<double> block = weights.take_block();
    if (degree == 2)
      tables.strip = move_to_strip(trie.leaf(), std::span(records).subspan(lines.dense, lines.common - lines.dense),
                                   lines.dense, block);
    tables.block = Buffer<double>(std::move(block));
  }
  pack_combs(tables, trie, weights.nothing(), records, last);
  for (rows::Rank rank = 0; rank < lines.dense; ++rank) {
    records[rank].base = static_cast<std::uint32_t>(degree == 2 ? pair_row(rank) : triple_plane(rank));
  }
  std::vector<std::uint32_t> starts;
  if constexpr (std::is_same_v<Weight, double>) {
    tables.rare = RarePostings(rare, coefficient_payloads(weights.coef()), starts);
  } else {
    tables.rare = RarePostings(rare, first_numbers<std::uint64_t>(support_rows), starts);
    tables.rows = weights.take_rows();
  }
  for (rows::Rank rank = lines.common; rank < features; ++rank) {
    records[rank].base = starts[rank - lines.common];
  }
  records.resize(features + 2, {weights.nothing(), 0});
  tables.ranks = rows::IdTable<rows::Rank>(source.features().ids(), first_numbers<rows::Rank>(features),
                                           static_cast<rows::Rank>(features + 1));
  tables.records = Buffer<FeatureRecord<Weight>>(std::move(records));
  tables.reach = Buffer<ScoreBounds>(std::move(reach));
  tables.dropped = Buffer<float>(std::move(dropped));
  require(observer, features, features);
}

// Given conjunctions stand in lines of which all features must be there.
std::vector<double> whole_lines_only(const GivenRare& rare) {
  std::vector<double> increment(rare.least_listed() + 1, 0.0);
  increment.back() = 1.0;
  return increment;
}

}  // namespace

template <class Weight>
Tables<Weight> build_tables(const machine::PolynomialMachine& machine, const rows::RankedRows& rows, FeatureTiers lines,
                            machine::PkeThresholds keep, std::size_t max_bytes, Observer& observer) {
  using Weights = WeightsFor<Weight, OneWeights, ManyWeights>;
  const unsigned degree = machine.kernel.degree;
  auto tables = empty_tables<Weight>(degree, lines, rows.features().size(), rows.longest());
  tables.outputs = machine.outputs();
  tables.base = Buffer<double>(scores_of_the_empty_row(machine, machine.kernel.subset_weights()[0]));
  tables.kernel_increment = Buffer<double>(single_feature_increments(machine.kernel, rows.longest()));
  Weights weights(machine, rows.longest(), keep, block_size(degree, lines.dense));
  const SharedRare rare(rows, lines.common, dropped_features(rows, lines.common, keep, weights));
  fill_tables(tables, rows, weights, rare, rows.size(), max_bytes, observer);
  if (keep.everything()) tables.dropped = {};
  return tables;
}

template <class Weight>
Tables<Weight> build_given(const machine::ConjunctionMachine& machine, const rows::ConjunctionIndex& index,
                           unsigned degree, FeatureTiers lines, std::size_t reach_length, std::size_t max_bytes,
                           Observer& observer) {
  using Weights = WeightsFor<Weight, OneGiven, ManyGiven>;
  auto tables = empty_tables<Weight>(degree, lines, index.features().size(), reach_length);
  const GivenRare rare(index, lines.common);
  tables.outputs = machine.outputs();
  tables.base = Buffer<double>(base_scores(machine, index));
  tables.kernel_increment = Buffer<double>(whole_lines_only(rare));
  Weights weights(machine, index, block_size(degree, lines.dense));
  fill_tables(tables, index, weights, rare, machine.support().size(), max_bytes, observer);
  tables.dropped = {};
  return tables;
}

template Tables<double> build_tables(const machine::PolynomialMachine&, const rows::RankedRows&, FeatureTiers,
                                     machine::PkeThresholds, std::size_t, Observer&);
template Tables<RowRef> build_tables(const machine::PolynomialMachine&, const rows::RankedRows&, FeatureTiers,
                                     machine::PkeThresholds, std::size_t, Observer&);
template Tables<double> build_given(const machine::ConjunctionMachine&, const rows::ConjunctionIndex&, unsigned,
                                    FeatureTiers, std::size_t, std::size_t, Observer&);
template Tables<RowRef> build_given(const machine::ConjunctionMachine&, const rows::ConjunctionIndex&, unsigned,
                                    FeatureTiers, std::size_t, std::size_t, Observer&);

}  // namespace gristmill::score::expanded
