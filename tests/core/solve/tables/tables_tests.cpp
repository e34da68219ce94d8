// SPDX-License-Identifier: BSD-3-Clause
// Tables: factors that are their similarities, the same bits for any number of threads, bounds that hold,
// interruptions, monotone columns bin by bin.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "checks.hpp"
#include "solve/tables/table_scores.hpp"
#include "solve/tables/table_solver.hpp"

namespace gristmill {
namespace {

using namespace solve::tables;
using Random = std::mt19937;

double uniform(Random& random) { return static_cast<double>(random() % 10007) / 10006; }

double expected_similarity(const Similarity& s, std::size_t i, std::size_t j) {
  if (i >= s.ordered || j >= s.ordered) return i == j ? 1 : 0;
  const double steps = std::max<double>(1, s.ordered - 1.0);
  if (s.monotone > 0) return static_cast<double>(std::min(i, j)) / steps;
  if (s.monotone < 0) return (s.ordered - 1.0 - static_cast<double>(std::max(i, j))) / steps;
  return (i == j ? s.onehot : 0) +
         s.thermometer * (1 - std::abs(static_cast<double>(i) - static_cast<double>(j)) / steps);
}

void factors_are_their_similarities() {
  for (std::uint32_t bins = 1; bins < 8; ++bins) {
    for (std::uint32_t ordered = 0; ordered <= bins; ++ordered) {
      for (int kind = 0; kind < 7; ++kind) {
        Similarity s{bins, ordered, kind == 1 ? 0.0 : 1.5, kind == 0 ? 0.0 : 1.0};
        if (kind > 2 && kind < 5) s.nonnegative = true;
        if (kind >= 5) s.monotone = kind == 5 ? 1 : -1;
        const Factor factor(s);
        CHECK(factor.bins() == bins);
        CHECK(factor.steps().size() == factor.features());
        for (std::size_t i = 0; i < bins; ++i) {
          std::vector<double> bin(bins, 0.0);
          bin[i] = 1;
          std::vector<double> features(factor.features());
          std::vector<double> row(bins);
          factor.to_features(bin.data(), features.data(), 1, 1);
          if (s.nonnegative || s.monotone != 0) {
            CHECK(std::ranges::all_of(features, [](double value) { return value >= 0; }));
          }
          factor.to_bins(features.data(), row.data(), 1, 1);
          for (std::size_t j = 0; j < bins; ++j) CHECK(std::abs(row[j] - expected_similarity(s, i, j)) <= 1e-13);
        }
      }
    }
  }
}

using Product = void (Factor::*)(const double*, double*, std::size_t, std::size_t) const;

void check_blocks(const Factor& factor, Product product) {
  const std::size_t bins = factor.bins();
  Random random(3);
  std::vector<double> in(2 * bins * 3);
  for (double& value : in) value = uniform(random);
  std::vector<double> out(in.size());
  (factor.*product)(in.data(), out.data(), 2, 3);
  for (std::size_t o = 0; o < 2; ++o) {
    for (std::size_t i = 0; i < 3; ++i) {
      std::vector<double> one(bins);
      std::vector<double> column(bins);
      for (std::size_t k = 0; k < bins; ++k) one[k] = in[(o * bins + k) * 3 + i];
      (factor.*product)(one.data(), column.data(), 1, 1);
      for (std::size_t k = 0; k < bins; ++k) CHECK(std::abs(column[k] - out[(o * bins + k) * 3 + i]) <= 1e-14);
    }
  }
}

void blocks_are_multiplied_as_vectors_are() {
  for (const double onehot : {0.0, 1.0}) {
    for (const Product product : {&Factor::to_bins, &Factor::to_features})
      check_blocks(Factor({5, 4, onehot, 1}), product);
  }
}

struct Problem {
  std::vector<std::uint16_t> stored;
  Codes codes;
  std::vector<Similarity> similarities;
  std::vector<Term> terms;
  Targets targets;

