// SPDX-License-Identifier: BSD-3-Clause
// The parts of the online learners, each against a few obvious lines.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>

#include "base/edge_map.hpp"
#include "checks.hpp"
#include "solve/online/coloured_records.hpp"
#include "solve/online/conjunction_trie.hpp"
#include "solve/online/dense_conjunctions.hpp"
#include "solve/online/pushed_margins.hpp"
#include "solve/online/rank_table.hpp"
#include "solve/online/sliced_margins.hpp"
#include "solve/online/trainer.hpp"

namespace gristmill {
namespace {

using Random = std::mt19937;
using Int = std::int64_t;

std::vector<rows::Rank> random_ranks(Random& random, std::size_t longest, rows::Rank features) {
  std::set<rows::Rank> ranks;
  for (std::size_t i = random() % (longest + 1); i > 0; --i) {
    ranks.insert(static_cast<rows::Rank>(random() % (1 + random() % features)));
  }
  return {ranks.begin(), ranks.end()};
}

solve::online::RankRows random_rank_rows(Random& random, std::size_t count, std::size_t longest, rows::Rank features) {
  solve::online::RankRows rows;
  for (std::size_t row = 0; row < count; ++row) rows.append(random_ranks(random, longest, features));
  return rows;
}

std::size_t shared(std::span<const rows::Rank> a, std::span<const rows::Rank> b) {
  std::vector<rows::Rank> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both.size();
}

void edges_lead_where_they_did() {
  Random random(1);
  EdgeMap edges;
  std::map<std::pair<EdgeMap::Node, std::uint32_t>, EdgeMap::Node> expected;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto node = static_cast<EdgeMap::Node>(random() % (i % 2 == 0 ? edges.size() : 50));
    const auto label = static_cast<std::uint32_t>(i % 3 == 0 ? random() : random() % 50);
    const auto found = expected.find({node, label});
    CHECK(edges.find(node, label) == (found == expected.end() ? EdgeMap::none : found->second));
    if (random() % 2 == 0) {
      const EdgeMap::Node child = edges.make(node, label);
      CHECK(found == expected.end() ? child == edges.size() - 1 : child == found->second);
      expected[{node, label}] = child;
    }
  }
  CHECK(edges.size() == expected.size() + 1);
}

// Whatever has a colour is counted, and nothing else.
void records_count_what_rows_share() {
  Random random(2);
  for (const std::size_t longest : {0, 3, 12, 40, 100}) {
    const solve::online::RankRows rows = random_rank_rows(random, 300, longest, 400);
    const solve::online::Postings holders = solve::online::postings_of(rows, 400);
    const solve::online::ColouredRecords records(holders, rows);
    std::vector<RowId> all(rows.size());
    for (std::size_t row = 0; row < all.size(); ++row) all[row] = static_cast<RowId>(row);
    std::vector<std::uint32_t> overlaps(rows.size());
    for (std::size_t row = 0; row < 50; ++row) {
      std::vector<rows::Rank> coloured;
      solve::online::ColouredRecords::Probe probe;
      for (const rows::Rank rank : rows[row]) {
        if (records.insert(rank, probe)) coloured.push_back(rank);
      }
      CHECK(longest > 12 || coloured.size() == rows[row].size());
      records.overlaps(all, probe, overlaps.data());
      for (std::size_t other = 0; other < rows.size(); ++other) CHECK(overlaps[other] == shared(coloured, rows[other]));
    }
    const std::vector<rows::Rank> foreign = random_ranks(random, 40, 400);  // a row that was not coloured
    std::vector<rows::Rank> taken;
    solve::online::ColouredRecords::Probe probe;
    for (const rows::Rank rank : foreign) {
      if (records.insert(rank, probe)) taken.push_back(rank);
    }
    records.overlaps(all, probe, overlaps.data());
    for (std::size_t other = 0; other < rows.size(); ++other) CHECK(overlaps[other] == shared(taken, rows[other]));
  }
}

void holders_are_the_rows_that_have_a_feature() {
  Random random(3);
  const solve::online::RankRows rows = random_rank_rows(random, 100, 10, 30);
  const solve::online::Postings holders = solve::online::postings_of(rows, 31);
  for (rows::Rank rank = 0; rank < 31; ++rank) {
    std::vector<RowId> expected;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (std::ranges::binary_search(rows[row], rank)) expected.push_back(static_cast<RowId>(row));
    }
    CHECK(std::ranges::equal(expected, holders[rank]));
  }
}

