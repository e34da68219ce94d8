// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/dual_solver.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "solve/progress_part.hpp"

namespace gristmill::solve::batch {

// How far all problems are. Threads share it; worker 0 alone lets it report.
class DualSolver::Progress final : public Observer {
 public:
  Progress(Observer& observer, std::size_t problems) : observer_(observer), done_(problems) {}

  void note(std::size_t problem, std::size_t part) {
    if (part > done_[problem]) done_[problem] = part;
  }

  bool advance(std::size_t, std::size_t) override {
    std::size_t done = 0;
    for (const auto& part : done_) done += part;
    return observer_.advance(done, done_.size() * parts);
  }

 private:
  Observer& observer_;
  std::vector<std::atomic<std::size_t>> done_;
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
  Stop stop(progress);
  const std::size_t solvers = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(size(), 1));
  Crew crew(solvers);
  Crew helpers(solvers > 1 ? 1 : threads);
  crew.run(
      size(),
      [&](std::size_t problem, std::size_t worker) {
        Crew alone;
        Pulse pulse(stop, worker);
        resume(problem, solvers > 1 ? alone : helpers, progress, stop, pulse);
      },
      [&] { require(stop, 0, 1); });
  observer.advance(size() * parts, size() * parts);
}

void DualSolver::resume(std::size_t number, Crew& crew, Progress& progress, Stop& stop, Pulse& pulse) {
  DualSolution& reached = solutions_[number];
  if (reached.converged) return progress.note(number, parts);
  problems_[number].start = reached.alpha;
  const std::size_t before = reached.iterations;
  DualOptions options = options_;
  options.max_iter -= std::min(before, options.max_iter);
  double first = 0;
  const DualWatch watch = [&](std::size_t work, double violation) {
    if (first == 0 && std::isfinite(violation)) first = violation;
    progress.note(number, part_of(first, violation, options.tol, parts));
    pulse(work);
  };
  const std::unique_ptr<DualRun> run = begin(problems_[number], options, watch, crew);
  const auto keep = [&] {
    if (!run->has_begun()) return;
    reached = run->solution();
    reached.iterations += before;
    problems_[number].gradient.clear();  // it was that of the start
    problems_[number].gradient_errors.clear();
  };
  try {
    run->solve();
  } catch (...) {
    stop.request();  // all others, too
    keep();
    throw;
  }
  keep();
  progress.note(number, parts);
}

}  // namespace gristmill::solve::batch
