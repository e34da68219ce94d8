// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/plan.hpp"

#include <algorithm>
#include <bit>

#include "rows/bit_index.hpp"
#include "score/expanded/rank_sort.hpp"
#include "score/inverted.hpp"

namespace gristmill::score::expanded {
namespace {

constexpr std::size_t sample_rows = 512;
constexpr double least_fill = 0.1;                            // of the block's last row
constexpr std::size_t largest_block = std::size_t{64} << 20;  // bytes
constexpr double kneser_ney = 0.75;                           // what absolute discounting takes from a count

// Conjunctions of 1 to `most` of n features.
double choices(double n, unsigned most) {
  double all = 0;
  double exactly = 1;
  for (unsigned k = 1; k <= most; ++k) {
    exactly *= std::max(0.0, n - k + 1) / k;
    all += exactly;
  }
  return all;
}

double mean_length(const rows::RankedRows& rows) {
  std::size_t total = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) total += rows[row].size();
  return rows.size() == 0 ? 0 : static_cast<double>(total) / static_cast<double>(rows.size());
}

// Ranks are dense as long as their part of the block can be filled to some extent by the conjunctions they are in.
rows::Rank dense_line(const rows::RankedRows& rows, unsigned degree, std::size_t outputs, std::size_t max_bytes) {
  if (degree < 2 || degree > 3) return 0;
  const double more_frequent = choices(mean_length(rows) / 2, degree - 1);
  const std::size_t most = std::min(largest_block, max_bytes / 2) / weight_size(outputs);
  rows::Rank dense = 0;
  while (dense < rows.features().size() && block_size(degree, dense + 1) <= most) {
    const double cells = degree == 2 ? dense : 0.5 * dense * (dense + 1.0);
    if (static_cast<double>(rows.features().count(dense)) * more_frequent < least_fill * cells) break;
    ++dense;
  }
  return dense;
}

double comparisons_to_sort(std::size_t length) {
  return length <= rank_sort::longest_counted ? 0 : static_cast<double>(length * std::bit_width(length));
}

// Kernels that are no polynomials have no expansion.
unsigned degree_of(const machine::SetMachine& machine) {
  return machine.kernel.is_polynomial() ? machine.kernel.polynomial().degree : 0;
}

Work averaged(Work work, std::size_t rows) {
  for (double* count : {&work.features, &work.overlap, &work.comparisons, &work.entries, &work.distance, &work.probes,
                        &work.rare, &work.lines, &work.line_words, &work.postings, &work.touched, &work.columns,
                        &work.passes, &work.bit_columns, &work.bit_lists}) {
    *count /= static_cast<double>(rows);
  }
  return work;
}

}  // namespace

ExpectedWork::ExpectedWork(const machine::SetMachine& machine, const rows::RankedRows& rows, rows::Rows sample)
    : machine_(machine), rows_(rows), degree_(degree_of(machine)), discount_(sample.size() > 0 ? 0 : kneser_ney) {
  look_up(sample.size() > 0 ? sample : machine.support());
  for (const SampleRow& row : sample_) {
    add_inverted(row.ranks);
    add_bits(row.ranks);
  }
  for (rows::Rank rank = 0; rank < rows.features().size(); ++rank) {
    line_words_.push_back(count(rank) * static_cast<double>(RarePostings::listing_words(SharedRare(rows, 0), rank)));
  }
}

void ExpectedWork::look_up(rows::Rows sample) {
  const std::size_t step = std::max<std::size_t>(1, sample.size() / sample_rows);
  for (std::size_t row = 0; row < sample.size(); row += step) {
    std::vector<rows::Rank> ranks;
    for (const FeatureId id : sample[row]) {
      const rows::Rank rank = rows_.features().find(id);
      if (rank != rows::FeatureMap::unseen) ranks.push_back(rank);
    }
    std::ranges::sort(ranks);
    sample_.push_back({std::move(ranks), sample[row].size()});
  }
}

void ExpectedWork::add_inverted(std::span<const rows::Rank> ranks) {
  double postings = 0;
  double columns = 0;
  for (const rows::Rank rank : ranks) {
    const bool column = rows::OverlapIndex::is_column(rows_.features().count(rank), rows_.size());
    (column ? columns : postings) += presence(rank) * (column ? 1 : count(rank));
  }
  const bool few = InvertedScorer::notes_touched(static_cast<std::size_t>(postings), columns > 0, rows_.size());
  indexed_.postings += postings;
  indexed_.columns += columns;
  (few ? indexed_.touched : indexed_.passes) += few ? postings : 1;
}