  [[nodiscard]] std::unique_ptr<TableSolver> solver(std::size_t threads) const {
    std::vector<Factor> factors;
    for (const Similarity& s : similarities) factors.emplace_back(s);
    return std::make_unique<TableSolver>(codes, Terms(terms, std::move(factors), codes.bins, targets.outputs), targets,
                                         threads);
  }
};

// Four columns of which the first is monotone if asked, all pairs and a triple.
Problem problem_of(Random& random, Loss loss, std::size_t rows, int monotone) {
  Problem made;
  made.codes.rows = rows;
  made.codes.bins = {5, 4, 1, 3};
  made.stored.resize(rows * 4);
  for (std::size_t at = 0; at < made.stored.size(); ++at) {
    made.stored[at] = static_cast<std::uint16_t>(random() % made.codes.bins[at / rows]);
  }
  made.codes.wide = made.stored;
  const bool next_to = monotone != 0;
  made.similarities = {{5, 4, 1, 1, monotone, false},
                       {4, 4, 0, 1, 0, next_to},
                       {1, 0, 1, 0, 0, false},
                       {3, 0, 1, 0, 0, next_to},
                       {4, 4, 1, 0, 0, false}};
  made.terms = {{{0}, {0}, 2},         {{1}, {4}, 2},         {{2}, {2}, 2},         {{3}, {3}, 2},
                {{0, 1}, {0, 1}, 0.5}, {{0, 3}, {0, 3}, 0.5}, {{1, 3}, {1, 3}, 0.5}, {{0, 1, 3}, {0, 1, 3}, 0.25}};
  made.targets.loss = loss;
  made.targets.outputs = loss == Loss::softmax ? 3 : 1;
  for (std::size_t row = 0; row < rows; ++row) {
    const double noise = uniform(random) * 3;
    const double value = made.stored[row] * 0.6 + (made.stored[row + rows] == 2 ? 1 : 0) + noise;
    made.targets.values.push_back(loss == Loss::squared   ? value
                                  : loss == Loss::softmax ? std::min(2.0, std::floor(value / 1.5))
                                                          : (value > 2.5 ? 1.0 : 0.0));
    made.targets.weights.push_back(static_cast<double>(random() % 3) / 2);
  }
  return made;
}

void threads_change_no_bit() {
  for (const Loss loss : {Loss::logistic, Loss::softmax, Loss::squared}) {
    for (const int monotone : {0, 1}) {
      Random random(5);
      const Problem problem = problem_of(random, loss, 5000, monotone);
      Silent silent;
      const auto one = problem.solver(1);
      const auto three = problem.solver(3);
      one->solve(0.7, 1e-9, 300, silent);
      three->solve(0.7, 1e-9, 300, silent);
      CHECK(one->converged());
      CHECK(one->objective() == three->objective() && one->gap() == three->gap());
      CHECK(std::ranges::equal(one->weights(), three->weights()));
      CHECK(one->intercepts() == three->intercepts());
    }
  }
}

void the_gap_bounds_what_is_left() {
  for (const Loss loss : {Loss::logistic, Loss::softmax, Loss::squared}) {
    for (const int monotone : {-1, 0, 1}) {
      Random random(6);
      const Problem problem = problem_of(random, loss, 300, monotone);
      Silent silent;
      const auto exact = problem.solver(1);
      exact->solve(3, 1e-13, 5000, silent);
      double before = std::numeric_limits<double>::infinity();
      for (const std::size_t most : {0, 1, 2, 4, 8, 16, 32}) {
        const auto solver = problem.solver(1);
        solver->solve(3, 1e-13, most, silent);
        CHECK(solver->objective() <= before);
        CHECK(solver->objective() - solver->gap() <= exact->objective() * (1 + 1e-12));
        before = solver->objective();
      }
      CHECK(exact->gap() <= 1e-10 * exact->objective());
    }
  }
}

void monotone_columns_never_fall() {
  for (const int monotone : {1, -1}) {
    Random random(7);
    const Problem problem = problem_of(random, Loss::logistic, 400, monotone);
    Silent silent;
    const auto solver = problem.solver(1);
    solver->solve(10, 1e-8, 1000, silent);
    std::vector<std::vector<std::uint32_t>> columns;
    for (const Term& term : problem.terms) columns.push_back(term.columns);
    const TableScores scores(problem.codes.bins, columns, solver->tables(), solver->intercepts());
    for (std::uint8_t b = 0; b < 4; ++b) {
      for (std::uint8_t c = 0; c < 3; ++c) {
        std::vector<double> out(4);
        const std::vector<std::uint8_t> rows{0, 1, 2, 3, b, b, b, b, 0, 0, 0, 0, c, c, c, c};
        scores.score({4, problem.codes.bins, rows, {}}, out, 1, silent);
        for (std::size_t i = 0; i < 3; ++i) CHECK(monotone * (out[i + 1] - out[i]) >= 0);
        CHECK(monotone < 0 || out[3] > out[0]);
      }
    }
  }
}

void scores_are_those_of_the_solver() {
  Random random(8);
  const Problem problem = problem_of(random, Loss::squared, 500, 0);
  Silent silent;
  const auto solver = problem.solver(2);
  solver->solve(1, 1e-10, 1000, silent);
  std::vector<std::vector<std::uint32_t>> columns;
  for (const Term& term : problem.terms) columns.push_back(term.columns);
  const TableScores scores(problem.codes.bins, columns, solver->tables(), solver->intercepts());
  std::vector<double> out(500);
  scores.score(problem.codes, out, 2, silent);
  double objective = 0;
  for (const double weight : solver->weights()) objective += weight * weight / 2;
  for (std::size_t row = 0; row < 500; ++row) {
    const double error = out[row] - problem.targets.values[row];
    objective += problem.targets.weights[row] * error * error / 2;
  }
  CHECK(std::abs(objective - solver->objective()) <= 1e-10 * objective);
}

void an_interruption_keeps_the_best_so_far() {
  Random random(9);
  const Problem problem = problem_of(random, Loss::logistic, 3000, 0);
  Silent silent;
  const auto exact = problem.solver(1);
  exact->solve(5, 1e-9, 1000, silent);
  for (const std::size_t calls : {0, 1, 10, 60, 61, 62, 63, 64, 65, 66, 67, 68, 200, 400}) {
    const auto solver = problem.solver(2);
    StopAfter stop(calls);
    if (!throws<Interrupted>([&] { solver->solve(5, 1e-9, 1000, stop); })) continue;
    CHECK(!solver->converged());
    CHECK(std::ranges::all_of(solver->weights(), [](double value) { return std::isfinite(value); }));
    CHECK(solver->gap() >= solver->objective() - exact->objective() || !std::isfinite(solver->gap()));
    solver->solve(5, 1e-9, 1000, silent);  // goes on
    CHECK(solver->converged());
  }
}

void other_scales_keep_tables() {
  Random random(10);
  const Problem problem = problem_of(random, Loss::logistic, 300, 0);
  Silent silent;
  const auto solver = problem.solver(1);
  solver->solve(1, 1e-6, 1000, silent);
  const std::vector<double> before = solver->tables();
  std::vector<double> scales(problem.terms.size(), 0.75);
  scales[1] = 0;
  solver->set_scales(scales);
  const std::vector<double> after = solver->tables();
  const auto cells = solver->terms().cells();
  for (std::size_t at = 0; at < before.size(); ++at) {
    const bool gone = at >= cells[1] && at < cells[2];
    CHECK(std::abs(after[at] - (gone ? 0 : before[at])) <= 1e-12);
  }
  solver->solve(1, 1e-6, 1000, silent);
  CHECK(solver->converged() && solver->norms()[1] == 0);
}

void what_cannot_be_solved_is_refused() {
  Random random(11);
  Problem problem = problem_of(random, Loss::logistic, 50, 0);
  const auto refused = [](const Problem& changed) {
    return throws<std::invalid_argument>([&] { static_cast<void>(changed.solver(1)); });
  };
  CHECK(!refused(problem));
  Problem one_class = problem;
  std::ranges::fill(one_class.targets.values, 1.0);
  CHECK(refused(one_class));
  Problem weightless = problem;
  std::ranges::fill(weightless.targets.weights, 0.0);
  CHECK(refused(weightless));
  Problem outside = problem;
  outside.codes.bins[0] = 4;
  outside.similarities[0].bins = 4;
  CHECK(refused(outside));
  Problem unknown = problem;
  unknown.terms[0].columns = {9};
  CHECK(refused(unknown));
  Problem strange = problem;
  strange.similarities[0].onehot = strange.similarities[0].thermometer = 0;
  CHECK(refused(strange));
}

}  // namespace

const TestFile tables_tests([] {
  factors_are_their_similarities();
  blocks_are_multiplied_as_vectors_are();
  threads_change_no_bit();
  the_gap_bounds_what_is_left();
  monotone_columns_never_fall();
  scores_are_those_of_the_solver();
  an_interruption_keeps_the_best_so_far();
  other_scales_keep_tables();
  what_cannot_be_solved_is_refused();
});

}  // namespace gristmill