// Sums over the slices of a row, by the kernel: k(overlap) - k(0), over all steps.
std::vector<Int> expected_scores(const solve::online::RankRows& rows,
                                 const std::vector<solve::online::Step<Int>>& steps,
                                 const kernel::PolynomialKernel& kernel, std::size_t outputs,
                                 std::span<const rows::Rank> x) {
  std::vector<Int> scores(outputs, 0);
  const std::vector<Int> values = solve::online::kernel_values<Int>(kernel, 100);
  for (const auto& step : steps)
    solve::online::add_step(step, values[shared(rows[step.row], x)] - values[0], std::span(scores));
  return scores;
}

// The same scores from the trie and from the tables after each of 500 steps, also after numbers outgrew 32 bits and
// after shrinking.
void conjunctions_add_up_to_kernels() {
  Random random(4);
  for (const unsigned degree : {1, 2, 3}) {
    for (const std::size_t outputs : {1, 3, 6}) {
      for (const Int size : {Int{1}, Int{1} << 30}) {
        const kernel::PolynomialKernel kernel{degree, 2.0, 1.0};
        solve::online::ConjunctionTrie<Int> trie(kernel, outputs);
        solve::online::DenseConjunctions<Int> tables(kernel, 40, outputs);
        const solve::online::RankRows rows = random_rank_rows(random, 500, 8, 40);
        std::vector<solve::online::Step<Int>> steps;
        const auto check = [&](rows::Rank limit) {
          const std::vector<rows::Rank> x = random_ranks(random, 8, limit);
          const std::vector<Int> expected = expected_scores(rows, steps, kernel, outputs, x);
          std::vector<Int> by_trie(outputs, 0);
          for (std::size_t at = 0; at < x.size(); ++at) trie.add_slice(std::span(x).first(at + 1), by_trie);
          std::vector<Int> by_tables(outputs, 0);
          tables.add_slices(x, 0, by_tables);
          CHECK(by_trie == expected && by_tables == expected);
        };
        for (RowId row = 0; row < rows.size(); ++row) {
          const auto output = static_cast<std::int32_t>(random() % outputs);
          steps.push_back({row, output, outputs == 1 ? -1 : static_cast<std::int32_t>((output + 1U) % outputs),
                           size * static_cast<Int>(1 + random() % 3), 0});
          for (std::size_t at = 0; at < rows[row].size(); ++at) trie.add(rows[row].first(at + 1), steps.back());
          tables.add(rows[row], steps.back());
          check(40);
        }
        tables.shrink(11);
        for (int trial = 0; trial < 20; ++trial) check(11);
      }
    }
  }
}

using Set = unsigned;  // of ranks below 6, a bit each

constexpr Set all_sets = 1U << 6;

std::vector<rows::Rank> ranks_of(Set set) {
  std::vector<rows::Rank> ranks;
  for (rows::Rank rank = 0; rank < 6; ++rank) {
    if ((set >> rank & 1U) != 0) ranks.push_back(rank);
  }
  return ranks;
}

// By conjunction: the sum over all steps whose rows hold it, times the weight of its size (docs/formulas.md A4).
std::vector<Int> expanded_at_once(const std::vector<Set>& sets, const std::vector<Int>& sizes,
                                  const std::vector<Int>& by_size) {
  std::vector<Int> weights(all_sets, 0);
  for (Set conjunction = 1; conjunction < weights.size(); ++conjunction) {
    const auto size = static_cast<std::size_t>(std::popcount(conjunction));
    for (std::size_t step = 0; step < sets.size() && size < by_size.size(); ++step) {
      if ((conjunction & ~sets[step]) == 0) weights[conjunction] += sizes[step] * by_size[size];
    }
  }
  return weights;
}

// By conjunction, from the slices alone: that of a set, less the weights of its parts that have the same last feature.
template <class Slice>
std::vector<Int> weights_from(const Slice& slice) {
  std::vector<Int> weights(all_sets, 0);
  for (Set set = 1; set < weights.size(); ++set) {
    weights[set] = slice(ranks_of(set));
    const Set last = std::bit_floor(set);
    for (Set part = (set - 1) & set; part >= last; part = (part - 1) & set) weights[set] -= weights[part];
  }
  return weights;
}

