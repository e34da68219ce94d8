// SPDX-License-Identifier: BSD-3-Clause
// Machines of given conjunctions: the tables and the index against the definition, and within their arrays.
#include <memory>
#include <stdexcept>
#include <utility>

#include "random_rows.hpp"
#include "score/batch.hpp"
#include "score/conjunction_direct.hpp"
#include "score/conjunction_inverted.hpp"
#include "score/expanded/scorer.hpp"
#include "score/expanded/tables_io.hpp"

namespace gristmill {
namespace {

using score::expanded::ExpandedScorer;

std::shared_ptr<const machine::ConjunctionMachine> random_given(Random& random, int longest, std::size_t outputs,
                                                                int features) {
  const std::size_t rows = static_cast<std::size_t>(below(random, 80));
  OwnedRows support = random_rows(random, rows, longest, features);
  std::vector<double> coef(rows * outputs);
  for (double& a : coef) a = below(random, 9) - 4;
  return std::make_shared<const machine::ConjunctionMachine>(machine::ConjunctionMachine{
      std::move(support.offsets), std::move(support.ids), machine::Coefficients::dense(rows, outputs, coef),
      std::vector<double>(outputs, 0.25)});
}

template <class Scorer>
std::vector<double> given_scores(const Scorer& scorer, rows::Rows x, std::size_t threads) {
  std::vector<double> out(x.size() * scorer.outputs());
  Silent observer;
  score::score_rows(scorer, x, out, threads, observer);
  return out;
}

std::shared_ptr<const machine::ConjunctionMachine> long_one() {
  OwnedRows support;
  std::set<FeatureId> ids;
  for (FeatureId id = 0; id < 13; ++id) ids.insert(id);
  support.append(ids);
  return std::make_shared<const machine::ConjunctionMachine>(machine::ConjunctionMachine{
      std::move(support.offsets), std::move(support.ids), machine::Coefficients::dense(1, 1, {1.0}), {0.0}});
}

// Coefficients are small whole numbers, so sums are exact in any order.
void given_tables_equal_the_definition() {
  Random random(11);
  Silent observer;
  for (const int longest : {0, 1, 2, 3, 5, 12}) {
    for (const std::size_t outputs : {std::size_t{1}, std::size_t{2}, std::size_t{11}}) {
      for (const int features : {1, 9, 200}) {
        const auto machine = random_given(random, longest, outputs, features);
        OwnedRows x = random_rows(random, 60, 12, features + 5);
        x.append({2147483646});
        const std::vector<double> wanted = given_scores(score::ConjunctionDirect(machine), x.view(), 1);
        CHECK(given_scores(score::ConjunctionInverted(machine), x.view(), 2) == wanted);
        for (const rows::Rank common : {0U, 1U, 130U, 65534U}) {
          const ExpandedScorer scorer(machine, score::expanded::GivenOptions{std::nullopt, 8, common}, observer);
          CHECK(given_scores(scorer, x.view(), 1) == wanted);
          CHECK(given_scores(scorer, x.view(), 3) == wanted);
          CHECK(std::visit([&](const auto& t) { return score::expanded::is_sound(t, machine->support().size()); },
                           scorer.tables()));
          std::vector<std::int32_t> classes(x.view().size());
          const std::vector<double> doubt(x.view().longest() + 1, 1e-9);
          const auto rule = outputs == 1 ? score::DecisionRule::sign : score::DecisionRule::largest;
          const score::DecisionPolicy policy{rule, static_cast<std::int32_t>(outputs == 1 ? 2 : outputs), 0};
          score::decide_rows(scorer, x.view(), policy, doubt, classes, 2, observer);
        }
      }
    }
  }
}

void given_tables_keep_within_their_room() {
  Random random(12);
  Silent observer;
  const auto machine = random_given(random, 3, 2, 50);
  const score::expanded::GivenOptions options{std::size_t{1000}, 8, 65534};
  CHECK(throws<std::length_error>([&] { (void)ExpandedScorer(machine, options, observer); }));
  CHECK(throws<std::invalid_argument>([&] { (void)ExpandedScorer(long_one(), {}, observer); }));
}

}  // namespace

const TestFile given_tests([] {
  given_tables_equal_the_definition();
  given_tables_keep_within_their_room();
});

}  // namespace gristmill
