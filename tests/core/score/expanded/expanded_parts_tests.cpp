// SPDX-License-Identifier: BSD-3-Clause
// The parts of the expanded engine, each against a few obvious lines.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "random_rows.hpp"
#include "score/decision/decision.hpp"
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
  std::vector<std::uint32_t> check(packing.slots, score::expanded::no_column<std::uint32_t>);
  std::vector<std::size_t> owner(packing.slots, combs.size());
  for (std::size_t row = 0; row < combs.size(); ++row) {
    for (const rows::Rank column : combs[row]) {
      const std::size_t slot = packing.shift[row] + column;
      if (slot == 0 || slot >= packing.slots || owner[slot] != combs.size()) return false;
      check[slot] = column;
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

std::int32_t class_of(score::decision::Rule rule, const std::vector<double>& scores, std::size_t classes,
                      bool zero_wins) {
  if (rule == score::decision::Rule::sign) return scores[0] > 0 || (zero_wins && scores[0] == 0) ? 1 : 0;
  if (rule == score::decision::Rule::largest)
    return static_cast<std::int32_t>(std::ranges::max_element(scores) - scores.begin());
  std::vector<int> votes(classes, 0);
  std::size_t output = 0;
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t j = i + 1; j < classes; ++j, ++output) {
      ++votes[scores[output] > 0 || (zero_wins && scores[output] == 0) ? i : j];
    }
  }
  return static_cast<std::int32_t>(std::ranges::max_element(votes) - votes.begin());
}

// Every way to move every score by -1, 0 or 1, times a bound of half of `apart` for the largest.
bool all_moves_agree(score::decision::Rule rule, const std::vector<double>& scores, std::size_t classes, double apart,
                     std::int32_t value) {
  const double step = rule == score::decision::Rule::largest ? apart / 2 : apart;
  std::size_t moves = 1;
  for (std::size_t at = 0; at < scores.size(); ++at) moves *= 3;
  for (std::size_t move = 0; move < moves; ++move) {
    std::vector<double> moved = scores;
    std::size_t rest = move;
    for (double& score : moved) {
      score += step * (static_cast<double>(rest % 3) - 1);
      rest /= 3;
    }
    if (class_of(rule, moved, classes, false) != value || class_of(rule, moved, classes, true) != value) return false;
  }
  return true;
}

void what_is_decided_cannot_change() {
  Random random(5);
  std::vector<std::int32_t> votes;
  for (const auto& [rule, classes] :
       std::vector<std::pair<score::decision::Rule, std::size_t>>{{score::decision::Rule::sign, 2},
                                                                  {score::decision::Rule::largest, 1},
                                                                  {score::decision::Rule::largest, 2},
                                                                  {score::decision::Rule::largest, 4},
                                                                  {score::decision::Rule::votes, 2},
                                                                  {score::decision::Rule::votes, 3},
                                                                  {score::decision::Rule::votes, 4}}) {
    const std::size_t outputs = rule == score::decision::Rule::sign      ? 1
                                : rule == score::decision::Rule::largest ? classes
                                                                         : classes * (classes - 1) / 2;
    std::size_t decided = 0;
    for (int trial = 0; trial < 400; ++trial) {
      std::vector<double> scores(outputs);
      for (double& score : scores) score = below(random, 21) - 10;
      const double apart = 2 * below(random, 5);
      const std::int32_t value = score::decision::decided_class(rule, scores, apart, votes);
      if (value == score::decision::undecided) continue;
      ++decided;
      CHECK(all_moves_agree(rule, scores, classes, apart, value));
    }
    CHECK(decided > 50);
  }
}

void what_is_clear_is_decided() {
  std::vector<std::int32_t> votes;
  const auto decide = [&](score::decision::Rule rule, const std::vector<double>& scores, double apart) {
    return score::decision::decided_class(rule, scores, apart, votes);
  };
  CHECK(decide(score::decision::Rule::sign, {2.0}, 1.0) == 1 && decide(score::decision::Rule::sign, {-2.0}, 1.0) == 0);
  CHECK(decide(score::decision::Rule::sign, {1.0}, 1.0) == score::decision::undecided &&
        decide(score::decision::Rule::sign, {NAN}, 1.0) == score::decision::undecided);
  CHECK(decide(score::decision::Rule::largest, {1.0, 4.0, 2.0}, 1.0) == 1 &&
        decide(score::decision::Rule::largest, {1.0, 4.0, 2.0}, 2.0) == score::decision::undecided);
  CHECK(decide(score::decision::Rule::largest, {}, 0.0) == score::decision::undecided);
  CHECK(decide(score::decision::Rule::votes, {}, 1.0) == 0);  // one class has no pairs
  CHECK(decide(score::decision::Rule::votes, {5.0, 5.0, 0.5}, 1.0) ==
        0);  // who comes second is open and does not matter
  CHECK(decide(score::decision::Rule::votes, {-5.0, 5.0, 0.5}, 1.0) == score::decision::undecided);
  CHECK(decide(score::decision::Rule::votes, {5.0, -5.0, 5.0}, 1.0) == 0);  // one vote each: the first
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
});

}  // namespace gristmill
