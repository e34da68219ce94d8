// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/dual_solver.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "base/stop.hpp"

namespace gristmill::solve::batch {
namespace {

// How much of the way from the first violation to the tolerance is done, in logarithms.
std::size_t part_of(double first, double now, double tol) {
  const double target = std::max(tol, 1e-12 * first);
  if (!(first > target) || !(now < first)) return 0;
  const double share = std::log(first / std::max(now, target)) / std::log(first / target);
  return std::min(static_cast<std::size_t>(share * DualSolver::parts), DualSolver::parts - 1);
}

}  // namespace

// How far all problems are, and whether to stop. One object for all threads; worker 0 alone talks to the observer.
class DualSolver::Progress {
 public:
  Progress(Observer& observer, std::size_t problems) : stop_(observer), done_(problems) {}

  void note(std::size_t problem, std::size_t part) {
    if (part > done_[problem]) done_[problem] = part;
  }

  void poll(std::size_t worker, std::size_t work) {
    constexpr std::size_t between_reports = std::size_t{1} << 16U;  // entries: well below a millisecond
    stop_.poll(worker, 0);
    if (worker != 0) return;
    work_ += work;
    if (work_ < between_reports) return;
    work_ = 0;
    report();
  }

  // All others have to stop as well.
  void fail() { stop_.request(); }

  void report() {
    std::size_t done = 0;
    for (const auto& part : done_) done += part;
    if (!stop_.advance(done, done_.size() * parts)) throw Interrupted();
  }

 private:
  Stop stop_;
  std::vector<std::atomic<std::size_t>> done_;
  std::size_t work_ = 0;
};

DualSolver::DualSolver(std::size_t examples, std::vector<DualProblem> problems, const DualOptions& options)
    : problems_(std::move(problems)), options_(options), solutions_(problems_.size()) {
  if (!(options.tol >= 0)) throw std::invalid_argument("tol is 0 or more");
  for (std::size_t at = 0; at < problems_.size(); ++at) {
    check_problem(problems_[at], examples);
    solutions_[at].alpha = problems_[at].start;
    solutions_[at].alpha.resize(problems_[at].size(), 0.0);
  }
}

void DualSolver::solve(std::size_t threads, Observer& observer) {
  Progress progress(observer, size());
  const std::size_t solvers = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(size(), 1));
  Crew crew(solvers);
  Crew helpers(solvers > 1 ? 1 : threads);
  crew.run(
      size(),
      [&](std::size_t problem, std::size_t worker) {
        Crew alone;
        resume(problem, worker, solvers > 1 ? alone : helpers, progress);
      },
      [&] { progress.report(); });
  observer.advance(size() * parts, size() * parts);
}

void DualSolver::resume(std::size_t number, std::size_t worker, Crew& crew, Progress& progress) {
  DualSolution& reached = solutions_[number];
  if (reached.converged) return progress.note(number, parts);
  problems_[number].start = reached.alpha;
  const std::size_t before = reached.iterations;
  DualOptions options = options_;
  options.max_iter -= std::min(before, options.max_iter);
  double first = 0;
  const DualWatch watch = [&](std::size_t work, double violation) {
    if (first == 0 && std::isfinite(violation)) first = violation;
    progress.note(number, part_of(first, violation, options.tol));
    progress.poll(worker, work);
  };
  const std::unique_ptr<DualRun> run = begin(problems_[number], options, watch, crew);
  const auto keep = [&] {
    if (!run->has_begun()) return;
    reached = run->solution();
    reached.iterations += before;
  };
  try {
    run->solve();
  } catch (...) {
    progress.fail();
    keep();
    throw;
  }
  keep();
  progress.note(number, parts);
}

}  // namespace gristmill::solve::batch
