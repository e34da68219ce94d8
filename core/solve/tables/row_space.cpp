// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/row_space.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gristmill::solve::tables {
namespace {

// Of coefficients with an image.
double half_product(std::span<const double> a, std::span<const double> b, Workers& workers) {
  const std::size_t half = a.size() / 2;
  return dot(a.first(half), b.subspan(half), workers);
}

}  // namespace

RowSpace::RowSpace(FeatureMap& map, LineSearch& search, Workers& workers, double C, const Start& start)
    : map_(map),
      search_(search),
      workers_(workers),
      C_(C),
      start_(start.weights),
      start_scores_(start.scores.begin(), start.scores.end()),
      at_(start.point),
      memory_(half_product),
      residuals_(start.residuals.begin(), start.residuals.end()),
      where_(2 * (start.scores.size() + 1), 0.0) {
  const std::size_t rows = start_scores_.size();
  where_[rows] = 1;
  std::copy_n(start_scores_.begin(), rows, where_.begin() + static_cast<std::ptrdiff_t>(rows) + 1);
  where_.back() = dot(start_, start_, workers_);
  set_gradient();
}

std::span<const double> RowSpace::scores_of(const Vector& vector) const {
  return std::span(vector).subspan(start_scores_.size() + 1, start_scores_.size());
}

double RowSpace::product(const Vector& a, const Vector& b) { return half_product(a, b, workers_); }

bool RowSpace::iterate() {
  direction_.resize(gradient_.size());
  for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -gradient_[i];
  memory_.multiply(direction_, workers_);
  Line line{.scores = scores_of(where_), .direction = scores_of(direction_)};
  line.longest = std::numeric_limits<double>::infinity();
  line.start = 0.5 * product(where_, where_);
  line.slope = product(where_, direction_);
  line.square = product(direction_, direction_);
  LinePoint found = search_.minimise(line, at_.intercepts, line_share, residuals_, workers_);
  if (!(found.objective < at_.objective)) {
    const bool is_first = memory_.empty();
    memory_.clear();  // perhaps it misled; the gradient will not
    return !is_first;
  }
  const double step = found.step;
  Vector before = gradient_;
  take(std::move(found), step);
  if (step == 0) {  // with better intercepts the direction led up
    memory_.clear();
    return true;
  }
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = gradient_[i] - before[i];
  for (double& value : direction_) value *= step;
  memory_.add(direction_, before, workers_);
  return true;
}

void RowSpace::refresh() {
  map_.score(weights(), image_, workers_);
  const std::size_t rows = start_scores_.size();
  std::ranges::copy(image_, where_.begin() + static_cast<std::ptrdiff_t>(rows) + 1);
  where_.back() =
      where_[rows] * dot(start_, start_, workers_) + dot(start_scores_, std::span(where_).first(rows), workers_);
  const Line line{.scores = scores_of(where_), .start = 0.5 * product(where_, where_)};
  take(search_.minimise(line, at_.intercepts, 0, residuals_, workers_), 0);
}

void RowSpace::take(LinePoint point, double length) {
  if (length > 0) add_scaled(where_, length, direction_, workers_);
  at_ = std::move(point);
  set_gradient();
}

// V + C sum of the features of rows times their residuals.
void RowSpace::set_gradient() {
  map_.gather(residuals_, 1, {}, gathered_, workers_);
  map_.score(gathered_, image_, workers_);
  gradient_ = where_;
  const std::size_t rows = residuals_.size();
  for (std::size_t i = 0; i < rows; ++i) gradient_[i] += C_ * residuals_[i];
  for (std::size_t i = 0; i < rows; ++i) gradient_[rows + 1 + i] += C_ * image_[i];
  gradient_.back() += C_ * dot(start_scores_, residuals_, workers_);
  gap_ = at_.decrement + 0.5 * std::max(product(gradient_, gradient_), 0.0);
}

std::vector<double> RowSpace::weights() {
  const std::size_t rows = start_scores_.size();
  Vector start(start_.begin(), start_.end());
  for (double& value : start) value *= where_[rows];
  Vector found;
  map_.gather(std::span(where_).first(rows), 1, start, found, workers_);
  return found;
}

}  // namespace gristmill::solve::tables