// Every single weight, after each of 500 steps up and down, is that of the expansion of all steps so far.
void weights_are_those_of_the_batch_expansion_after_every_step() {
  Random random(10);
  for (const unsigned degree : {2, 3}) {
    const kernel::PolynomialKernel kernel{degree, 1.0, 1.0};
    const std::vector<Int> by_size = solve::online::subset_weights<Int>(kernel);
    solve::online::ConjunctionTrie<Int> trie(kernel, 1);
    solve::online::DenseConjunctions<Int> tables(kernel, 6, 1);
    std::vector<Set> sets;
    std::vector<Int> sizes;
    for (RowId row = 0; row < 500; ++row) {
      sets.push_back(random() % all_sets);
      const std::vector<rows::Rank> ranks = ranks_of(sets.back());
      const bool up = random() % 2 == 0;
      const solve::online::Step<Int> step{row, up ? 0 : -1, up ? -1 : 0, static_cast<Int>(1 + random() % 9), 0};
      sizes.push_back(up ? step.size : -step.size);
      for (std::size_t at = 0; at < ranks.size(); ++at) trie.add(std::span(ranks).first(at + 1), step);
      tables.add(ranks, step);
      const std::vector<Int> expected = expanded_at_once(sets, sizes, by_size);
      CHECK(expected == weights_from([&](const std::vector<rows::Rank>& x) {
              std::vector<Int> slice(1, 0);
              trie.add_slice(x, slice);
              return slice[0];
            }));
      CHECK(expected == weights_from([&](const std::vector<rows::Rank>& x) {
              std::vector<Int> slice(1, 0);
              tables.add_slices(x, x.size() - 1, slice);
              return slice[0];
            }));
    }
  }
}

// What a feature adds to those before it, over the first so many steps that have it (docs/formulas.md B2 (4)).
std::vector<Int> expected_slice(const solve::online::SupportLog<Int>& log, const kernel::PolynomialKernel& kernel,
                                std::size_t outputs, std::span<const rows::Rank> ranks, std::size_t steps) {
  std::vector<Int> slice(outputs, 0);
  const std::vector<Int> values = solve::online::kernel_values<Int>(kernel, 100);
  for (const auto& step : log.steps) {
    if (!std::ranges::binary_search(log.rows[step.row], ranks.back()) || steps == 0) continue;
    --steps;
    const std::size_t overlap = shared(log.rows[step.row], ranks.first(ranks.size() - 1));
    solve::online::add_step(step, values[overlap + 1] - values[overlap], std::span(slice));
  }
  return slice;
}

// Every stored partial margin is what it claims to be, and so are the sums that bounds are made of, after every step.
void what_is_remembered_is_right() {
  Random random(5);
  for (const std::size_t outputs : {1, 3}) {
    const kernel::PolynomialKernel kernel{3, 1.0, 1.0};
    const solve::online::RankRows rows = random_rank_rows(random, 40, 7, 12);
    const solve::online::SliceOptions options{6, true, true, false, std::nullopt};
    solve::online::SlicedMargins<Int> margins(kernel, outputs, options, {{}, 20});
    solve::online::SupportLog<Int> log{rows, {}};
    std::vector<Int> scores(outputs);
    std::size_t checked = 0;
    for (int visit = 0; visit < 200; ++visit) {
      const std::size_t example = random() % rows.size();
      CHECK(margins.scores({example, rows[example]}, 0, log, scores));
      CHECK(margins.remembered(rows[example]).has_value());
      for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t length = 1; length <= rows[row].size(); ++length) {
          const auto prefix = rows[row].first(length);
          const auto remembered = margins.remembered(prefix);
          if (!remembered) continue;
          const auto expected = expected_slice(log, kernel, outputs, prefix, remembered->steps);
          CHECK(std::ranges::equal(remembered->slice, expected));
          ++checked;
        }
      }
      const bool up = random() % 2 == 0;
      const auto row = static_cast<RowId>(random() % rows.size());
      log.steps.push_back({row, up ? 0 : -1, up ? -1 : 0, static_cast<Int>(1 + random() % 9), 0});
      margins.add(log);
      for (rows::Rank rank = 0; rank < 12; ++rank) {
        solve::online::SlicedMargins<Int>::Sums sums;
        for (const auto& step : log.steps) {
          if (!std::ranges::binary_search(rows[step.row], rank)) continue;
          (step.up == 0 ? sums.positive : sums.negative) += step.up == 0 ? step.size : -step.size;
        }
        CHECK(margins.sums(rank).positive == sums.positive && margins.sums(rank).negative == sums.negative);
      }
    }
    CHECK(checked > 1000);
  }
}

