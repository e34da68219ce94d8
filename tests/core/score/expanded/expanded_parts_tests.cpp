// SPDX-License-Identifier: BSD-3-Clause
// The parts of the expanded engine, each against a few obvious lines.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "random_rows.hpp"
#include "score/decision_policy.hpp"
#include "score/expanded/comb.hpp"
#include "score/expanded/rank_sort.hpp"
#include "score/expanded/strip.hpp"
#include "score/expanded/top_sums.hpp"

namespace gristmill {
namespace {

// --- combs -----------------------------------------------------------------------------------------------------------

score::expanded::CombRows random_combs(Random& random, std::size_t rows, int longest, int columns) {
  score::expanded::CombRows combs;
  for (std::size_t row = 0; row < rows; ++row) {
    std::set<rows::Rank> drawn;
    for (int i = below(random, longest + 1); i > 0; --i) drawn.insert(static_cast<rows::Rank>(below(random, columns)));
    combs.columns.insert(combs.columns.end(), drawn.begin(), drawn.end());
    combs.end_row();
  }
  return combs;
}

// Every probe of every row finds what the row has, and nothing else.
bool probes_find_their_own(const score::expanded::CombRows& combs, std::size_t limit) {
  Silent observer;
  const score::expanded::Packing packing = score::expanded::pack(combs, limit, observer);
  std::vector<score::expanded::Column> check(packing.slots, score::expanded::no_column);
  std::vector<std::size_t> owner(packing.slots, combs.size());
  for (std::size_t row = 0; row < combs.size(); ++row) {
    for (const rows::Rank column : combs[row]) {
      const std::size_t slot = packing.shift[row] + column;
      if (slot == 0 || slot >= packing.slots || owner[slot] != combs.size()) return false;
      check[slot] = static_cast<score::expanded::Column>(column);
      owner[slot] = row;
    }
  }
  for (std::size_t row = 0; row < combs.size(); ++row) {
    if (packing.shift[row] + limit > packing.slots) return false;
    for (rows::Rank column = 0; column < limit; ++column) {
      const bool hit = check[packing.shift[row] + column] == column;
      if (hit != std::ranges::binary_search(combs[row], column)) return false;
    }
  }
  return true;
}

bool shifts_differ(const score::expanded::CombRows& combs, std::size_t limit) {
  Silent observer;
  const score::expanded::Packing packing = score::expanded::pack(combs, limit, observer);
  std::set<std::uint32_t> shifts;
  std::size_t filled = 0;
  for (std::size_t row = 0; row < combs.size(); ++row) {
    if (combs[row].empty()) continue;
    shifts.insert(packing.shift[row]);
    ++filled;
  }
  return shifts.size() == filled && !shifts.contains(0);
}

void rows_of_combs_never_collide() {
  Random random(1);
  for (const auto& [rows, longest, columns] : std::vector<std::array<int, 3>>{
           {0, 1, 1}, {1, 0, 1}, {3, 0, 9}, {50, 1, 1}, {200, 3, 40}, {300, 60, 90}, {500, 5, 3000}}) {
    for (int trial = 0; trial < 5; ++trial) {
      const score::expanded::CombRows combs = random_combs(random, static_cast<std::size_t>(rows), longest, columns);
      CHECK(probes_find_their_own(combs, static_cast<std::size_t>(columns)));
      CHECK(shifts_differ(combs, static_cast<std::size_t>(columns)));
    }
  }
}

// --- strips ----------------------------------------------------------------------------------------------------------

// What a row holds, strip and rest together.
std::map<rows::Rank, double> row_of(const score::expanded::CollectedRows<double>& leaf, std::uint32_t row,
                                    std::span<const double> strip) {
  std::map<rows::Rank, double> found;
  for (std::size_t at = leaf.rows.starts[row]; at < leaf.rows.starts[row + 1]; ++at) {
    found[leaf.rows.columns[at]] = leaf.entries[at];
  }
  for (rows::Rank column = 0; column < strip.size(); ++column) {
    if (strip[column] != 0) found[column] = strip[column];
  }
  return found;
}

void strips_hold_what_was_cut() {
  Random random(11);
  for (const rows::Rank width : {0, 1, 7, 40}) {
    score::expanded::CollectedRows<double> leaf;
    std::vector<std::uint32_t> numbers;
    std::vector<std::map<rows::Rank, double>> expected;
    for (int row = 0; row < 50; ++row) {
      const score::expanded::CombRows drawn = random_combs(random, 1, 20, 40);
      std::vector<double> values;
      std::map<rows::Rank, double> held;
      for (const rows::Rank column : drawn[0]) held[column] = values.emplace_back(1.0 + below(random, 1000));
      numbers.push_back(leaf.append(drawn[0], values));
      expected.push_back(held);
    }
    LargeVector<double> block(3, 5.0);
    score::expanded::cut_strip(leaf, numbers, width, block);
    CHECK(block.size() == 3 + numbers.size() * width && block[2] == 5.0);
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      CHECK(row_of(leaf, numbers[at], std::span(block).subspan(3 + at * width, width)) == expected[at]);
    }
    CHECK(std::ranges::all_of(leaf.rows.columns, [&](rows::Rank column) { return column >= width; }));
  }
}

void strips_take_columns_that_most_rows_have() {
  score::expanded::CombRows rows;
  for (rows::Rank row = 0; row < 60; ++row) {
    rows.columns.insert(rows.columns.end(), {0, 1, 2, 10 + row});
    rows.end_row();
  }
  CHECK(score::expanded::strip_width(rows, 100) == 3);
  CHECK(score::expanded::strip_width(rows, 2) == 2);
  CHECK(score::expanded::strip_width(score::expanded::CombRows{}, 100) == 0);
}

// --- sorting ranks ---------------------------------------------------------------------------------------------------

void ranks_are_sorted_and_counted() {
  Random random(12);
  const score::expanded::RankLimits limits{3, 20, 50, 90};
  score::expanded::SortedRanks sorted;
  for (std::uint32_t count = 0; count <= 70; ++count) {
    std::vector<rows::Rank> ranks(limits.known + 40, limits.known + 1);
    for (rows::Rank rank = 0; rank < limits.known; ++rank) ranks[rank] = rank;
    std::ranges::shuffle(ranks, random);  // known ones differ, unknown ones do not
    score::expanded::sort_ranks(ranks.data(), count, limits, sorted);
    std::vector<rows::Rank> expected(ranks.begin(), ranks.begin() + count);
    std::ranges::sort(expected);
    const auto under = [&](rows::Rank limit) { return std::ranges::lower_bound(expected, limit) - expected.begin(); };
    CHECK(std::ranges::equal(expected, std::span(sorted.ranks).first(count)));
    CHECK(sorted.strip == under(limits.strip) && sorted.dense == under(limits.dense));
    CHECK(sorted.common == under(limits.common) && sorted.size == under(limits.known));
  }
}

// --- bounds ----------------------------------------------------------------------------------------------------------

void top_sums_add_the_largest() {
  Random random(4);
  for (int trial = 0; trial < 300; ++trial) {
    const auto most = static_cast<std::size_t>(below(random, 6));
    score::expanded::TopSums sums;
    sums.start(99);
    sums.add({-5, 5});  // forgotten by the next start
    sums.start(most);
    std::vector<double> highs;
    std::vector<double> lows;
    for (int i = below(random, 10); i > 0; --i) {
      const double low = below(random, 20) - 15;
      const double high = low + below(random, 20);
      sums.add({low, high});
      highs.push_back(std::max(high, 0.0));
      lows.push_back(std::min(low, 0.0));
    }
    std::ranges::sort(highs, std::ranges::greater{});
    std::ranges::sort(lows);
    double high = 0;
    double low = 0;
    for (std::size_t at = 0; at < std::min(most, highs.size()); ++at) high += highs[at], low += lows[at];
    const score::expanded::Range range = sums.range();
    CHECK(range.high == high && range.low == low);
  }
}

void narrowed_bounds_still_bound() {
  for (const double value : {0.0, 1e-320, 1e-50, 1e-38, 0.1, 1.0, 16777217.0, 3.4e38, 1e39, 1e300}) {
    CHECK(static_cast<double>(score::expanded::upward(value)) >= value);
    const score::expanded::ScoreBounds reach = score::expanded::outward({-value, value});
    CHECK(static_cast<double>(reach.low) <= -value && static_cast<double>(reach.high) >= value);
  }
  CHECK(score::expanded::upward(0.0) == 0.0F);
}

// --- decisions -------------------------------------------------------------------------------------------------------

using score::DecisionPolicy;
using score::DecisionRule;
using score::Doubt;

std::int32_t class_of(const DecisionPolicy& policy, const std::vector<double>& scores,
                      const std::vector<std::uint8_t>& allowed) {
  std::vector<double> worth = scores;
  if (policy.rule != DecisionRule::largest) {
    const auto is_won = [&](double score) { return score > 0 || (policy.zero_class == 1 && score == 0); };
    worth.assign(static_cast<std::size_t>(policy.classes), 0);
    std::size_t output = 0;
    for (std::size_t i = 0; i < worth.size(); ++i) {
      for (std::size_t j = i + 1; j < worth.size(); ++j, ++output) ++worth[is_won(scores[output]) ? i : j];
    }
    if (policy.rule == DecisionRule::sign) std::swap(worth[0], worth[1]);
  }
  for (std::size_t c = 0; c < worth.size(); ++c) {
    if (allowed[c] == 0) worth[c] = -1e9;
  }
  return static_cast<std::int32_t>(std::ranges::max_element(worth) - worth.begin());
}

// Every way to move every score by -1, 0 or 1, times its bound.
bool all_moves_agree(DecisionPolicy policy, const std::vector<double>& scores, const std::vector<double>& bounds,
                     const std::vector<std::uint8_t>& allowed, std::int32_t value) {
  std::size_t moves = 1;
  for (std::size_t at = 0; at < scores.size(); ++at) moves *= 3;
  for (std::size_t move = 0; move < moves; ++move) {
    std::vector<double> moved = scores;
    std::size_t rest = move;
    for (std::size_t at = 0; at < moved.size(); ++at, rest /= 3) {
      moved[at] += bounds[at] * (static_cast<double>(rest % 3) - 1);
    }
    for (policy.zero_class = 0; policy.zero_class < 2; ++policy.zero_class) {
      if (class_of(policy, moved, allowed) != value) return false;
    }
  }
  return true;
}

std::vector<std::uint8_t> some_allowed(Random& random, std::int32_t classes) {
  std::vector<std::uint8_t> allowed(static_cast<std::size_t>(classes));
  for (std::uint8_t& mark : allowed) mark = below(random, 2) == 0 ? 1 : 0;
  allowed[static_cast<std::size_t>(below(random, classes))] = 1;
  return allowed;
}

void what_is_decided_cannot_change() {
  Random random(5);
  std::vector<std::int32_t> votes;
  for (const DecisionPolicy& policy :
       {DecisionPolicy{DecisionRule::sign, 2, 0}, DecisionPolicy{DecisionRule::largest, 1, 0},
        DecisionPolicy{DecisionRule::largest, 2, 0}, DecisionPolicy{DecisionRule::largest, 4, 0},
        DecisionPolicy{DecisionRule::votes, 2, 0}, DecisionPolicy{DecisionRule::votes, 3, 0},
        DecisionPolicy{DecisionRule::votes, 4, 1}}) {
    std::size_t outputs = 0;
    while (!policy.fits(outputs)) ++outputs;
    const std::vector<std::uint8_t> every(static_cast<std::size_t>(policy.classes), 1);
    std::size_t decided = 0;
    for (int trial = 0; trial < 400; ++trial) {
      std::vector<double> scores(outputs);
      for (double& score : scores) score = below(random, 21) - 10;
      const double bound = below(random, 5);
      const std::vector<std::uint8_t> some = some_allowed(random, policy.classes);
      CHECK(score::decide(policy, scores, {}, {}, votes) == class_of(policy, scores, every));
      CHECK(score::decide(policy, scores, {}, some, votes) == class_of(policy, scores, some));
      std::vector<double> bounds(outputs, bound);
      for (const auto& allowed : {every, some}) {
        const std::int32_t value = score::decide(policy, scores, Doubt::of(bound), allowed, votes);
        decided += value != score::undecided ? 1 : 0;
        CHECK(value == score::undecided || bound == 0 || all_moves_agree(policy, scores, bounds, allowed, value));
      }
      for (double& own : bounds) own = below(random, 5);
      std::vector<std::uint8_t> open(1);
      score::find_undecided(policy, scores, bounds, open);
      CHECK(open[0] == 1 || all_moves_agree(policy, scores, bounds, every, class_of(policy, scores, every)));
    }
    CHECK(decided > 100);
  }
}

void what_is_clear_is_decided() {
  std::vector<std::int32_t> votes;
  const auto decide = [&](DecisionRule rule, std::int32_t classes, const std::vector<double>& scores, double bound) {
    return score::decide({rule, classes, 0}, scores, Doubt::of(bound), {}, votes);
  };
  constexpr auto sign = DecisionRule::sign;
  constexpr auto largest = DecisionRule::largest;
  CHECK(decide(sign, 2, {2.0}, 1.0) == 1 && decide(sign, 2, {-2.0}, 1.0) == 0);
  CHECK(decide(sign, 2, {1.5}, 1.0) == 1);  // one bound is enough for one score
  CHECK(decide(sign, 2, {1.0}, 1.0) == score::undecided && decide(sign, 2, {NAN}, 1.0) == score::undecided);
  CHECK(decide(largest, 3, {1.0, 4.0, 2.0}, 0.9) == 1);
  CHECK(decide(largest, 3, {1.0, 4.0, 2.0}, 1.0) == score::undecided);  // two scores need two
  CHECK(decide(largest, 0, {}, 0.0) == score::undecided);
  constexpr auto pairs = DecisionRule::votes;
  CHECK(decide(pairs, 1, {}, 1.0) == 0);               // one class has no pairs
  CHECK(decide(pairs, 3, {5.0, 5.0, 0.5}, 1.0) == 0);  // who comes second is open and does not matter
  CHECK(decide(pairs, 3, {-5.0, 5.0, 0.5}, 1.0) == score::undecided);
  CHECK(decide(pairs, 3, {5.0, -5.0, 5.0}, 1.0) == 0);  // one vote each: the first
}

void what_is_not_a_number_is_never_sure() {
  std::vector<std::int32_t> votes;
  const auto decide = [&](DecisionRule rule, std::int32_t classes, const std::vector<double>& scores, double bound) {
    return score::decide({rule, classes, 1}, scores, Doubt::of(bound), {}, votes);
  };
  CHECK(decide(DecisionRule::sign, 2, {NAN}, 0) == 0 && decide(DecisionRule::sign, 2, {0.0}, 0) == 1);
  CHECK(decide(DecisionRule::largest, 4, {1.0, NAN, INFINITY, NAN}, 0) == 1);  // the first of the largest
  CHECK(decide(DecisionRule::votes, 3, {1.0, NAN, 1.0}, 0) == 0);              // below 0: one vote each
  for (std::size_t at = 0; at < 3; ++at) {
    std::vector<double> scores{1.0, 9.0, 2.0};
    scores[at] = NAN;
    CHECK(decide(DecisionRule::largest, 3, scores, 0.1) == score::undecided);
  }
}

}  // namespace

const TestFile expanded_parts_tests([] {
  rows_of_combs_never_collide();
  strips_hold_what_was_cut();
  strips_take_columns_that_most_rows_have();
  ranks_are_sorted_and_counted();
  top_sums_add_the_largest();
  narrowed_bounds_still_bound();
  what_is_decided_cannot_change();
  what_is_clear_is_decided();
  what_is_not_a_number_is_never_sure();
});

}  // namespace gristmill
