// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/table_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "solve/tables/row_space.hpp"

namespace gristmill::solve::tables {
namespace {

constexpr std::size_t refreshed_every = 100;  // iterations; scores are added up from steps
constexpr std::size_t rows_pay = 2;        // weights for each row and output: from here on rows are what is learned by
constexpr double target_rounding = 1e-15;  // of the sizes of targets
constexpr std::size_t parts = 1000;        // of progress

}  // namespace

TableSolver::TableSolver(Codes codes, Terms terms, Targets targets, std::size_t threads)
    : map_(std::move(codes), std::move(terms)), targets_(std::move(targets)), workers_(threads), search_(targets_) {
  check_codes(map_.codes());
  check_targets(targets_);
  if (targets_.values.size() != map_.rows()) throw std::invalid_argument("there is a target for each row");
  if (map_.terms().outputs() != targets_.outputs) throw std::invalid_argument("tables have an entry for each output");
  weights_.assign(map_.terms().weights().back(), 0.0);
  intercepts_.assign(targets_.outputs, 0.0);
}

void TableSolver::solve(double C, double tol, std::size_t max_iter, Observer& observer) {
  C_ = C;
  search_.set_C(C);
  workers_.watch(&observer);
  workers_.set_progress(0, parts);
  memory_.clear();
  converged_ = false;
  iterations_ = 0;
  objective_ = gap_ = std::numeric_limits<double>::infinity();
  try {
    start();
    descend(tol * null_, max_iter);
  } catch (...) {
    workers_.watch(nullptr);
    settle_intercepts();
    throw;
  }
  workers_.set_progress(parts, parts);
  static_cast<void>(observer.advance(parts, parts));
  workers_.watch(nullptr);
}

// The gap is a bound where intercepts are the best; those of a search along a line are nearly so. Hence it is measured
// again before it counts.
void TableSolver::descend(double wanted, std::size_t max_iter) {
  first_gap_ = gap_;
  if (terms().steps().empty() && weights_.size() > rows_pay * scores_.size()) descend_in_rows(wanted, max_iter);
  while (iterations_ < max_iter && gap_ > wanted) {
    ++iterations_;
    const bool is_stuck = iterate() == Progress::stuck;
    const bool may_end = is_stuck || gap_ <= wanted || iterations_ == max_iter;
    if (may_end || iterations_ % refreshed_every == 0) settle_intercepts();
    report(wanted);
    if (is_stuck) break;
  }
  converged_ = gap_ <= wanted;
}

// What is left, rounding, is for descent by weights.
void TableSolver::descend_in_rows(double wanted, std::size_t max_iter) {
  if (iterations_ >= max_iter || gap_ <= wanted) return;
  const LinePoint here{0, intercepts_, objective_, decrement_};
  RowSpace space(map_, search_, workers_, C_, {weights_, scores_, here, residuals_});
  try {
    bool moved = true;
    while (moved && iterations_ < max_iter && gap_ > wanted) {
      ++iterations_;
      moved = space.iterate();
      if (iterations_ % refreshed_every == 0) space.refresh();
      objective_ = space.point().objective;
      gap_ = space.gap();
      report(wanted);
    }
  } catch (...) {
    workers_.watch(nullptr);  // leaving takes passes that must not end
    leave(space);
    throw;
  }
  leave(space);
  settle_intercepts();
}

void TableSolver::leave(RowSpace& space) {
  weights_ = space.weights();
  intercepts_ = space.point().intercepts;
}

// The objective without weights, then all that is known of a point at the weights that are there.
void TableSolver::start() {
  scores_.assign(map_.rows() * targets_.outputs, 0.0);
  residuals_.resize(scores_.size());
  double size = 0;
  for (std::size_t row = 0; row < map_.rows(); ++row) {
    size += targets_.weights[row] * (1 + targets_.values[row] * targets_.values[row]);
  }
  const LinePoint nothing = search_.minimise({.scores = scores_}, intercepts_, 0, residuals_, workers_);
  null_ = std::max(nothing.objective, target_rounding * C_ * size);
  settle_intercepts();
}

// Scores anew from weights, and the best intercepts for them.
void TableSolver::settle_intercepts() {
  map_.score(weights_, scores_, workers_);
  const Line line{.scores = scores_, .start = 0.5 * dot(weights_, weights_, workers_)};
  take(search_.minimise(line, intercepts_, 0, residuals_, workers_), 0);
}

TableSolver::Progress TableSolver::iterate() {
  choose_direction();
  map_.score(direction_, along_, workers_);
  Line line{.scores = scores_, .direction = along_, .longest = longest_step()};
  line.start = 0.5 * dot(weights_, weights_, workers_);
  line.slope = dot(weights_, direction_, workers_);
  line.square = dot(direction_, direction_, workers_);
  const LinePoint point = search_.minimise(line, intercepts_, line_share, residuals_, workers_);
  if (point.step == 0 && point.objective < objective_) {  // with better intercepts the direction led up
    take(point, 0);
    memory_.clear();
    return Progress::moved;
  }
  if (point.objective < objective_) {
    before_ = gradient_;
    take(point, point.step);
    for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = gradient_[i] - before_[i];
    for (double& value : direction_) value *= point.step;
    memory_.add(direction_, before_, workers_);
    return Progress::moved;
  }
  if (memory_.empty()) return Progress::stuck;
  memory_.clear();  // perhaps it misled; the gradient will not
  return Progress::moved;
}

bool TableSolver::is_held(std::size_t weight) const noexcept {
  return !terms().steps().empty() && terms().steps()[weight] != 0 && weights_[weight] <= 0 && gradient_[weight] > 0;
}

void TableSolver::choose_direction() {
  direction_.resize(weights_.size());
  const auto release = [this] {
    if (terms().steps().empty()) return;
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      if (is_held(i)) direction_[i] = 0;
    }
  };
  for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -gradient_[i];
  release();
  memory_.multiply(direction_, workers_);
  release();
  if (terms().steps().empty() || project_direction()) return;
  memory_.clear();
  for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -gradient_[i];
  static_cast<void>(project_direction());
}

