// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/plan.hpp"

#include <algorithm>

#include "rows/overlap_index.hpp"

namespace gristmill {
namespace {

constexpr std::size_t sample_rows = 512;
constexpr double least_fill = 0.1;                            // of the block's last row
constexpr std::size_t largest_block = std::size_t{64} << 20;  // bytes

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

double mean_length(const RankedRows& rows) {
  std::size_t total = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) total += rows[row].size();
  return rows.size() == 0 ? 0 : static_cast<double>(total) / static_cast<double>(rows.size());
}

// Ranks are dense as long as their part of the block can be filled to some extent by the conjunctions they are in.
Rank dense_line(const RankedRows& rows, unsigned degree, std::size_t outputs, std::size_t max_bytes) {
  if (degree < 2 || degree > 3) return 0;
  const double company = choices(mean_length(rows) / 2, degree - 1);
  const std::size_t entry = sizeof(double) * (outputs <= 1 ? 1 : padded_outputs(outputs));
  const std::size_t most = std::min(largest_block, max_bytes / 2) / entry;
  Rank dense = 0;
  while (dense < rows.features().size() && block_size(degree, dense + 1) <= most) {
    const double cells = degree == 2 ? dense : 0.5 * dense * (dense + 1.0);
    if (static_cast<double>(rows.features().count(dense)) * company < least_fill * cells) break;
    ++dense;
  }
  return dense;
}

void add_work(const RankedRows& rows, std::span<const Rank> ranks, unsigned degree, Lines lines, Work& work) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double company = degree < 2 ? 0 : choices(static_cast<double>(i), degree - 1);
    if (ranks[i] < lines.dense) {
      work.entries += company;
    } else if (ranks[i] < lines.common) {
      work.probes += company;
    } else {
      work.lines += static_cast<double>(rows.features().count(ranks[i]));
    }
    const bool column = OverlapIndex::is_column(rows.features().count(ranks[i]), rows.size());
    (column ? work.columns : work.postings) += column ? 1 : static_cast<double>(rows.features().count(ranks[i]));
  }
  work.features += static_cast<double>(ranks.size());
}

}  // namespace

Work expected_work(const RankedRows& rows, Rows sample, unsigned degree, Lines lines) {
  Work work;
  std::vector<Rank> ranks;
  const std::size_t step = std::max<std::size_t>(1, sample.size() / sample_rows);
  double taken = 0;
  for (std::size_t row = 0; row < sample.size(); row += step, ++taken) {
    ranks.clear();
    for (const FeatureId id : sample[row]) {
      const Rank rank = rows.features().find(id);
      if (rank != FeatureMap::unseen) ranks.push_back(rank);
    }
    std::ranges::sort(ranks);
    add_work(rows, ranks, degree, lines, work);
  }
  for (double* count : {&work.features, &work.entries, &work.probes, &work.lines, &work.postings, &work.columns}) {
    *count /= std::max(taken, 1.0);
  }
  return work;
}

Rank first_rank_within(const RankedRows& rows, std::size_t count) {
  Rank rank = static_cast<Rank>(rows.features().size());
  while (rank > 0 && rows.features().count(rank - 1) <= count) --rank;
  return rank;
}

Lines draw_lines(const PolynomialMachine& machine, const RankedRows& rows, Rows sample, std::optional<std::size_t> rare,
                 std::size_t max_bytes) {
  const unsigned degree = machine.kernel.degree;
  const auto all = static_cast<Rank>(rows.features().size());
  if (degree < 2) return {0, all};
  const Rank dense = dense_line(rows, degree, machine.outputs(), max_bytes);
  const auto lines_at = [&](Rank common) { return Lines{std::min(dense, common), common}; };
  if (rare) return lines_at(first_rank_within(rows, *rare));
  const auto cost_at = [&](Lines lines) {
    return costs_of(expected_work(rows, sample, degree, lines), rows.size(), 0, machine.outputs()).expanded;
  };
  Lines best = lines_at(first_rank_within(rows, 1));
  double least = cost_at(best);
  for (std::size_t count = 2; count <= rows.size(); count *= 2) {
    const Lines lines = lines_at(first_rank_within(rows, count));
    if (const double cost = cost_at(lines); cost < least) best = lines, least = cost;
  }
  return best;
}

}  // namespace gristmill
