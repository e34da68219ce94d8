// SPDX-License-Identifier: BSD-3-Clause
// Searches the conjunctions of a set of rows depth first, rarest feature first (PrefixSpan on sets, weighted: Kudo and
// Matsumoto 2003, section 4.3), and puts them where scorers look for them: into the block, or into rows of combs. What
// a conjunction weighs, and which there are, is for Weights to say: those that support rows have in common, or those
// that are given.
#pragma once
#include <span>
#include <type_traits>
#include <vector>

#include "score/expanded/tables.hpp"
#include "score/expanded/top_sums.hpp"
#include "score/expanded/weights.hpp"

namespace gristmill::score::expanded {

// What a feature's branch of the search tree came to.
struct Branch {
  std::uint32_t row = 0;  // of its conjunctions with one feature more; 0 is the empty row
  Range reach;
  double dropped = 0;
};

template <class Weight>
struct InnerEntry {
  Weight weight;
  std::uint32_t row;
};

// Rows of a comb while they are collected.
template <class Entry>
struct CollectedRows {
  CombRows rows{{0, 0}, {}};
  std::vector<Entry> entries;

  std::uint32_t append(std::span<const rows::Rank> columns, std::span<const Entry> values) {
    if (columns.empty()) return 0;
    rows.columns.insert(rows.columns.end(), columns.begin(), columns.end());
    rows.end_row();
    entries.insert(entries.end(), values.begin(), values.end());
    return static_cast<std::uint32_t>(rows.size() - 1);
  }
};

template <class Weights>
class TrieBuilder {
 public:
  using Weight = typename Weights::Weight;
  using Source = typename Weights::Source;
  using Places = typename Weights::Places;

  // Ranks below dense go to the block. Bounds are for rows of up to `reach_length` features, at least `degree`.
  TrieBuilder(const Source& source, Weights& weights, unsigned degree, rows::Rank dense, std::size_t reach_length);

  // All conjunctions of at least two features whose rarest is the one of this rank, which stands at these places.
  Branch add(rows::Rank rank, Places places);

  [[nodiscard]] const CollectedRows<InnerEntry<Weight>>& inner() const noexcept { return inner_; }
  [[nodiscard]] const CollectedRows<Weight>& leaf() const noexcept { return leaf_; }
  [[nodiscard]] CollectedRows<Weight>& leaf() noexcept { return leaf_; }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_; }
  // What has been collected takes at least this much, packed.
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return leaf_.entries.size() * (sizeof(Weight) + 2) + inner_.entries.size() * (sizeof(InnerSlot<Weight>) + 2) +
           weights_.nbytes();
  }
  // Per inner entry: its row is one of the leaf comb (at the last but one size), else of the inner comb.
  [[nodiscard]] const std::vector<bool>& points_to_leaves() const noexcept { return points_to_leaves_; }

 private:
  static constexpr std::size_t no_block = ~std::size_t{0};

  struct Level {
    explicit Level(std::size_t features) : split(features) {}
    typename Weights::Split split;  // of places by one feature more
    std::vector<rows::Rank> columns;
    std::vector<InnerEntry<Weight>> entries;
    TopSums reach;
    TopSums dropped;
  };

  // One feature more than the `size` features that stand at places; block: where their row of the block starts.
  Branch add_row(Places places, unsigned size, std::size_t block);
  Branch add_inner(Places places, unsigned size, std::size_t block);
  Branch add_leaves(Places places, std::size_t block);
  void start(Level& level, unsigned size);
  template <class Own = Weights>  // instantiated for SingleWeights alone
  void sum_leaves(Level& level, Places places, std::size_t block);
  void split_leaves(Level& level, Places places, std::size_t block);
  void put_leaf(Level& level, rows::Rank rank, const Term& term, std::size_t block);

  const Source& source_;
  Weights& weights_;
  unsigned degree_;
  rows::Rank dense_;
  std::size_t reach_length_;
  std::vector<Level> levels_;  // by size - 1
  CollectedRows<InnerEntry<Weight>> inner_;
  std::vector<bool> points_to_leaves_;
  CollectedRows<Weight> leaf_;
  std::vector<Weight> leaves_;
  std::vector<rows::Rank> found_;
  std::vector<double> sums_;
  std::vector<std::uint32_t> counts_;
  std::size_t kept_ = 0;
};

}  // namespace gristmill::score::expanded