// Features that were never seen together have nothing remembered. Their first slice is formula (4): all steps by the
// kernel, none left out and none from before.
void the_first_visit_of_a_prefix_takes_all_steps() {
  Random random(11);
  const kernel::PolynomialKernel kernel{3, 1.0, 1.0};
  const solve::online::RankRows rows = random_rank_rows(random, 80, 7, 12);
  for (const std::size_t expanded : {0, 6}) {
    solve::online::SlicedMargins<Int> margins(kernel, 1, {expanded, true, true, false, std::nullopt}, {{}, 20});
    solve::online::SupportLog<Int> log{rows, {}};
    std::vector<Int> score(1);
    std::size_t after_steps = 0;
    for (std::size_t example = 0; example < rows.size(); ++example) {
      const std::span<const rows::Rank> x = rows[example];
      std::size_t known = 0;
      while (known < x.size() && margins.remembered(x.first(known + 1))) ++known;
      CHECK(margins.scores({example, x}, 0, log, score));
      for (std::size_t length = known + 1; length <= x.size(); ++length) {
        const auto holds = [&](const auto& step) { return std::ranges::binary_search(rows[step.row], x[length - 1]); };
        const auto steps = static_cast<std::size_t>(std::ranges::count_if(log.steps, holds));
        const auto found = margins.remembered(x.first(length));
        CHECK(found && found->steps == steps &&
              std::ranges::equal(found->slice, expected_slice(log, kernel, 1, x.first(length), steps)));
        after_steps += steps > 0 ? 1 : 0;
      }
      log.steps.push_back({static_cast<RowId>(random() % rows.size()), 0, -1, static_cast<Int>(1 + random() % 9), 0});
      margins.add(log);
    }
    CHECK(after_steps > 30);
  }
}

// How much memory conjunctions take before and after they are asked for, all of 100 steps; scores are checked.
template <class Number>
std::pair<std::size_t, std::size_t> memory_before_and_after_scores() {
  Random random(12);
  const kernel::PolynomialKernel kernel{3, 1.0, 1.0};
  const std::vector<Int> values = solve::online::kernel_values<Int>(kernel, 100);
  const solve::online::RankRows rows = random_rank_rows(random, 100, 9, 60);
  solve::online::SlicedMargins<Number> margins(kernel, 1, {}, {{}, 20});
  solve::online::SupportLog<Number> log{rows, {}};
  for (RowId row = 0; row < rows.size(); ++row) {
    log.steps.push_back({row, 0, -1, Number{1}, 0});
    margins.add(log);
  }
  const std::size_t before = margins.expansion_nbytes();
  std::vector<Number> score(1);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    CHECK(margins.scores({row, rows[row]}, 0, log, score));
    Int expected = 0;
    for (std::size_t other = 0; other < rows.size(); ++other) expected += values[shared(rows[row], rows[other])];
    CHECK(score[0] == static_cast<Number>(expected));
  }
  return {before, margins.expansion_nbytes()};
}

// In integers, that is; sums of doubles depend on their order, so doubles take them in with each step.
void conjunctions_are_taken_in_when_they_are_asked_for() {
  const std::size_t empty = solve::online::ConjunctionTrie<Int>({3, 1.0, 1.0}, 1).nbytes();
  const auto [before, after] = memory_before_and_after_scores<Int>();
  CHECK(before == empty && after > 10 * empty);
  const auto [whole, same] = memory_before_and_after_scores<double>();
  CHECK(whole == same && whole > 10 * empty);
}