void ExpectedWork::add_bits(std::span<const rows::Rank> ranks) {
  for (const rows::Rank rank : ranks) {
    const bool column = rows::BitIndex::is_column(rows_.features().count(rank), rows_.size());
    (column ? indexed_.bit_columns : indexed_.bit_lists) += presence(rank) * (column ? 1 : count(rank));
  }
}

void ExpectedWork::add_dense(rows::Rank rank, double conjunctions, Work& work) const {
  const std::size_t before = block_size(degree_, rank) * weight_size(machine_.outputs());
  work.entries += conjunctions;
  work.distance += conjunctions * static_cast<double>(before) / megabyte;
}

void ExpectedWork::add_rare(rows::Rank rank, Work& work) const {
  work.rare += presence(rank);
  work.lines += presence(rank) * count(rank);
  work.line_words += presence(rank) * line_words_[rank];
}

void ExpectedWork::add_expanded(std::span<const rows::Rank> ranks, FeatureTiers lines, Work& work) const {
  double more_frequent = 0;
  for (const rows::Rank rank : ranks) {
    const double conjunctions = presence(rank) * choices(more_frequent, std::max(1U, degree_) - 1);
    if (rank < lines.dense) {
      add_dense(rank, conjunctions, work);
    } else if (rank < lines.common) {
      work.probes += conjunctions;
    } else {
      add_rare(rank, work);
    }
    more_frequent += presence(rank);
    work.overlap += presence(rank) * count(rank) / static_cast<double>(rows_.size());
  }
  work.features += more_frequent;
}

Work ExpectedWork::at(FeatureTiers lines) const {
  Work work = indexed_;
  for (const auto& [ranks, length] : sample_) {
    add_expanded(ranks, lines, work);
    work.comparisons += comparisons_to_sort(length);
  }
  return averaged(work, std::max<std::size_t>(1, sample_.size()));
}

rows::Rank first_rank_within(const rows::RankedRows& rows, std::size_t count) {
  rows::Rank rank = static_cast<rows::Rank>(rows.features().size());
  while (rank > 0 && rows.features().count(rank - 1) <= count) --rank;
  return rank;
}

FeatureTiers choose_tiers(const machine::SetMachine& machine, const rows::RankedRows& rows, const ExpectedWork& work,
                          std::optional<std::size_t> rare, std::size_t max_bytes, rows::Rank common_limit) {
  const unsigned degree = degree_of(machine);
  const auto all = static_cast<rows::Rank>(rows.features().size());
  if (degree < 2) return {0, all};
  const rows::Rank dense = dense_line(rows, degree, machine.outputs(), max_bytes);
  const auto tiers_at = [&](rows::Rank common) {
    return FeatureTiers{std::min({dense, common, common_limit}), std::min(common, common_limit)};
  };
  if (rare) return tiers_at(first_rank_within(rows, *rare));
  const auto cost_at = [&](FeatureTiers lines) { return nanoseconds(costs_of(work.at(lines), machine).expanded); };
  FeatureTiers best = tiers_at(all);
  double least = cost_at(best);
  for (std::size_t count = 1; count <= rows.size(); count *= 2) {
    const FeatureTiers lines = tiers_at(first_rank_within(rows, count));
    if (const double cost = cost_at(lines); cost <= least) best = lines, least = cost;  // fewer take less memory
  }
  return best;
}

// Ranks are dense as long as that fills a tenth of their part of the block, all in all.
FeatureTiers tiers_of_given(const rows::ConjunctionIndex& index, unsigned degree, std::size_t outputs,
                            std::size_t max_bytes, rows::Rank common_limit) {
  const auto all = static_cast<rows::Rank>(index.features().size());
  if (degree < 2) return {0, all};
  const rows::Rank common = std::min(all, common_limit);
  if (degree > 3) return {0, common};
  const std::size_t most = std::min(largest_block, max_bytes / 2) / weight_size(outputs);
  rows::Rank dense = 0;
  double gain = 0;
  double best = 0;
  for (rows::Rank rank = 0; rank < common && block_size(degree, rank + 1) <= most; ++rank) {
    const rows::ConjunctionIndex::Branch home = index.at_home(rank);
    const double cells = degree == 2 ? rank : 0.5 * rank * (rank + 1.0);
    gain += static_cast<double>(home.end - index.first_longer(home)) - least_fill * cells;
    if (gain > best) best = gain, dense = rank + 1;
  }
  return {dense, common};
}

}  // namespace gristmill::score::expanded
