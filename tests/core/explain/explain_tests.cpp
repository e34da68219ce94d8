// SPDX-License-Identifier: BSD-3-Clause
// Explanations add up to the scores of the definition, for all shapes of rows, for any number of threads.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "explain/explain_rows.hpp"
#include "explain/node_shares.hpp"
#include "explain/pair_totals.hpp"
#include "explain/product_shapley.hpp"
#include "explain/reference_shapley.hpp"
#include "explain/set_reference.hpp"
#include "kernel/trees/tree_direct.hpp"
#include "random_rows.hpp"
#include "score/direct.hpp"
#include "slow_delta.hpp"

namespace gristmill {
namespace {

std::shared_ptr<const machine::SetMachine> random_machine(Random& random, std::size_t rows, int longest, int features,
                                                          std::size_t outputs,
                                                          kernel::SetKernel kernel = kernel::PolynomialKernel{3, 0.5,
                                                                                                              1.0}) {
  const OwnedRows support = random_rows(random, rows, longest, features);
  std::vector<double> coef(rows * outputs);
  for (double& a : coef) a = below(random, 17) - 8;
  return std::make_shared<const machine::SetMachine>(
      machine::SetMachine{std::move(kernel),
                          support.offsets,
                          support.ids,
                          {},
                          machine::Coefficients::dense(rows, outputs, std::move(coef)),
                          std::vector<double>(outputs, 0.25)});
}

std::vector<Offset> pair_starts(rows::Rows rows) {
  std::vector<Offset> starts{0};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    starts.push_back(starts.back() + static_cast<Offset>(explain::ShapleyExplainer::pairs(rows.length(row))));
  }
  return starts;
}

struct Told {
  std::vector<double> values;
  std::vector<double> pairs;

