// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/build.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "base/large_pages.hpp"
#include "score/expanded/strip.hpp"
#include "score/expanded/trie_builder.hpp"

namespace gristmill::score::expanded {
namespace {

template <class Weight>
using WeightsFor = std::conditional_t<std::is_same_v<Weight, double>, OneWeights, ManyWeights>;

// What stands at the head of a rare feature's lines: the coefficient, or the number of the support row.
std::vector<std::uint64_t> payloads(const OneWeights& weights) {
  std::vector<std::uint64_t> payloads(weights.coef().size());
  std::ranges::transform(weights.coef(), payloads.begin(), [](double a) { return std::bit_cast<std::uint64_t>(a); });
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

}  // namespace

template <class Weight>
Tables<Weight> build_tables(const machine::PolynomialMachine& machine, const rows::RankedRows& rows, FeatureTiers lines,
                            machine::PkeThresholds keep, std::size_t max_bytes, Observer& observer) {
  const unsigned degree = machine.kernel.degree;
  const std::size_t features = rows.features().size();
  Tables<Weight> tables;
  tables.degree = degree;
  tables.outputs = machine.outputs();
  tables.dense = lines.dense;
  tables.common = lines.common;
  tables.features = features;
  tables.reach_length = rows.longest();
  tables.base = Buffer<double>(scores_of_the_empty_row(machine, machine.kernel.subset_weights()[0]));
  tables.kernel_increment = Buffer<double>(single_feature_increments(machine.kernel, rows.longest()));

  WeightsFor<Weight> weights(machine, rows.longest(), keep, block_size(degree, lines.dense));
  const RareFeatures rare{rows, lines.common, dropped_features(rows, lines.common, keep, weights)};
  if (RarePostings::nbytes_for(rare) > max_bytes) throw TooLarge();
  TrieBuilder<WeightsFor<Weight>> trie(rows, weights, degree, lines.dense);
  std::vector<FeatureRecord<Weight>> records(features);
  std::vector<ScoreBounds> reach(features);
  std::vector<float> dropped(features);
  for (rows::Rank rank = 0; rank < features; ++rank) {
    const Term alone = weights.evaluate(rows.places(rank), 1);
    tables.conjunctions += alone.kept ? 1 : 0;
    records[rank] = {alone.kept ? weights.store() : weights.nothing(), 0};
    if (rank < lines.common) {
      const Branch branch = trie.add(rank);
      records[rank].base = branch.row;
      reach[rank] = outward(branch.reach);
      dropped[rank] = upward(alone.dropped + branch.dropped);
    } else {
      reach[rank] = outward(weights.reach_below(rows.places(rank), 1));
      dropped[rank] = upward(alone.dropped + (rare.is_dropped(rank) ? weights.below(rows.places(rank), 1) : 0.0));
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
    tables.rare = RarePostings(rare, payloads(weights), starts);
  } else {
    tables.rare = RarePostings(rare, first_numbers<std::uint64_t>(rows.size()), starts);
    tables.rows = weights.take_rows();
  }
  for (rows::Rank rank = lines.common; rank < features; ++rank) {
    records[rank].base = starts[rank - lines.common];
  }
  records.resize(features + 2, {weights.nothing(), 0});
  tables.ranks = rows::IdTable<rows::Rank>(rows.features().ids(), first_numbers<rows::Rank>(features),
                                           static_cast<rows::Rank>(features + 1));
  tables.records = Buffer<FeatureRecord<Weight>>(std::move(records));
  tables.reach = Buffer<ScoreBounds>(std::move(reach));
  if (!keep.everything()) tables.dropped = Buffer<float>(std::move(dropped));
  require(observer, features, features);
  return tables;
}

template Tables<double> build_tables(const machine::PolynomialMachine&, const rows::RankedRows&, FeatureTiers,
                                     machine::PkeThresholds, std::size_t, Observer&);
template Tables<RowRef> build_tables(const machine::PolynomialMachine&, const rows::RankedRows&, FeatureTiers,
                                     machine::PkeThresholds, std::size_t, Observer&);

}  // namespace gristmill::score::expanded
