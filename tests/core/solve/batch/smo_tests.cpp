// SPDX-License-Identifier: BSD-3-Clause
// Decomposition: threads over shared rows, rows that are thrown out while others read them, interruptions.
#include <atomic>
#include <cmath>
#include <memory>
#include <random>

#include "base/errors.hpp"
#include "checks.hpp"
#include "solve/batch/callback_rows.hpp"
#include "solve/batch/gram_rows.hpp"
#include "solve/batch/overlap_rows.hpp"
#include "solve/batch/row_cache.hpp"
#include "solve/batch/smo.hpp"
#include "solve/batch/smo_passes.hpp"

namespace gristmill {
namespace {

using Random = std::mt19937;

constexpr kernel::PolynomialKernel kernel{2, 1, 1};

OwnedRows random_examples(Random& random, std::size_t count) {
  OwnedRows rows;
  for (std::size_t row = 0; row < count; ++row) {
    std::set<FeatureId> ids;
    for (int i = 0; i < 8; ++i) ids.insert(static_cast<FeatureId>(random() % 30));
    rows.append(ids);
  }
  return rows;
}

std::shared_ptr<solve::batch::SolverRows> counted(const OwnedRows& rows, std::size_t max_bytes) {
  return solve::batch::make_counted_rows(kernel, Buffer<Offset>(rows.offsets), Buffer<FeatureId>(rows.ids), max_bytes);
}

std::vector<double> matrix_of(const OwnedRows& rows) {
  const std::shared_ptr<solve::batch::SolverRows> all = counted(rows, std::size_t{1} << 30U);
  std::vector<RowId> numbers(all->size());
  for (RowId row = 0; row < numbers.size(); ++row) numbers[row] = row;
  std::vector<double> matrix(numbers.size() * numbers.size());
  for (RowId row = 0; row < numbers.size(); ++row) {
    all->load(row, {numbers, row % 2 == 0}, matrix.data() + row * numbers.size());
  }
  return matrix;
}

// Random subsets of the rows, with random signs.
std::vector<solve::batch::DualProblem> random_problems(Random& random, std::size_t rows, std::size_t count) {
  std::vector<solve::batch::DualProblem> problems(count);
  for (solve::batch::DualProblem& problem : problems) {
    for (RowId row = 0; row < rows; ++row) {
      if (random() % 4 == 0) continue;
      problem.examples.push_back(row);
      problem.signs.push_back(random() % 2 == 0 ? 1 : -1);
      problem.linear.push_back(-1);
      problem.bounds.push_back(0.01 * static_cast<double>(1 + random() % 3));
    }
    problem.equality = random() % 3 != 0;
    problem.constant = problem.equality ? 0 : 1;
  }
  return problems;
}

bool are_equal(const solve::batch::DualSolution& a, const solve::batch::DualSolution& b) {
  return a.alpha == b.alpha && a.intercept == b.intercept && a.objective == b.objective && a.violation == b.violation &&
         a.iterations == b.iterations && a.converged && b.converged;
}

void threads_and_caches_change_no_bit() {
  Random random(1);
  const OwnedRows rows = random_examples(random, 300);
  const std::vector<double> matrix = matrix_of(rows);
  const std::vector<solve::batch::DualProblem> problems = random_problems(random, 300, 7);
  Silent silent;
  solve::batch::SmoSolver expected(std::make_shared<solve::batch::GramRows>(Buffer<double>(matrix), 300), problems,
                                   {.tol = 1e-4});
  expected.solve(1, silent);
  const solve::batch::CallbackRows::Fill fill = [&](std::span<const RowId> numbers, std::span<double> out) {
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      std::copy_n(matrix.data() + numbers[at] * 300, 300, out.data() + at * 300);
    }
  };
  std::vector<double> diagonal;
  for (std::size_t row = 0; row < 300; ++row) diagonal.push_back(matrix[row * 301]);
  for (const std::size_t threads : {1, 2, 4}) {
    for (const std::size_t bytes : {std::size_t{600}, std::size_t{10'000}, std::size_t{1} << 20U}) {
      const std::vector<std::shared_ptr<solve::batch::SolverRows>> kinds{
          counted(rows, bytes), std::make_shared<solve::batch::CallbackRows>(diagonal, fill, 5, 8 * bytes)};
      for (const auto& kind : kinds) {
        solve::batch::SmoSolver solver(kind, problems, {.tol = 1e-4});
        solver.solve(threads, silent);
        for (std::size_t at = 0; at < problems.size(); ++at) {
          CHECK(are_equal(solver.solution(at), expected.solution(at)));
        }
      }
    }
  }
}

void one_problem_lets_threads_share_its_rows() {
  Random random(2);
  const OwnedRows rows = random_examples(random, 6000);  // more than threads take at once
  std::vector<solve::batch::DualProblem> problems = random_problems(random, 6000, 1);
  problems[0].start.assign(problems[0].size(), 0.0);
  for (std::size_t at = 0; at < 200; ++at) problems[0].start[at] = problems[0].bounds[at] / 2;
  Silent silent;
  std::vector<solve::batch::DualSolution> found;
  for (const std::size_t threads : {1, 3}) {
    solve::batch::SmoSolver solver(counted(rows, std::size_t{1} << 30U), problems, {.tol = 1e-2, .max_iter = 1200});
    solver.solve(threads, silent);
    found.push_back(solver.solution(0));
  }
  CHECK(found[0].alpha == found[1].alpha && found[0].violation == found[1].violation);
}

struct Impatient final : Observer {
  explicit Impatient(std::size_t calls) : left(calls) {}
  bool advance(std::size_t, std::size_t) override { return left-- > 0; }
  std::size_t left;
};

void interruptions_leave_feasible_points() {
  Random random(3);
  const OwnedRows rows = random_examples(random, 800);
  const std::vector<solve::batch::DualProblem> problems = random_problems(random, 800, 5);
  for (const std::size_t calls : {0, 1, 5, 20}) {
    solve::batch::SmoSolver solver(counted(rows, 100'000), problems, {.tol = 1e-9});
    Impatient impatient(calls);
    CHECK(throws<Interrupted>([&] { solver.solve(3, impatient); }));
    for (std::size_t at = 0; at < problems.size(); ++at) {
      const solve::batch::DualProblem& problem = problems[at];
      const std::vector<double>& alpha = solver.solution(at).alpha;
      double sum = 0;
      for (std::size_t s = 0; s < alpha.size(); ++s) {
        CHECK(alpha[s] >= 0 && alpha[s] <= problem.bounds[s]);
        sum += problem.signs[s] * alpha[s];
      }
      CHECK(!problem.equality || std::abs(sum) < 1e-12);
    }
  }
}

void rows_used_last_are_kept() {
  solve::batch::RowCache<double> cache(5, 3 * 5 * sizeof(double));
  const auto add = [&](RowId number) { return cache.add(number, std::vector<double>(5, static_cast<double>(number))); };
  const solve::batch::RowCache<double>::Row held = add(0);
  add(1);
  add(2);
  CHECK(cache.find(0) == held);
  add(3);
  CHECK(cache.holds(0) && !cache.holds(1) && cache.holds(2) && cache.holds(3));
  add(4);
  add(1);
  CHECK(!cache.holds(0) && held[4] == 0.0);
  CHECK(cache.computed() == 6);
  CHECK(add(1)[0] == 1.0 && cache.find(3)[0] == 3.0);
  CHECK(throws<std::invalid_argument>([] { solve::batch::RowCache<double>(5, 79); }));
}

// The vector passes against loops.
void passes_find_the_first_of_the_best() {
  Random random(4);
  constexpr double never = -std::numeric_limits<double>::infinity();
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = solve::batch::smo::padded(1 + random() % 40);
    std::vector<double> F, up, low, diagonal, row;
    for (std::size_t at = 0; at < size; ++at) {
      F.push_back(static_cast<double>(random() % 7) - 3);
      up.push_back(random() % 3 == 0 ? never : 0);
      low.push_back(random() % 3 == 0 ? never : 0);
      diagonal.push_back(static_cast<double>(1 + random() % 3));
      row.push_back(static_cast<double>(random() % 3));
    }
    solve::batch::smo::Ends expected{never, static_cast<std::size_t>(-1), never};
    double gain = never;
    std::size_t partner = size;
    for (std::size_t at = 0; at < size; ++at) {
      if (up[at] - F[at] > expected.up) expected = {up[at] - F[at], at, expected.low};
      expected.low = std::max(expected.low, low[at] + F[at]);
      const double slope = 1 + F[at];
      const double curvature = 2 + diagonal[at] - 2 * row[at];
      const double here = slope * slope / (curvature > 0 ? curvature : solve::batch::smo::tau);
      if (low[at] == 0 && slope > 0 && here > gain) {
        gain = here;
        partner = at;
      }
    }
    const solve::batch::smo::Ends ends = solve::batch::smo::find_ends(F.data(), up.data(), low.data(), size);
    CHECK(ends.up == expected.up && ends.at == expected.at && ends.low == expected.low);
    CHECK(solve::batch::smo::find_partner(F.data(), low.data(), diagonal.data(), row.data(), 1, 2, size) == partner);
  }
}

}  // namespace

const TestFile smo_tests([] {
  threads_and_caches_change_no_bit();
  one_problem_lets_threads_share_its_rows();
  interruptions_leave_feasible_points();
  rows_used_last_are_kept();
  passes_find_the_first_of_the_best();
});

}  // namespace gristmill
