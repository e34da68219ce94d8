// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/dense_conjunctions.hpp"

#include <algorithm>
#include <limits>

#include "base/variants.hpp"

namespace gristmill {
namespace {

// visit(size of the conjunction, its position in the block): the conjunctions of ranks[at] with those before it.
template <class Visit>
GRISTMILL_INLINE void for_each_below(unsigned degree, const Rank* ranks, std::size_t at, Visit visit) {
  if (degree == 2) {
    const std::size_t row = pair_row(ranks[at]);
    for (std::size_t i = 0; i < at; ++i) visit(2, row + ranks[i]);
  } else if (degree == 3) {
    const std::size_t plane = triple_plane(ranks[at]);
    for (std::size_t i = 0; i < at; ++i) {
      const std::size_t row = plane + triple_row(ranks[i]);
      visit(2, row);
      for (std::size_t j = 0; j < i; ++j) visit(3, row + 1 + ranks[j]);
    }
  }
}

struct Slices {
  unsigned degree;
  std::span<const Rank> ranks;
  std::size_t from;
  std::size_t alone;  // where the features alone start
};

template <unsigned Degree, class Number, class Entry>
void add_one_output(const Slices& slices, const Entry* table, const Number* weights, Number& out) {
  Number singles{0};
  Number pairs{0};
  Number triples{0};
  const Rank* ranks = slices.ranks.data();
  for (std::size_t at = slices.from; at < slices.ranks.size(); ++at) {
    singles += table[slices.alone + ranks[at]];
    for_each_below(Degree, ranks, at, [&](unsigned size, std::size_t position) __attribute__((always_inline)) {
      (size == 2 ? pairs : triples) += table[position];
    });
  }
  out += weights[1] * singles + weights[2] * pairs + weights[3] * triples;
}

template <class Number, class Entry>
void add_outputs(const Slices& slices, const Entry* table, const Number* weights, std::span<Number> out) {
  const auto take = [&](unsigned size, std::size_t position) __attribute__((always_inline)) {
    const Entry* row = table + position * out.size();
    for (std::size_t o = 0; o < out.size(); ++o) out[o] += weights[size] * static_cast<Number>(row[o]);
  };
  for (std::size_t at = slices.from; at < slices.ranks.size(); ++at) {
    take(1, slices.alone + slices.ranks[at]);
    for_each_below(slices.degree, slices.ranks.data(), at, take);
  }
}

template <class Number, class Entry>
void add_any(const Slices& slices, const Entry* table, const Number* weights, std::span<Number> out) {
  if (out.size() > 1) return add_outputs(slices, table, weights, out);
  switch (slices.degree) {
    case 2:
      return add_one_output<2>(slices, table, weights, out[0]);
    case 3:
      return add_one_output<3>(slices, table, weights, out[0]);
    default:
      return add_one_output<1>(slices, table, weights, out[0]);
  }
}

}  // namespace

template <class Number>
DenseConjunctions<Number>::DenseConjunctions(const PolynomialKernel& kernel, std::size_t size, std::size_t outputs)
    : degree_(kernel.degree),
      size_(size),
      outputs_(outputs),
      weights_(subset_weights<Number>(kernel)),
      narrow_((size + block_size(kernel.degree, size)) * outputs, Narrow{0}) {
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
    table.resize(block + size * outputs_);
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
void DenseConjunctions<Number>::add(std::span<const Rank> ranks, const Step<Number>& step) {
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
void DenseConjunctions<Number>::add_slices(std::span<const Rank> ranks, std::size_t from, std::span<Number> out) const {
  const Slices slices{degree_, ranks, from, block_size(degree_, size_)};
  if (is_wide_) {
    add_any(slices, wide_.data(), weights_.data(), out);
  } else {
    add_any(slices, narrow_.data(), weights_.data(), out);
  }
}

template class DenseConjunctions<std::int64_t>;
template class DenseConjunctions<Wide>;
template class DenseConjunctions<double>;

}  // namespace gristmill
