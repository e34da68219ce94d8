// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/dense_conjunctions.hpp"

namespace gristmill {
namespace {

// visit(position of the pair), visit(position of the triple): of the feature ranks[at] with those before it.
template <class Pair, class Triple>
void for_each_below(unsigned degree, std::span<const Rank> ranks, std::size_t at, Pair pair, Triple triple) {
  if (degree == 2) {
    const std::size_t row = pair_row(ranks[at]);
    for (std::size_t i = 0; i < at; ++i) pair(row + ranks[i]);
  } else if (degree == 3) {
    const std::size_t plane = triple_plane(ranks[at]);
    for (std::size_t i = 0; i < at; ++i) {
      const std::size_t row = plane + triple_row(ranks[i]);
      pair(row);
      for (std::size_t j = 0; j < i; ++j) triple(row + 1 + ranks[j]);
    }
  }
}

}  // namespace

template <class Number>
std::size_t DenseConjunctions<Number>::entries_for(unsigned degree, std::size_t size) {
  return size + block_size(degree, size);
}

template <class Number>
DenseConjunctions<Number>::DenseConjunctions(const PolynomialKernel& kernel, std::size_t size, std::size_t outputs)
    : degree_(kernel.degree),
      size_(size),
      outputs_(outputs),
      weights_(subset_weights<Number>(kernel)),
      singles_(size * outputs, Number{0}),
      block_(block_size(kernel.degree, size) * outputs, Number{0}) {
  weights_.resize(largest_degree + 1, Number{0});
}

template <class Number>
void DenseConjunctions<Number>::shrink(std::size_t size) {
  size_ = size;
  singles_.resize(size * outputs_);
  block_.resize(block_size(degree_, size) * outputs_);
}

template <class Number>
void DenseConjunctions<Number>::add(std::span<const Rank> ranks, const Step<Number>& step) {
  const auto raise = [&](std::vector<Number>& table, std::size_t position) {
    add_step(step, Number{1}, std::span(table).subspan(position * outputs_, outputs_));
  };
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    raise(singles_, ranks[at]);
    const auto in_block = [&](std::size_t position) { raise(block_, position); };
    for_each_below(degree_, ranks, at, in_block, in_block);
  }
}

template <class Number>
void DenseConjunctions<Number>::add_slices(std::span<const Rank> ranks, std::size_t from, std::span<Number> out) const {
  for (std::size_t o = 0; o < outputs_; ++o) {
    Number singles{0};
    Number pairs{0};
    Number triples{0};
    for (std::size_t at = from; at < ranks.size(); ++at) {
      singles += singles_[ranks[at] * outputs_ + o];
      for_each_below(
          degree_, ranks, at, [&](std::size_t position) { pairs += block_[position * outputs_ + o]; },
          [&](std::size_t position) { triples += block_[position * outputs_ + o]; });
    }
    out[o] += weights_[1] * singles + weights_[2] * pairs + weights_[3] * triples;
  }
}

template class DenseConjunctions<std::int64_t>;
template class DenseConjunctions<Wide>;
template class DenseConjunctions<double>;

}  // namespace gristmill
