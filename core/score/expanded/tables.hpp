// SPDX-License-Identifier: BSD-3-Clause
// A machine as weights of conjunctions: what the expanded and split engines look up.
//
// Ranks (features of the support rows by frequency) fall into three classes:
//   dense   [0, dense)         weights of conjunctions among them stand in one block, found by arithmetic;
//   common  [dense, common)    their conjunctions with lower ranks stand in combs (see comb.hpp), level by level: at
//                              most 65,534 ranks, unless the degree is 1 and there are no conjunctions;
//   rare    [common, features) are not expanded: the support rows that have them are compared with x (see rare.hpp).
// A conjunction belongs to its highest rank, so every conjunction has one home. Rank `features` is nobody's: it fills
// up lists. Rank `features` + 1 stands for every feature that is not in the machine; their records weigh nothing. So
// most loops can run over all features of a row, known or not: how many are known is a coin toss to the processor. In
// lists that rank is everybody's (see rare.hpp).
//
// The block holds pairs for degree 2, pairs and triples for degree 3, nothing beyond. For degree 2 a strip follows it:
// the pairs of common features with the ranks below `strip`, which are so frequent that most of those pairs exist. The
// inner comb holds conjunctions of 2 to degree-1 features, each with the shift of its children; the leaf comb those of
// `degree` features.
//
// Weight is double for one output, a reference to a row of weights for several (see output_rows.hpp).
#pragma once
#include <cstdint>

#include "base/buffer.hpp"
#include "base/triangle.hpp"
#include "rows/feature_map.hpp"
#include "rows/id_table.hpp"
#include "score/expanded/comb.hpp"
#include "score/expanded/output_rows.hpp"
#include "score/expanded/rare.hpp"

namespace gristmill::score::expanded {

// What x needs to know of a feature beyond its rank.
template <class Weight>
struct FeatureRecord {
  Weight weight = 0;       // of the feature alone
  std::uint32_t base = 0;  // dense: of its part of the block; common: its shift; rare: where its lines start
};
template <>
struct FeatureRecord<double> {
  double weight = 0;
  std::uint32_t base = 0;
  std::uint32_t unused = 0;  // padding, but always zero in a file
};

template <class Weight>
struct InnerSlot {
  Weight weight = 0;
  std::uint32_t shift = 0;  // of the conjunctions with one feature more
};
template <>
struct InnerSlot<double> {
  double weight = 0;
  std::uint32_t shift = 0;
  std::uint32_t unused = 0;  // padding, but always zero in a file
};

// How much a feature can add to scores, beyond its own weight, in a row of at most `reach_length` features: for one
// output the smallest and the largest amount, for several how far it can pull two outputs apart (high; low = -high).
struct ScoreBounds {
  float low = 0;
  float high = 0;
};

template <class W>
struct Tables {
  using Weight = W;

  std::uint64_t degree = 1;
  std::uint64_t outputs = 1;
  std::uint64_t strip = 0;  // at most dense; 0 unless the degree is 2
  std::uint64_t dense = 0;
  std::uint64_t common = 0;
  std::uint64_t features = 0;
  std::uint64_t reach_length = 0;
  std::uint64_t conjunctions = 0;   // kept, of one feature or more
  Buffer<double> base;              // the scores of the empty row
  Buffer<double> kernel_increment;  // what a support row with a rare feature adds per unit of coefficient, by overlap
  rows::IdTable<rows::Rank> ranks;  // by id: small, because looked up at random
  Buffer<FeatureRecord<Weight>> records;  // by rank: the frequent ones together
  Buffer<double> block;                   // for several outputs the block is the first part of `rows`
  Buffer<Column> inner_check;
  Buffer<InnerSlot<Weight>> inner;
  Buffer<Column> leaf_check;
  Buffer<Weight> leaf;
  OutputRows rows;
  RarePostings rare;
  Buffer<ScoreBounds> reach;  // by rank
  Buffer<float> dropped;      // by rank: how much was left out of the expansion (see keep.hpp); empty when nothing was
};

constexpr rows::Rank most_common = no_column - 1;  // features whose conjunctions combs can hold

// Where the pairs of a common feature stand in the strip.
template <class Tables>
[[nodiscard]] constexpr std::size_t strip_row(const Tables& tables, rows::Rank rank) {
  return pair_row(tables.dense) + (rank - tables.dense) * tables.strip;
}

}  // namespace gristmill::score::expanded
