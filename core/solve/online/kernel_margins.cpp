// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/kernel_margins.hpp"

#include <algorithm>

namespace gristmill::solve::online {

template <class Number>
KernelMargins<Number>::KernelMargins(const kernel::PolynomialKernel& kernel, std::size_t outputs)
    : kernel_(kernel), outputs_(outputs), values_(kernel_values<Number>(kernel, 0)), total_(outputs, Number{0}) {}

template <class Number>
bool KernelMargins<Number>::scores(const Example& x, Sign, const SupportLog<Number>&, std::span<Number> out) {
  if (x.ranks.size() >= values_.size()) values_ = kernel_values<Number>(kernel_, 2 * x.ranks.size());
  for (const rows::Rank rank : x.ranks) {
    if (rank >= postings_.size()) break;
    postings_read_ += postings_[rank].size();
    for (const RowId row : postings_[rank]) {
      if (overlaps_[row]++ == 0) touched_.push_back(row);
    }
  }
  for (std::size_t o = 0; o < outputs_; ++o) out[o] = total_[o] * values_[0];
  for (const RowId row : touched_) {
    const Number kernel_increment = values_[overlaps_[row]] - values_[0];
    for (std::size_t o = 0; o < outputs_; ++o) out[o] += coef_[row * outputs_ + o] * kernel_increment;
    overlaps_[row] = 0;
  }
  touched_.clear();
  return true;
}

template <class Number>
void KernelMargins<Number>::append(RowId row, std::span<const rows::Rank> ranks) {
  overlaps_.push_back(0);
  coef_.resize(coef_.size() + outputs_, Number{0});
  for (const rows::Rank rank : ranks) {
    if (rank >= postings_.size()) postings_.resize(rank + std::size_t{1});
    postings_[rank].push_back(row);
  }
  entries_ += ranks.size();
}

template <class Number>
void KernelMargins<Number>::add(const SupportLog<Number>& log) {
  const Step<Number>& step = log.steps.back();
  for (auto row = static_cast<RowId>(overlaps_.size()); row <= step.row; ++row) append(row, log.rows[row]);
  add_step(step, Number{1}, std::span(coef_).subspan(step.row * outputs_, outputs_));
  add_step(step, Number{1}, std::span(total_));
}

template <class Number>
std::size_t KernelMargins<Number>::nbytes() const {
  return entries_ * sizeof(RowId) + postings_.size() * sizeof(std::vector<RowId>) + coef_.size() * sizeof(Number) +
         overlaps_.size() * 2 * sizeof(std::uint32_t);
}

template class KernelMargins<std::int64_t>;
template class KernelMargins<Wide>;
template class KernelMargins<double>;

}  // namespace gristmill::solve::online