// Cut off where weights of steps would become negative; whether it still descends.
bool TableSolver::project_direction() {
  for (std::size_t i = 0; i < direction_.size(); ++i) {
    if (terms().steps()[i] != 0) direction_[i] = std::max(direction_[i], -weights_[i]);
  }
  return dot(gradient_, direction_, workers_) < 0;
}

double TableSolver::longest_step() const noexcept {
  double longest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < terms().steps().size(); ++i) {
    if (terms().steps()[i] != 0 && direction_[i] < 0) longest = std::min(longest, weights_[i] / -direction_[i]);
  }
  return longest;
}

void TableSolver::take(const LinePoint& point, double length) {
  if (length > 0) {
    add_scaled(weights_, length, direction_, workers_);
    add_scaled(scores_, length, along_, workers_);
    for (std::size_t i = 0; i < terms().steps().size(); ++i) {
      if (terms().steps()[i] != 0) weights_[i] = std::max(weights_[i], 0.0);
    }
  }
  intercepts_ = point.intercepts;
  objective_ = point.objective;
  decrement_ = point.decrement;
  map_.gather(residuals_, C_, weights_, gradient_, workers_);
  measure_gap();
}

void TableSolver::measure_gap() {
  double sum = decrement_;
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    const bool is_step = !terms().steps().empty() && terms().steps()[i] != 0;
    const double d = is_step ? std::max(-weights_[i], -gradient_[i]) : -gradient_[i];
    sum -= d * (gradient_[i] + 0.5 * d);
  }
  gap_ = sum;
}

// Gaps fall about evenly in their logarithm.
void TableSolver::report(double wanted) {
  const double whole = std::log(first_gap_ / std::max(wanted, std::numeric_limits<double>::min()));
  const double share = gap_ <= wanted ? 1 : std::clamp(std::log(first_gap_ / gap_) / whole, 0.0, 1.0);
  const auto done = static_cast<std::size_t>(share * static_cast<double>(parts - 1));
  workers_.set_progress(std::max(done, workers_.done()), parts);
}

std::vector<double> TableSolver::intercepts() const {
  std::vector<double> all(intercepts_);
  if (targets_.loss != Loss::softmax) return all;
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  for (double& value : all) value -= mean;
  return all;
}

std::vector<double> TableSolver::tables() {
  const auto found = map_.tables(weights_, workers_);
  return {found.begin(), found.end()};
}

std::vector<double> TableSolver::norms_of(std::span<const double> vector) const {
  std::vector<double> found(terms().size(), 0.0);
  for (std::size_t term = 0; term < terms().size(); ++term) {
    double sum = 0;
    for (std::size_t i = terms().weights()[term]; i < terms().weights()[term + 1]; ++i) sum += vector[i] * vector[i];
    found[term] = std::sqrt(sum);
  }
  return found;
}

std::vector<double> TableSolver::norms() const { return norms_of(weights_); }

std::vector<double> TableSolver::gradient_norms() const {
  return gradient_.empty() ? std::vector<double>(terms().size(), 0.0) : norms_of(gradient_);
}

void TableSolver::set_scales(std::span<const double> scales) {
  if (scales.size() != terms().size()) throw std::invalid_argument("there is a scale for each term");
  for (const double scale : scales) {
    if (!(scale >= 0) || !std::isfinite(scale)) throw std::invalid_argument("scales are numbers from 0 on");
  }
  for (std::size_t term = 0; term < terms().size(); ++term) {
    const double factor = scales[term] > 0 ? terms()[term].scale / scales[term] : 0;
    for (std::size_t i = terms().weights()[term]; i < terms().weights()[term + 1]; ++i) weights_[i] *= factor;
    map_.set_scale(term, scales[term]);
  }
}

void TableSolver::set_weights(std::span<const double> weights) {
  if (weights.size() != weights_.size()) throw std::invalid_argument("weights have the sizes of their terms");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bool is_step = !terms().steps().empty() && terms().steps()[i] != 0;
    if (!std::isfinite(weights[i]) || (is_step && weights[i] < 0)) {
      throw std::invalid_argument("weights are numbers, those of steps from 0 on");
    }
  }
  weights_.assign(weights.begin(), weights.end());
}

}  // namespace gristmill::solve::tables
