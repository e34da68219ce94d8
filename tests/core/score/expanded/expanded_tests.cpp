// SPDX-License-Identifier: BSD-3-Clause
// The expanded engine as a whole, against the definition.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/errors.hpp"
#include "random_rows.hpp"
#include "score/batch.hpp"
#include "score/direct.hpp"
#include "score/expanded/scorer.hpp"
#include "score/expanded/tables_io.hpp"

namespace gristmill {
namespace {

// --- whole scorers ---------------------------------------------------------------------------------------------------

std::shared_ptr<const machine::SetMachine> random_machine(unsigned degree, std::size_t outputs, int features) {
  Random random(8);
  constexpr std::size_t support_rows = 120;
  OwnedRows support = random_rows(random, support_rows, 7, features);
  std::vector<double> coef(support_rows * outputs);
  for (double& a : coef) a = below(random, 17) - 8;
  return std::make_shared<const machine::SetMachine>(
      machine::SetMachine{kernel::PolynomialKernel{degree, 0.5, 1.0},
                          std::move(support.offsets),
                          std::move(support.ids),
                          {},
                          machine::Coefficients::dense(support_rows, outputs, coef),
                          std::vector<double>(outputs, 0.25)});
}

template <class Scorer>
std::vector<double> scores_of(const Scorer& scorer, rows::Rows x, std::size_t threads) {
  std::vector<double> out(x.size() * scorer.outputs());
  Silent observer;
  score::score_rows(scorer, x, out, threads, observer);
  return out;
}

void scores_equal_the_definition(const std::shared_ptr<const machine::SetMachine>& machine,
                                 const score::expanded::ExpandedOptions& options, rows::Rows x) {
  Silent observer;
  const score::expanded::ExpandedScorer scorer(machine, options, observer);
  const std::vector<double> wanted = scores_of(score::DirectScorer(machine), x, 1);
  const std::vector<double> got = scores_of(scorer, x, 1);
  CHECK(scores_of(scorer, x, 3) == got);
  bool close = true;
  for (std::size_t at = 0; at < got.size(); ++at) close = close && std::abs(got[at] - wanted[at]) <= 1e-9 * 1e6;
  CHECK(close || !options.keep.everything());
  CHECK(std::visit([&](const auto& tables) { return score::expanded::is_sound(tables, machine->support().size()); },
                   scorer.tables()));
  std::vector<double> missing(x.size());
  scorer.error_bounds(x, missing);
  std::vector<std::int32_t> classes(x.size());
  const std::vector<double> doubt(x.longest() + 1, 1e-6);
  const score::DecisionRule rule = machine->outputs() == 1 ? score::DecisionRule::sign : score::DecisionRule::largest;
  const score::DecisionPolicy policy{rule, static_cast<std::int32_t>(machine->outputs()), 0};
  const score::EarlyStopStats early_stops = score::decide_rows(scorer, x, policy, doubt, classes, 2, observer);
  CHECK(early_stops.skipped <= early_stops.features && early_stops.stopped <= early_stops.rows &&
        early_stops.rows <= x.size());
}

// Under the address sanitizer: probes, lines and lists stay inside, whatever the row.
void expanded_scorers_read_what_is_theirs() {
  Random random(9);
  for (const unsigned degree : {1U, 2U, 3U, 4U, 6U}) {
    for (const std::size_t outputs : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{11}}) {
      for (const int features : {1, 40, 400}) {
        const auto machine = random_machine(degree, outputs, features);
        OwnedRows x = random_rows(random, 150, 12, features + 5);
        std::set<FeatureId> all;
        for (FeatureId id = 0; id < std::min(features + 50, 90); ++id) all.insert(id);
        x.append(all);
        x.append({2147483646});
        if (outputs > 0) {
          scores_equal_the_definition(machine, {{}, std::nullopt, std::nullopt, {}}, x.view());
          scores_equal_the_definition(machine, {{0.5, 2}, std::nullopt, std::nullopt, {}}, x.view());
        }
        for (const std::size_t rare : {0, 2, 1000}) {
          if (outputs > 0) scores_equal_the_definition(machine, {{}, rare, std::nullopt, {}}, x.view());
        }
      }
    }
  }
}

// As where there are more common features than columns can tell apart.
void features_beyond_the_limit_are_compared() {
  Random random(10);
  Silent observer;
  for (const unsigned degree : {2U, 3U, 4U}) {
    for (const std::size_t outputs : {std::size_t{1}, std::size_t{3}}) {
      const auto machine = random_machine(degree, outputs, 60);
      const OwnedRows x = random_rows(random, 80, 12, 65);
      for (const rows::Rank limit : {0U, 1U, 17U}) {
        score::expanded::ExpandedOptions options{{}, std::size_t{0}, std::nullopt, {}};
        options.common_limit = limit;
        CHECK(score::expanded::ExpandedScorer(machine, options, observer).lines().common == limit);
        scores_equal_the_definition(machine, options, x.view());
      }
    }
  }
}

// What thresholds leave of the features beyond the limit is within the bound: all of it or nothing, and nothing takes
// no memory.
void thresholds_drop_a_rare_feature_as_a_whole() {
  Random random(11);
  Silent observer;
  const auto machine = random_machine(3, 2, 300);
  const OwnedRows x = random_rows(random, 80, 12, 310);
  const std::vector<double> wanted = scores_of(score::DirectScorer(machine), x.view(), 1);
  std::size_t last = ~std::size_t{0};
  for (const std::size_t xi : {2, 4, 8, 1000}) {
    score::expanded::ExpandedOptions options{{0.25, xi}, std::nullopt, std::nullopt, {}};
    options.common_limit = 20;
    const score::expanded::ExpandedScorer scorer(machine, options, observer);
    const std::vector<double> got = scores_of(scorer, x.view(), 1);
    std::vector<double> missing(x.view().size());
    scorer.error_bounds(x.view(), missing);
    bool within = true;
    for (std::size_t at = 0; at < got.size(); ++at) {
      within = within && std::abs(got[at] - wanted[at]) <= missing[at / 2] + 1e-9 * 1e6;
    }
    CHECK(within);
    CHECK(scorer.nbytes() < last);
    last = scorer.nbytes();
    scores_equal_the_definition(machine, options, x.view());  // but for what is missing
  }
}

void building_can_be_stopped() {
  struct Stop final : Observer {
    bool advance(std::size_t, std::size_t) override { return false; }
  } observer;
  CHECK(throws<Interrupted>([&] { (void)score::expanded::ExpandedScorer(random_machine(3, 1, 40), {}, observer); }));
}

void what_does_not_fit_is_refused() {
  Silent observer;
  const score::expanded::ExpandedOptions options{{}, std::size_t{0}, std::size_t{100}, {}};
  CHECK(throws<std::length_error>(
      [&] { (void)score::expanded::ExpandedScorer(random_machine(3, 1, 40), options, observer); }));
}

}  // namespace

const TestFile expanded_tests([] {
  expanded_scorers_read_what_is_theirs();
  features_beyond_the_limit_are_compared();
  thresholds_drop_a_rare_feature_as_a_whole();
  building_can_be_stopped();
  what_does_not_fit_is_refused();
});

}  // namespace gristmill
