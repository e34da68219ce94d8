// SPDX-License-Identifier: BSD-3-Clause
// The parts of the batch solvers, each against a few obvious lines.
#include <algorithm>
#include <map>

#include "random_rows.hpp"
#include "rows/shared_conjunctions.hpp"
#include "solve/batch/expanded_weights.hpp"

namespace gristmill {
namespace {

constexpr std::size_t unlimited = std::size_t{1} << 40U;

std::size_t shared(rows::Row a, rows::Row b) {
  std::vector<FeatureId> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both.size();
}

void equal_patterns_are_put_together() {
  rows::Patterns patterns;
  const std::vector<std::vector<RowId>> sets{{1, 4}, {0, 1, 2}, {1, 4}, {2, 3}, {0, 1, 2}, {1, 4}};
  for (std::size_t at = 0; at < sets.size(); ++at) {
    for (const RowId row : sets[at]) patterns.write(row);
    patterns.end_pattern(static_cast<double>(1U << at));
  }
  const rows::Patterns merged = patterns.merged();
  CHECK(merged.size() == 3);
  CHECK(merged[0].size() == 3 && merged.weights()[0] == 2 + 16);
  CHECK(merged[1][0] == 1 && merged[1][1] == 4 && merged.weights()[1] == 1 + 4 + 32);
  CHECK(merged[2][0] == 2 && merged[2][1] == 3 && merged.weights()[2] == 8);
}

// What two rows share is the sum of the patterns that have both.
void patterns_are_what_rows_share() {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    const kernel::PolynomialKernel kernel{1 + static_cast<unsigned>(below(random, 5)), 1, 1};
    // Some features are in more than 64 rows: their conjunctions are found in another way.
    const OwnedRows rows =
        random_rows(random, 1 + static_cast<std::size_t>(below(random, 150)), 9, 1 + below(random, 20));
    const rows::RankedRows ranked(rows.view());
    const auto first = static_cast<rows::Rank>(below(random, 4));
    Silent silent;
    const std::size_t threads = 1 + static_cast<std::size_t>(below(random, 3));
    const rows::Patterns patterns =
        rows::mine_shared(ranked, kernel.subset_weights(), first, unlimited, threads, silent);
    std::map<std::pair<RowId, RowId>, double> sums;
    for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
      for (const RowId a : patterns[pattern]) {
        for (const RowId b : patterns[pattern]) sums[{a, b}] += patterns.weights()[pattern];
      }
    }
    const std::vector<double> values = kernel.values(ranked.longest());
    for (RowId a = 0; a < ranked.size(); ++a) {
      for (RowId b = 0; b < a; ++b) {
        std::vector<rows::Rank> both;
        std::ranges::set_intersection(ranked[a], ranked[b], std::back_inserter(both));
        const auto frequent =
            static_cast<std::size_t>(std::ranges::count_if(both, [&](rows::Rank r) { return r < first; }));
        CHECK((sums[{a, b}] == values[both.size()] - values[frequent]));
      }
    }
  }
}

void mining_stops_at_its_budget() {
  Random random(6);
  const OwnedRows rows = random_rows(random, 200, 9, 20);
  const rows::RankedRows ranked(rows.view());
  const std::vector<double> weights = kernel::PolynomialKernel{3, 1, 1}.subset_weights();
  Silent silent;
  CHECK(throws<PatternsTooLargeError>([&] { static_cast<void>(mine_shared(ranked, weights, 0, 1000, 2, silent)); }));
  CHECK(throws<PatternsTooLargeError>([&] { solve::batch::ExpandedRows({3, 1, 1}, rows.view(), 1000, 1, silent); }));
}

void expanded_weights_are_the_kernel() {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    const kernel::PolynomialKernel kernel{1 + static_cast<unsigned>(below(random, 5)), 0.5,
                                          static_cast<double>(below(random, 2))};
    // Features beyond the dense ones of degree 2 and 3 need many of them.
    const OwnedRows rows = random_rows(random, 80, 12, round % 2 == 0 ? 30 : 3000);
    Silent silent;
    const solve::batch::ExpandedRows expanded(kernel, rows.view(), unlimited, 2, silent);
    solve::batch::ExpandedWeights weights(expanded);
    std::vector<double> coef(expanded.size(), 0);
    for (int step = 0; step < 40; ++step) {
      const auto row = static_cast<std::size_t>(below(random, 80));
      const double delta = below(random, 9) - 4;
      coef[row] += delta;
      weights.add(row, delta);
    }
    for (std::size_t a = 0; a < expanded.size(); ++a) {
      double sum = 0;
      double size = 0;
      for (std::size_t b = 0; b < expanded.size(); ++b) {
        const double value = kernel(static_cast<double>(shared(rows.view()[a], rows.view()[b])));
        sum += coef[b] * value;
        size += std::abs(coef[b]) * value;
      }
      CHECK(std::abs(weights.score(a) - sum) <= 1e-12 * (1 + size));
    }
    weights.clear();
    CHECK(weights.score(0) == 0);
  }
}

}  // namespace

const TestFile batch_tests([] {
  equal_patterns_are_put_together();
  patterns_are_what_rows_share();
  mining_stops_at_its_budget();
  expanded_weights_are_the_kernel();
});

}  // namespace gristmill