// Rarest features first: what is not registered is not enumerated. Of 2,000 features there are more than 10^16
// conjunctions of six.
void lookups_end_where_nothing_is_registered() {
  const kernel::PolynomialKernel kernel{6, 1.0, 1.0};
  const std::vector<std::vector<rows::Rank>> support{{1, 50, 60, 70, 1999}, {7}, {3, 1998, 1999}};
  solve::online::RankRows rows;
  for (const auto& ranks : support) rows.append(ranks);
  solve::online::ConjunctionTrie<Int> trie(kernel, 1);
  std::vector<solve::online::Step<Int>> steps;
  for (RowId row = 0; row < rows.size(); ++row) {
    steps.push_back({row, 0, -1, static_cast<Int>(1 + row), 0});
    for (std::size_t at = 0; at < rows[row].size(); ++at) trie.add(rows[row].first(at + 1), steps.back());
  }
  std::vector<rows::Rank> x(2000);
  std::iota(x.begin(), x.end(), rows::Rank{0});
  std::vector<Int> score(1, 0);
  for (std::size_t at = 0; at < x.size(); ++at) trie.add_slice(std::span(x).first(at + 1), score);
  CHECK(score == expected_scores(rows, steps, kernel, 1, x));
}

// Halving the expanded features keeps to the memory allowed and leaves margins as they are.
void shrinking_changes_no_score() {
  Random random(6);
  constexpr std::size_t allowed = 20'000;
  const kernel::PolynomialKernel kernel{3, 1.0, 1.0};
  const solve::online::RankRows rows = random_rank_rows(random, 200, 9, 60);
  solve::online::SlicedMargins<Int> free(kernel, 1, {60, true, false, false, std::nullopt}, {{}, 20});
  solve::online::SlicedMargins<Int> tight(kernel, 1, {60, true, false, false, allowed}, {{}, 20});
  solve::online::SupportLog<Int> log{rows, {}};
  std::set<std::size_t> sizes;
  for (RowId row = 0; row < rows.size(); ++row) {
    log.steps.push_back({row, 0, -1, static_cast<Int>(1 + random() % 9), 0});
    free.add(log);
    tight.add(log);
    sizes.insert(tight.expanded());
    std::vector<Int> one(1);
    std::vector<Int> other(1);
    const std::size_t example = random() % rows.size();
    CHECK(free.scores({example, rows[example]}, 0, log, one) && tight.scores({example, rows[example]}, 0, log, other));
    CHECK(one == other && tight.expansion_nbytes() <= allowed);
  }
  CHECK(sizes.size() > 2 && free.expansion_nbytes() > 2 * allowed);
}

// Formula 7: d = 2: one step; d = 3: j / 2 of them; d = 4: j / 2 + (j - 2)(j - 3) / 6.
void the_shorter_way_is_taken() {
  for (std::size_t before = 1; before < 30; ++before) {
    const std::size_t j = before + 1;
    for (std::size_t steps = 0; steps < 200; ++steps) {
      CHECK(solve::online::kernel_is_shorter(before, steps, 2) == (steps <= 1));
      CHECK(solve::online::kernel_is_shorter(before, steps, 3) == (2 * steps <= j));
      CHECK(solve::online::kernel_is_shorter(before, steps, 4) == (6 * steps <= 3 * j + (j - 2) * (j > 2 ? j - 3 : 0)));
    }
  }
  CHECK(solve::online::kernel_is_shorter(0, 1, 3) && !solve::online::kernel_is_shorter(0, 2, 3));
  for (std::size_t before = 1; before < 12; ++before) {  // by counting, for all degrees
    for (unsigned degree = 1; degree <= 6; ++degree) {
      std::size_t conjunctions = 0;
      for (unsigned others = 0; others < 1U << before; ++others) {
        conjunctions += static_cast<unsigned>(std::popcount(others)) < degree ? 1 : 0;
      }
      for (std::size_t steps = 0; steps < 100; ++steps) {
        CHECK(solve::online::kernel_is_shorter(before, steps, degree) == (1 + steps * before <= conjunctions));
      }
    }
  }
}