  friend bool operator==(const Told&, const Told&) = default;
};

Told told(const explain::ShapleyExplainer& explainer, rows::Rows rows, std::size_t threads) {
  Silent observer;
  const std::vector<Offset> starts = pair_starts(rows);
  Told found{std::vector<double>(rows.ids.size() * explainer.outputs()),
             std::vector<double>(static_cast<std::size_t>(starts.back()) * explainer.outputs())};
  explain::explain_rows(explainer, rows, found.values, starts, found.pairs, threads, observer);
  return found;
}

// f(x) - f(empty row), by the definition.
double kernel_increment(const score::DirectScorer& scorer, rows::Row x, std::size_t output) {
  std::vector<double> score(scorer.outputs());
  std::vector<double> empty(scorer.outputs());
  auto scratch = scorer.make_scratch();
  scorer.score(x, score, scratch);
  scorer.score({}, empty, scratch);
  return score[output] - empty[output];
}

// Few rows have postings alone, more have columns; rows of more than 255 features need wider counters.
void values_add_up_and_threads_agree(std::size_t support, int longest, int features, std::size_t outputs) {
  Random random(7);
  const auto machine = random_machine(random, support, longest, features, outputs);
  const OwnedRows rows = random_rows(random, 60, longest, features + 3);
  const explain::ShapleyExplainer explainer(machine);
  const score::DirectScorer direct(machine);
  const Told found = told(explainer, rows.view(), 1);
  CHECK(found == told(explainer, rows.view(), 3));
  Silent observer;
  std::vector<double> values(found.values.size());
  explain::explain_rows(explainer, rows.view(), values, {}, {}, 2, observer);
  CHECK(values == found.values);
  for (std::size_t row = 0; row < rows.view().size(); ++row) {
    for (std::size_t output = 0; output < outputs; ++output) {
      double sum = 0;
      const auto first = static_cast<std::size_t>(rows.offsets[row]);
      for (std::size_t at = first; at < first + rows.view().length(row); ++at) sum += values[at * outputs + output];
      const double wanted = kernel_increment(direct, rows.view()[row], output);
      CHECK(std::abs(sum - wanted) <= 1e-9 * (1 + std::pow(0.5 * longest + 1, 3) * 8 * static_cast<double>(support)));
    }
  }
}

void a_reference_of_nothing_is_what_the_index_computes() {
  Random random(11);
  const std::size_t outputs = 2;
  const auto machine = random_machine(random, 100, 8, 20, outputs);
  const OwnedRows rows = random_rows(random, 40, 8, 22);
  const std::size_t entries = rows.ids.size();
  const explain::ShapleyExplainer explainer(machine);
  const Told wanted = told(explainer, rows.view(), 1);
  std::vector<double> values(wanted.values.size(), 0.0);
  std::vector<double> pairs(wanted.pairs.size(), 0.0);
  Silent observer;
  const std::vector<double> ones(entries, 1.0);
  const std::vector<double> zeros(entries, 0.0);
  explain::ReferenceShapley(machine).explain({rows.view(), ones, zeros, {}, {}}, false, values, pairs, 2, observer);
  const auto close = [](double one, double other) { return std::abs(one - other) <= 1e-7; };
  CHECK(std::ranges::equal(values, wanted.values, close));
  CHECK(std::ranges::equal(pairs, wanted.pairs, close));
}

std::vector<kernel::SetKernel> set_kernels() {
  const auto fill = [](std::size_t x, std::span<const std::int32_t> lengths, std::span<double> out) {
    std::size_t at = 0;
    for (const std::int32_t length : lengths) {
      for (std::int32_t m = 0; m <= length; ++m, ++at) {
        out[at] = static_cast<std::size_t>(m) <= x ? m / (1.0 + static_cast<double>(x) + length) : 0.0;
      }
    }
  };
  return {kernel::RbfKernel{0.3}, kernel::TanimotoKernel{}, kernel::SigmoidKernel{0.5, -1.0},
          kernel::CosineKernel{}, kernel::DiceKernel{},     kernel::GivenKernel{fill}};
}

// Two ways to the same values and pairs, for each kernel of sets; the products as well, for RBF.
void kernels_of_sets_have_one_answer(std::size_t support, std::size_t outputs) {
  for (const kernel::SetKernel& kernel : set_kernels()) {
    Random random(13);
    const auto machine = random_machine(random, support, 9, 30, outputs, kernel);
    const OwnedRows rows = random_rows(random, 30, 9, 33);
    const explain::ShapleyExplainer explainer(machine);
    const Told wanted = told(explainer, rows.view(), 1);
    CHECK(wanted == told(explainer, rows.view(), 3));
    const std::vector<double> ones(rows.ids.size(), 1.0);
    const std::vector<double> zeros(rows.ids.size(), 0.0);
    const explain::Contrasts contrasts{rows.view(), ones, zeros, {}, {}};
    const auto check = [&](const auto& explain) {
      Silent observer;
      Told found{std::vector<double>(wanted.values.size(), 0.0), std::vector<double>(wanted.pairs.size(), 0.0)};
      explain(found, observer);
      const auto close = [](double one, double other) { return std::abs(one - other) <= 1e-9; };
      CHECK(std::ranges::equal(found.values, wanted.values, close));
      CHECK(std::ranges::equal(found.pairs, wanted.pairs, close));
    };
    check([&](Told& found, Observer& observer) {
      explain::SetReferenceShapley(machine).explain(contrasts, found.values, found.pairs, 2, observer);
    });
    if (!std::holds_alternative<kernel::RbfKernel>(kernel.form())) continue;
    check([&](Told& found, Observer& observer) {
      const auto absence = explain::Absence::reference;
      explain::ProductShapley(machine).explain(contrasts, absence, found.values, found.pairs, 2, observer);
    });
  }
}

void totals_count_every_pair_once() {
  OwnedRows rows;
  rows.append(std::set<FeatureId>{1, 2, 5});
  rows.append(std::set<FeatureId>{});
  rows.append(std::set<FeatureId>{2, 5});
  explain::PairTotals totals(1);
  totals.add(rows.view(), std::vector<double>{1, 2, -3, 4});
  CHECK(totals.size() == 3);
  CHECK(std::ranges::equal(totals.features(), std::vector<FeatureId>{1, 2, 1, 5, 2, 5}));
  CHECK(std::ranges::equal(totals.examples(), std::vector<std::int64_t>{1, 1, 2}));
  CHECK(std::ranges::equal(totals.sums(), std::vector<double>{1, 2, 1}));
  CHECK(std::ranges::equal(totals.magnitudes(), std::vector<double>{1, 2, 7}));
}

std::vector<kernel::trees::TreeKernel> kernels() {
  using Family = kernel::trees::TreeKernel::Family;
  return {{.family = Family::identity, .factor = 0.5},
          {.family = Family::production, .factor = 0.5, .leaves = 0.5},
          {.family = Family::production, .marked = true, .factor = 0.5, .single_nodes = 1},
          {.family = Family::sequence, .marked = true, .factor = 0.25},
          {.family = Family::sequence, .factor = 0.25, .base = 0.5, .terminals = 0.25},
          {.family = Family::sequence, .constants = false, .factor = 0.5, .gap = 0.5, .first = 0.5, .longest = 2}};
}

void shares_of_nodes_add_up_and_threads_agree() {
  const Trees trees = all_trees({"a", "b*1"}, 4);
  const auto index =
      std::make_shared<const forest::SubtreeIndex>(std::make_shared<const forest::Forest>(trees.forest), trees.roots);
  const std::vector<double> coef(index->trees(), 0.5);
  const forest::TreeQueries queries(*index);
  Silent observer;
  for (const kernel::trees::TreeKernel& kernel : kernels()) {
    std::vector<double> gram(index->trees() * index->trees());
    kernel::trees::direct_gram(kernel, *index, queries, gram, 1, observer);
    const explain::NodeShares shares(kernel, index, coef, 1);
    std::vector<double> rooted(explain::NodeShares::nodes(queries));
    std::vector<double> shared(rooted.size());
    shares.explain(queries, rooted, shared, 1, observer);
    const double wanted = 0.5 * std::accumulate(gram.begin(), gram.end(), 0.0);
    CHECK(std::abs(std::accumulate(rooted.begin(), rooted.end(), 0.0) - wanted) <= 1e-9 * wanted);
    CHECK(std::abs(std::accumulate(shared.begin(), shared.end(), 0.0) - wanted) <= 1e-9 * wanted);
    std::vector<double> again(rooted.size());
    shares.explain(queries, rooted, again, 3, observer);
    CHECK(shared == again);
  }
}

}  // namespace

const TestFile explain_tests([] {
  for (const std::size_t outputs : {1, 3, 40}) {
    values_add_up_and_threads_agree(20, 6, 15, outputs);
    values_add_up_and_threads_agree(77, 10, 30, outputs);
    values_add_up_and_threads_agree(2100, 12, 40, outputs);
  }
  values_add_up_and_threads_agree(70, 600, 900, 1);
  a_reference_of_nothing_is_what_the_index_computes();
  kernels_of_sets_have_one_answer(20, 1);
  kernels_of_sets_have_one_answer(200, 3);
  totals_count_every_pair_once();
  shares_of_nodes_add_up_and_threads_agree();
});

}  // namespace gristmill
