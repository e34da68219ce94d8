// SPDX-License-Identifier: BSD-3-Clause
// Where to draw the lines between dense, common and rare features: where a row is expected to cost least.
#pragma once
#include <optional>
#include <vector>

#include "rows/ranked_rows.hpp"
#include "score/expanded/build.hpp"
#include "score/expanded/costs.hpp"

namespace gristmill::score::expanded {

// What scoring a row like those of a sample touches. Without a sample, the support rows are taken for one; but a
// feature that few of them have is rarer still among others, so that it counts for less than one.
class ExpectedWork {
 public:
  // Keeps both.
  ExpectedWork(const machine::SetMachine& machine, const rows::RankedRows& rows, rows::Rows sample);

  [[nodiscard]] Work at(FeatureTiers lines) const;

 private:
  struct SampleRow {
    std::vector<rows::Rank> ranks;  // known ones, ascending
    std::size_t length;             // known or not
  };

  void look_up(rows::Rows sample);
  void add_inverted(std::span<const rows::Rank> ranks);
  void add_bits(std::span<const rows::Rank> ranks);
  void add_expanded(std::span<const rows::Rank> ranks, FeatureTiers lines, Work& work) const;
  void add_dense(rows::Rank rank, double conjunctions, Work& work) const;
  void add_rare(rows::Rank rank, Work& work) const;

  [[nodiscard]] double count(rows::Rank rank) const { return static_cast<double>(rows_.features().count(rank)); }
  [[nodiscard]] double presence(rows::Rank rank) const { return 1 - discount_ / count(rank); }

  const machine::SetMachine& machine_;
  const rows::RankedRows& rows_;
  unsigned degree_;  // 0 without an expansion
  double discount_;  // of the support rows that have a feature
  std::vector<SampleRow> sample_;
  std::vector<double> line_words_;  // of all lines of a rank
  Work indexed_;                    // of inverted and bits, which no line changes; not yet averaged
};

// rare: features in at most this many support rows are rare; nothing: whatever costs least.
// max_bytes bounds the block only; what combs take is known when they are built. common_limit: of common features,
// those beyond it are rare; with degree 1 there are no combs that it could be for.
[[nodiscard]] FeatureTiers choose_tiers(const machine::SetMachine& machine, const rows::RankedRows& rows,
                                        const ExpectedWork& work, std::optional<std::size_t> rare,
                                        std::size_t max_bytes, rows::Rank common_limit = most_common);

// For given conjunctions. All features are common that combs can hold, for nothing else is as fast.
[[nodiscard]] FeatureTiers tiers_of_given(const rows::ConjunctionIndex& index, unsigned degree, std::size_t outputs,
                                          std::size_t max_bytes, rows::Rank common_limit = most_common);

// The first rank that is in at most `count` support rows.
[[nodiscard]] rows::Rank first_rank_within(const rows::RankedRows& rows, std::size_t count);

}  // namespace gristmill::score::expanded
