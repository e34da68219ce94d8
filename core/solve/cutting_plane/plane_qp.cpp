// SPDX-License-Identifier: BSD-3-Clause
// What is asked of the problem from outside; plane_qp_solve.cpp and plane_qp_step.cpp solve it.
#include "solve/cutting_plane/plane_qp.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace gristmill::solve::cutting_plane {
namespace {

double checked(double total) {
  if (!(total > 0) || !std::isfinite(total)) throw std::invalid_argument("total is positive and finite");
  return total;
}

template <class T>
void pick(std::vector<T>& values, std::span<const std::uint32_t> numbers) {
  for (std::size_t to = 0; to < numbers.size(); ++to) values[to] = values[numbers[to]];
  values.resize(numbers.size());
}

}  // namespace

PlaneQp::PlaneQp(double total, bool balanced) : total_(checked(total)), balanced_(balanced) {
  const double idle[] = {0};
  append(idle, 0, 0);
  a_[0] = total;
  active_ = {0};
  is_active_[0] = 1;
}

void PlaneQp::add(std::span<const double> column, double h, double e) {
  if (column.size() != size() + 1) throw std::invalid_argument("a column has an entry per plane and one for its own");
  const bool sound = std::ranges::all_of(column, [](double value) { return std::isfinite(value); });
  if (!sound || !std::isfinite(h) || !std::isfinite(e)) throw std::invalid_argument("a plane is finite");
  if (column.back() < 0) throw std::invalid_argument("a plane's product with itself is not negative");
  column_.assign(1, 0.0);
  column_.insert(column_.end(), column.begin(), column.end());
  append(column_, h, balanced_ ? e : 0);
}

void PlaneQp::append(std::span<const double> column, double h, double e) {
  gram_.add(column);
  a_.push_back(0);
  h_.push_back(h);
  e_.push_back(e);
  root_.push_back(std::sqrt(column.back()));
  double rest = h;
  for (const std::uint32_t plane : active_) rest -= a_[plane] * column[plane];
  rest_.push_back(rest);
  is_active_.push_back(0);
  is_barred_.push_back(0);
}

void PlaneQp::keep(std::span<const std::uint32_t> planes) {
  constexpr auto gone = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> kept{0};
  std::vector<std::uint32_t> places(a_.size(), gone);
  places[0] = 0;
  for (const std::uint32_t plane : planes) {
    if (plane >= size() || plane + 1 <= kept.back()) throw std::invalid_argument("planes to keep are ascending");
    places[plane + 1] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(plane + 1);
  }
  for (std::size_t plane = 1; plane < a_.size(); ++plane) {
    if (places[plane] == gone && is_active_[plane] != 0) throw std::invalid_argument("a plane in use is kept");
  }
  gram_.keep(kept);
  for (std::vector<double>* values : {&a_, &h_, &e_, &root_, &rest_}) pick(*values, kept);
  pick(is_active_, kept);
  pick(is_barred_, kept);
  for (std::uint32_t& plane : active_) plane = places[plane];
}

double PlaneQp::square() const noexcept {
  double sum = 0;
  for (std::size_t plane = 0; plane < a_.size(); ++plane) sum += a_[plane] * (h_[plane] - rest_[plane]);
  return sum;
}

double PlaneQp::objective() const noexcept {
  double twice = 0;
  for (const std::uint32_t plane : active_) twice += a_[plane] * (h_[plane] + rest_[plane]);
  return twice / 2;
}

double PlaneQp::residual() const noexcept {
  double largest = 0;
  double sum = 0;
  double tie = 0;
  for (std::size_t plane = 1; plane < a_.size(); ++plane) {
    const double excess = loss(plane) - slack_;
    largest = std::max(largest, a_[plane] > 0 ? std::abs(excess) : excess);
    sum += a_[plane];
    tie += a_[plane] * e_[plane];
  }
  if (sum < total_ * (1 - 1e-12)) largest = std::max(largest, slack_);
  return std::max(largest, std::abs(tie) / total_);
}

}  // namespace gristmill::solve::cutting_plane
