// SPDX-License-Identifier: BSD-3-Clause
// Logistic losses where they come to rest, gaps that close, and weights of conjunctions.
#include <algorithm>
#include <cmath>

#include "random_rows.hpp"
#include "rows/conjunction_sums.hpp"
#include "solve/logistic/logistic_solver.hpp"

namespace gristmill {
namespace {

using namespace solve::logistic;

constexpr std::size_t unlimited = std::size_t{1} << 40U;

double uniform(Random& random) { return static_cast<double>(below(random, 10007)) / 10006; }

// Shares that add up to 1; often all for one.
std::vector<double> random_targets(Random& random, std::size_t outputs) {
  std::vector<double> targets(outputs, 0.0);
  const bool certain = below(random, 2) == 0;
  for (double& target : targets) target = certain ? 0 : uniform(random);
  targets[static_cast<std::size_t>(below(random, static_cast<int>(outputs)))] += 0.1;
  double sum = 0;
  for (const double target : targets) sum += target;
  for (double& target : targets) target /= outputs == 1 ? 1.1 : sum;
  return targets;
}

// At rest s = rest + reach * slopes(s), wherever it started.
void scores_come_to_rest() {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const auto outputs = static_cast<std::size_t>(1 + below(random, 4));
    const std::unique_ptr<Loss> loss = loss_for(outputs);
    const std::vector<double> targets = random_targets(random, outputs);
    const double reach = std::pow(10.0, 8 * uniform(random) - 4);
    std::vector<double> rest(outputs);
    std::vector<double> scores(outputs);
    std::vector<double> slopes(outputs);
    for (double& value : rest) value = (uniform(random) - 0.5) * std::pow(10.0, 4 * uniform(random));
    for (double& value : scores) value = (uniform(random) - 0.5) * 100;
    loss->settle(rest, reach, targets, scores);
    loss->find_slopes(scores, targets, slopes);
    for (std::size_t k = 0; k < outputs; ++k) {
      CHECK(std::abs(scores[k] - rest[k] - reach * slopes[k]) <= 1e-6 * (1 + std::abs(rest[k]) + reach));
    }
    loss->find_flat(targets, scores);
    loss->find_slopes(scores, targets, slopes);
    for (const double slope : slopes) CHECK(std::abs(slope) <= 1e-15);
  }
}

void slopes_are_those_of_the_loss() {
  Random random(2);
  for (int round = 0; round < 500; ++round) {
    const auto outputs = static_cast<std::size_t>(1 + below(random, 4));
    const std::unique_ptr<Loss> loss = loss_for(outputs);
    const std::vector<double> targets = random_targets(random, outputs);
    std::vector<double> scores(outputs);
    std::vector<double> slopes(outputs);
    for (double& value : scores) value = 10 * (uniform(random) - 0.5);
    loss->find_slopes(scores, targets, slopes);
    for (std::size_t k = 0; k < outputs; ++k) {
      std::vector<double> above = scores;
      std::vector<double> below_it = scores;
      above[k] += 1e-5;
      below_it[k] -= 1e-5;
      const double slope = (loss->value(below_it, targets) - loss->value(above, targets)) / 2e-5;
      CHECK(std::abs(slope - slopes[k]) <= 1e-8);
    }
  }
}

struct Task {
  OwnedRows rows;
  LogisticProblem problem;
};

// Rows that differ, with shares of classes and costs of all sizes.
Task random_task(Random& random, std::size_t outputs) {
  Task task{random_rows(random, 60, 6, 12), {}};
  task.problem.outputs = outputs;
  for (std::size_t row = 0; row < task.rows.view().size(); ++row) {
    task.problem.costs.push_back(std::pow(10.0, 2 * uniform(random) - 2));
    std::ranges::copy(random_targets(random, outputs), std::back_inserter(task.problem.targets));
  }
  return task;
}

void gaps_close() {
  Random random(3);
  for (const std::size_t outputs : {std::size_t{1}, std::size_t{3}}) {
    Silent silent;
    const Task task = random_task(random, outputs);
    const solve::batch::ExpandedRows rows({2, 1, 1}, task.rows.view(), unlimited, 1, silent);
    LogisticSolver solver(rows, task.problem, 5);
    const double scale = solver.objective();
    double bound = 0;
    for (int pass = 0; pass < 10; ++pass) {
      solver.solve(0, 1, silent);
      CHECK(solver.objective() - solver.gap() >= bound - 1e-9 * scale);  // the dual never falls
      bound = solver.objective() - solver.gap();
    }
    solver.solve(1e-10, 100000, silent);
    CHECK(solver.converged() && solver.gap() <= 1e-10 * scale && solver.objective() >= bound);
  }
}

// A machine of rows and one of their conjunctions score the same.
void conjunctions_say_what_rows_say() {
  Random random(4);
  for (const unsigned degree : {1U, 2U, 3U}) {
    const kernel::PolynomialKernel kernel{degree, 0.5, 2};
    const OwnedRows rows = random_rows(random, 80, 7, 15);
    std::vector<double> values(2 * rows.view().size());
    for (double& value : values) value = uniform(random) - 0.5;
    Silent silent;
    const rows::ConjunctionSums found =
        rows::sum_conjunctions(rows.view(), values, 2, kernel.subset_weights(), unlimited, 2, silent);
    for (std::size_t row = 0; row < rows.view().size(); ++row) {
      const rows::Row own = rows.view()[row];
      double expected = 0;
      double sum = 0;
      for (std::size_t other = 0; other < rows.view().size(); ++other) {
        std::vector<FeatureId> both;
        std::ranges::set_intersection(own, rows.view()[other], std::back_inserter(both));
        expected += values[2 * other] * (kernel(static_cast<double>(both.size())) - kernel(0));
      }
      for (std::size_t c = 0; c + 1 < found.offsets.size(); ++c) {
        const auto begin = found.ids.begin() + found.offsets[c];
        const auto end = found.ids.begin() + found.offsets[c + 1];
        if (std::includes(own.begin(), own.end(), begin, end)) sum += found.sums[2 * c];
      }
      CHECK(std::abs(sum - expected) <= 1e-9 * (1 + std::abs(expected)));
    }
  }
}

}  // namespace

const TestFile logistic_tests([] {
  scores_come_to_rest();
  slopes_are_those_of_the_loss();
  gaps_close();
  conjunctions_say_what_rows_say();
});

}  // namespace gristmill
