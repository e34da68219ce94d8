// SPDX-License-Identifier: BSD-3-Clause
#include "solve/cutting_plane/bundle.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "solve/cutting_plane/line_search.hpp"

namespace gristmill::solve::cutting_plane {
namespace {

constexpr double indefinite = 1e-6;  // of the sum of costs: how far below 0 a square may be
constexpr double rounding = 1e-13;   // beside that, of what was added up

std::vector<double> shares_of(std::span<const double> costs, double total) {
  std::vector<double> shares(costs.begin(), costs.end());
  for (double& share : shares) share /= total;
  return shares;
}

Bundle::Point origin(std::size_t variables) {
  Bundle::Point point;
  point.dual.assign(variables, 0.0);
  point.margins.assign(variables, 0.0);
  return point;
}

}  // namespace

Bundle::Bundle(std::vector<std::int8_t> signs, std::span<const double> costs, double total, bool balanced)
    : signs_(std::move(signs)),
      planes_(shares_of(costs, total)),
      qp_(total, balanced),
      lasting_(balanced ? 2 : 0),
      master_(origin(signs_.size())),
      best_(origin(signs_.size())) {
  best_.loss = loss_of(best_.margins);
  master_.loss = best_.loss;
}

std::size_t Bundle::nbytes() const {
  return planes_.nbytes() + 8 * planes() * planes() + variables() * (4 * sizeof(double) + sizeof(std::int8_t));
}

std::vector<std::uint32_t> Bundle::members() const {
  std::vector<double> counted(variables(), 0.0);
  planes_.accumulate(std::vector<double>(planes(), 1.0), counted);
  std::vector<std::uint32_t> found;
  for (std::uint32_t v = 0; v < counted.size(); ++v) {
    if (counted[v] > 0) found.push_back(v);
  }
  return found;
}

void Bundle::check_square(double square) const {
  if (square < -(indefinite + rounding * size_ * total()) * total()) {
    throw std::invalid_argument(
        "the kernel is not positive semidefinite: the square of a vector in its space is below 0; solver='smo' takes "
        "such kernels");
  }
}

void Bundle::solve(std::size_t patience) {
  qp_.solve();
  check_square(qp_.square());
  const std::span<const double> found = qp_.solution();
  std::vector<std::uint32_t> kept;
  for (std::uint32_t plane = 0; plane < found.size(); ++plane) {
    idle_[plane] = found[plane] > 0 ? 0 : idle_[plane] + 1;
    if (idle_[plane] <= patience || plane < lasting_) kept.push_back(plane);
  }
  if (kept.size() < found.size()) {
    for (std::size_t at = 0; at < kept.size(); ++at) idle_[at] = idle_[kept[at]];
    idle_.resize(kept.size());
    planes_.keep(kept);
    qp_.keep(kept);
  }
  std::ranges::fill(master_.dual, 0.0);
  planes_.accumulate(qp_.solution(), master_.dual);
  master_.intercept = qp_.intercept();
}

std::vector<double> Bundle::weights(const Point& point) const {
  std::vector<double> out(point.dual);
  for (std::size_t v = 0; v < out.size(); ++v) out[v] *= signs_[v];
  return out;
}

void Bundle::place(std::span<const double> values) { measure(master_, values); }

void Bundle::measure(Point& point, std::span<const double> values) const {
  point.norm = 0;
  for (std::size_t v = 0; v < values.size(); ++v) {
    point.norm += point.dual[v] * signs_[v] * values[v];
    point.margins[v] = signs_[v] * (values[v] + point.intercept);
  }
  check_square(point.norm);
  point.loss = loss_of(point.margins);
}

double Bundle::loss_of(std::span<const double> margins) const {
  double loss = 0;
  const std::span<const double> shares = planes_.shares();
  for (std::size_t v = 0; v < margins.size(); ++v) loss += shares[v] * std::max(0.0, 1 - margins[v]);
  return loss;
}

void Bundle::search() {
  Ends ends{best_.norm, 0, master_.norm};
  for (std::size_t v = 0; v < signs_.size(); ++v) {
    ends.cross += best_.dual[v] * (master_.margins[v] - signs_[v] * master_.intercept);
  }
  const double step = best_step(best_.margins, master_.margins, planes_.shares(), total(), ends);
  const double rest = 1 - step;
  for (std::size_t v = 0; v < signs_.size(); ++v) {
    best_.dual[v] = rest * best_.dual[v] + step * master_.dual[v];
    best_.margins[v] = rest * best_.margins[v] + step * master_.margins[v];
  }
  best_.norm = rest * rest * ends.first + 2 * rest * step * ends.cross + step * step * ends.second;
  best_.intercept = rest * best_.intercept + step * master_.intercept;
  best_.loss = loss_of(best_.margins);
}

std::vector<double> Bundle::cut(double toward_master) {
  pending_.assign((signs_.size() + 63) / 64, 0);
  for (std::size_t v = 0; v < signs_.size(); ++v) {
    const double margin = (1 - toward_master) * best_.margins[v] + toward_master * master_.margins[v];
    pending_[v / 64] |= std::uint64_t{margin < 1} << (v % 64);
  }
  return signed_weights(pending_);
}

std::vector<double> Bundle::cut(std::span<const bool> chosen) {
  pending_ = bits_of(chosen);
  return signed_weights(pending_);
}

std::vector<double> Bundle::signed_weights(const PlaneSet::Bits& bits) const {
  std::vector<double> out(signs_.size(), 0.0);
  const std::span<const double> shares = planes_.shares();
  for_each_bit(bits, [&](std::size_t v) { out[v] = signs_[v] * shares[v]; });
  return out;
}

void Bundle::add(std::span<const double> values) { append(std::move(pending_), values); }

void Bundle::add(PlaneSet::Sample sample, std::span<const double> values) { append(std::move(sample), values); }

template <class Plane>
void Bundle::append(Plane plane, std::span<const double> values) {
  std::vector<double> each(values.size());
  for (std::size_t v = 0; v < each.size(); ++v) {
    if (!std::isfinite(values[v])) throw std::invalid_argument("products with a kernel are numbers");
    each[v] = signs_[v] * values[v];
    size_ = std::max(size_, std::abs(values[v]));
  }
  planes_.add(std::move(plane));
  idle_.push_back(0);
  std::vector<double> column = planes_.dots(each);
  column.back() = std::max(column.back(), 0.0);  // rounding, of a plane that is nothing
  const auto [height, tie] = planes_.sums_of_last(signs_);
  qp_.add(column, height, tie);
}

void Bundle::start(std::vector<double> dual, std::span<const double> values, double intercept) {
  best_.dual = std::move(dual);
  best_.intercept = intercept;
  measure(best_, values);
}

void Bundle::extend(std::span<const std::int8_t> signs, std::span<const double> costs, std::span<const double> values) {
  signs_.insert(signs_.end(), signs.begin(), signs.end());
  planes_.extend(shares_of(costs, total()));
  for (std::size_t v = 0; v < signs.size(); ++v) best_.margins.push_back(signs[v] * (values[v] + best_.intercept));
  best_.dual.resize(signs_.size(), 0.0);
  best_.loss = loss_of(best_.margins);
  master_.dual.resize(signs_.size(), 0.0);
  master_.margins.resize(signs_.size(), 0.0);
}

}  // namespace gristmill::solve::cutting_plane
