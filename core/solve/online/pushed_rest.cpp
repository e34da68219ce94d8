// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/pushed_rest.hpp"

#include <algorithm>

namespace gristmill::solve::online {

template <class Number>
PushedRest<Number>::PushedRest(const kernel::PolynomialKernel& kernel, const RankRows& examples, std::size_t longest,
                               std::size_t features, std::size_t outputs, std::size_t threads)
    : examples_(&examples),
      outputs_(outputs),
      values_(kernel_values<Number>(kernel, longest + 1)),
      kernel_increments_(values_.size() - 1),
      postings_(postings_of(examples, features)),
      records_(postings_, examples),
      rest_(examples.size() * outputs, Number{0}),
      comparisons_(threads) {
  for (std::size_t m = 0; m < kernel_increments_.size(); ++m) kernel_increments_[m] = values_[m + 1] - values_[m];
}

template <class Number>
std::span<const RowId> PushedRest<Number>::postings_in(rows::Rank rank, Range range) const {
  const std::span<const RowId> all = postings_[rank];
  const auto below = [&](std::size_t limit) { return std::ranges::lower_bound(all, limit) - all.begin(); };
  const std::size_t from = range.begin == 0 ? 0 : static_cast<std::size_t>(below(range.begin));
  const std::size_t to = range.end == examples_->size() ? all.size() : static_cast<std::size_t>(below(range.end));
  return all.subspan(from, to - from);
}

template <class Number>
void PushedRest<Number>::insert(rows::Rank rank, Comparison& row) const {
  if (!records_.insert(rank, row.probe)) row.colourless.push_back(rank);
}

template <class Number>
void PushedRest<Number>::compare(std::span<const RowId> examples, Comparison& row) const {
  records_.overlaps(examples, row.probe, row.overlaps.data());
  for (const rows::Rank rank : row.colourless) {
    for (std::size_t at = 0; at < examples.size(); ++at) {
      row.overlaps[at] += std::ranges::binary_search((*examples_)[examples[at]], rank) ? 1U : 0U;
    }
  }
}

// A feature's slice of the step goes to all examples that have it; the overlap counts what is more frequent than it.
template <class Number>
void PushedRest<Number>::push(const Step<Number>& step, std::span<const rows::Rank> ranks, std::size_t dense,
                              Range range, std::size_t worker) {
  Comparison& before = comparisons_[worker];
  before.probe = {};
  before.colourless.clear();
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    if (at >= dense) {
      for (std::span<const RowId> all = postings_in(ranks[at], range); !all.empty();
           all = all.subspan(std::min(batch, all.size()))) {
        const std::span<const RowId> some = all.first(std::min(batch, all.size()));
        before.postings_read += some.size();
        compare(some, before);
        for (std::size_t i = 0; i < some.size(); ++i)
          add_step(step, kernel_increments_[before.overlaps[i]], of(some[i]));
      }
    }
    insert(ranks[at], before);
  }
}

template <class Number>
void PushedRest<Number>::add_kernel(const Step<Number>& step, std::span<const rows::Rank> ranks,
                                    std::span<const RowId> examples, std::span<Number> scores) {
  Comparison& row = comparisons_[0];
  row.probe = {};
  row.colourless.clear();
  for (const rows::Rank rank : ranks) insert(rank, row);
  for (std::size_t from = 0; from < examples.size(); from += batch) {
    const std::span<const RowId> some = examples.subspan(from, std::min(batch, examples.size() - from));
    compare(some, row);
    for (std::size_t i = 0; i < some.size(); ++i) {
      add_step(step, values_[row.overlaps[i]], scores.subspan((from + i) * outputs_, outputs_));
    }
  }
}

template class PushedRest<std::int64_t>;
template class PushedRest<Wide>;
template class PushedRest<double>;

}  // namespace gristmill::solve::online