void books_rank_by_frequency_then_by_appearance() {
  OwnedRows first;
  first.append({5, 7});
  first.append({7, 2'000'000'000});
  solve::online::RankTable book;
  book.rank_by_frequency(first.view());
  std::vector<rows::Rank> ranks;
  const std::vector<FeatureId> ids{3, 5, 7, 2'000'000'000};
  book.translate(ids, ranks);
  CHECK((ranks == std::vector<rows::Rank>{0, 1, 2, 3}));
  CHECK((book.ids() == std::vector<FeatureId>{7, 5, 2'000'000'000, 3}));
}

// Around the border between ids that stand in a table and those that do not.
void books_know_every_id_again() {
  solve::online::RankTable book;
  std::vector<FeatureId> ids;
  for (FeatureId id = (1 << 22) - 1000; id < (1 << 22) + 1000; id += 100) ids.push_back(id);
  std::vector<rows::Rank> ranks;
  std::vector<rows::Rank> again;
  book.translate(ids, ranks);
  book.translate_known(ids, again);
  CHECK(ranks.size() == ids.size() && ranks == again);
  for (const FeatureId id : ids) {
    book.translate_known(std::span(&id, 1), again);
    CHECK(again.size() == 1 && book.ids()[again[0]] == id);
  }
}

void integers_are_refused_before_they_overflow() {
  CHECK(throws<solve::online::TooNarrow>([] { (void)solve::online::kernel_values<Int>({6, 1000.0, 1.0}, 100); }));
  CHECK(solve::online::kernel_values<solve::online::Wide>({6, 1000.0, 1.0}, 100).size() == 101);
  CHECK((solve::online::subset_weights<Int>({3, 1.0, 1.0}) == std::vector<Int>{1, 7, 12, 6}));
}

void blocks_are_planned_where_they_pay() {
  Random random(8);
  for (const std::size_t longest : {4, 150}) {
    const solve::online::RankRows rows = random_rank_rows(random, 3000, longest, 400);
    std::vector<RowId> order(rows.size());
    std::iota(order.begin(), order.end(), RowId{0});
    for (const std::size_t threads : {1, 2}) {
      Crew crew(threads);
      solve::online::PushedMargins<Int> margins({3, 1.0, 1.0}, 1, std::nullopt);
      const solve::online::SupportLog<Int> log;
      margins.expect(rows, log, crew);
      margins.begin_pass(false, log);
      const std::size_t prepared = margins.look_ahead(order, log);
      CHECK((prepared < rows.size()) == (threads > 1 && longest > 4));
    }
  }
}

// Under the thread sanitizer: blocks, pushes by range and the steps between them.
void threads_learn_the_same() {
  Random random(9);
  OwnedRows rows;
  std::vector<std::int32_t> labels;
  for (std::size_t row = 0; row < 4000; ++row) {
    const std::vector<rows::Rank> ranks = random_ranks(random, 40, 300);
    rows.append(std::set<FeatureId>(ranks.begin(), ranks.end()));
    labels.push_back(static_cast<std::int32_t>(ranks.size() % 2));
  }
  for (const std::size_t outputs : {1, 2}) {
    std::vector<solve::online::OnlineTrainer::State> states;
    for (const std::size_t threads : {1, 2, 4}) {
      solve::online::OnlineOptions options;
      options.kernel = {3, 1.0, 1.0};
      options.outputs = outputs;
      options.exponent = 40;
      options.engine = solve::online::OnlineEngine::pushed;
      options.block = 300;
      solve::online::OnlineTrainer trainer(options);
      Silent observer;
      trainer.learn({rows.view(), labels, {}, 2, std::nullopt, 0, threads}, observer);
      states.push_back(trainer.state());
    }
    CHECK(states[0].units.size() > 100);
    for (const solve::online::OnlineTrainer::State& state : states) {
      CHECK(state.rows == states[0].rows && state.units == states[0].units && state.times == states[0].times);
    }
  }
}

}  // namespace

const TestFile online_tests([] {
  edges_lead_where_they_did();
  records_count_what_rows_share();
  holders_are_the_rows_that_have_a_feature();
  conjunctions_add_up_to_kernels();
  weights_are_those_of_the_batch_expansion_after_every_step();
  the_first_visit_of_a_prefix_takes_all_steps();
  conjunctions_are_taken_in_when_they_are_asked_for();
  lookups_end_where_nothing_is_registered();
  what_is_remembered_is_right();
  shrinking_changes_no_score();
  the_shorter_way_is_taken();
  blocks_are_planned_where_they_pay();
  books_rank_by_frequency_then_by_appearance();
  books_know_every_id_again();
  integers_are_refused_before_they_overflow();
  threads_learn_the_same();
});

}  // namespace gristmill
