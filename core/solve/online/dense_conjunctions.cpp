// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/dense_conjunctions.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/variants.hpp"
#include "solve/dense_layout.hpp"

namespace gristmill::solve::online {
namespace {

constexpr std::size_t lanes = 4;

struct Slices {
  unsigned degree;
  std::span<const rows::Rank> ranks;
  std::size_t from;
  std::size_t alone;  // where the features alone start
};

template <unsigned Degree, class Number, class Entry>
GRISTMILL_INLINE void add_one_output(const Slices& slices, const Entry* table, const Number* weights, Number& out) {
  Number singles{0};
  Number pairs{0};
  Number triples{0};
  const rows::Rank* ranks = slices.ranks.data();
  for (std::size_t at = slices.from; at < slices.ranks.size(); ++at) {
    singles += table[slices.alone + ranks[at]];
    for_each_below(Degree, ranks, at, [&](unsigned size, std::size_t position) __attribute__((always_inline)) {
      (size == 2 ? pairs : triples) += table[position];
    });
  }
  out += weights[1] * singles + weights[2] * pairs + weights[3] * triples;
}

// Four outputs at a time; tables are padded, so that the last four may reach beyond their row.
template <unsigned Degree, class Number, class Entry>
GRISTMILL_INLINE void add_outputs(const Slices& slices, const Entry* table, const Number* weights,
                                  std::span<Number> out) {
  for (std::size_t first = 0; first < out.size(); first += lanes) {
    std::array<std::array<Number, lanes>, 4> sums{};
    const auto take = [&](unsigned size, std::size_t position) __attribute__((always_inline)) {
      const Entry* row = table + position * out.size() + first;
#pragma GCC unroll 4
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[size][lane] += row[lane];
    };
    for (std::size_t at = slices.from; at < slices.ranks.size(); ++at) {
      take(1, slices.alone + slices.ranks[at]);
      for_each_below(Degree, slices.ranks.data(), at, take);
    }
    for (std::size_t lane = 0; lane < std::min(lanes, out.size() - first); ++lane) {
      for (unsigned size = 1; size <= Degree; ++size) out[first + lane] += weights[size] * sums[size][lane];
    }
  }
}

template <unsigned Degree, class Number, class Entry>
GRISTMILL_INLINE void add_any(const Slices& slices, const Entry* table, const Number* weights, std::span<Number> out) {
  if (out.size() == 1) {
    add_one_output<Degree>(slices, table, weights, out[0]);
  } else {
    add_outputs<Degree>(slices, table, weights, out);
  }
}

template <class Number, class Entry>
GRISTMILL_INLINE void add_any(const Slices& slices, const Entry* table, const Number* weights, std::span<Number> out) {
  switch (slices.degree) {
    case 2:
      return add_any<2>(slices, table, weights, out);
    case 3:
      return add_any<3>(slices, table, weights, out);
    default:
      return add_any<1>(slices, table, weights, out);
  }
}

// Variants cannot be templates; the usual case has them.
GRISTMILL_VARIANTS void add_narrow(const Slices& slices, const std::int32_t* table, const std::int64_t* weights,
                                   std::span<std::int64_t> out) {
  add_any(slices, table, weights, out);
}

template <class Number, class Entry>
void add_table(const Slices& slices, const Entry* table, const Number* weights, std::span<Number> out) {
  if constexpr (std::is_same_v<Entry, std::int32_t>) {
    add_narrow(slices, table, weights, out);
  } else {
    add_any(slices, table, weights, out);
  }
}

}  // namespace

template <class Number>
DenseConjunctions<Number>::DenseConjunctions(const kernel::PolynomialKernel& kernel, std::size_t size,
                                             std::size_t outputs)
    : degree_(kernel.degree),
      size_(size),
      outputs_(outputs),
      weights_(subset_weights<Number>(kernel)),
      narrow_((size + block_size(kernel.degree, size)) * outputs + lanes, Narrow{0}) {
  weights_.resize(largest_degree + 1, Number{0});
}

template <class Number>
void DenseConjunctions<Number>::shrink(std::size_t size) {
  const auto shrink_one = [&](auto& table) {
    if (table.empty()) return;
    const auto alone = table.begin() + static_cast<std::ptrdiff_t>(block_size(degree_, size_) * outputs_);
    const std::size_t block = block_size(degree_, size) * outputs_;
    std::copy(alone, alone + static_cast<std::ptrdiff_t>(size * outputs_),
              table.begin() + static_cast<std::ptrdiff_t>(block));
    table.resize(block + size * outputs_ + lanes);
  };
  shrink_one(narrow_);
  shrink_one(wide_);
  size_ = size;
}

template <class Number>
void DenseConjunctions<Number>::widen() {
  wide_.assign(narrow_.begin(), narrow_.end());
  narrow_ = {};
  is_wide_ = true;
}

template <class Number>
void DenseConjunctions<Number>::raise(std::size_t position, std::int32_t output, Number size) {
  const std::size_t at = position * outputs_ + static_cast<std::size_t>(output);
  if (!is_wide_) {
    const Number raised = static_cast<Number>(narrow_[at]) + size;
    if constexpr (!std::is_same_v<Narrow, Number>) {
      if (raised < std::numeric_limits<Narrow>::min() || raised > std::numeric_limits<Narrow>::max()) widen();
    }
    if (!is_wide_) {
      narrow_[at] = static_cast<Narrow>(raised);
      return;
    }
  }
  wide_[at] += size;
}

template <class Number>
void DenseConjunctions<Number>::add(std::span<const rows::Rank> ranks, const Step<Number>& step) {
  const auto raise_both = [&](unsigned, std::size_t position) {
    if (step.up >= 0) raise(position, step.up, step.size);
    if (step.down >= 0) raise(position, step.down, -step.size);
  };
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    raise_both(1, block_size(degree_, size_) + ranks[at]);
    for_each_below(degree_, ranks.data(), at, raise_both);
  }
}

template <class Number>
void DenseConjunctions<Number>::add_slices(std::span<const rows::Rank> ranks, std::size_t from,
                                           std::span<Number> out) const {
  const Slices slices{degree_, ranks, from, block_size(degree_, size_)};
  if (is_wide_) {
    add_table(slices, wide_.data(), weights_.data(), out);
  } else {
    add_table(slices, narrow_.data(), weights_.data(), out);
  }
}

template class DenseConjunctions<std::int64_t>;
template class DenseConjunctions<Wide>;
template class DenseConjunctions<double>;

}  // namespace gristmill::solve::online
