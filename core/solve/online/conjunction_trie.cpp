// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/conjunction_trie.hpp"

#include <algorithm>

namespace gristmill::solve::online {

template <class Number>
ConjunctionTrie<Number>::ConjunctionTrie(const kernel::PolynomialKernel& kernel, std::size_t outputs)
    : degree_(kernel.degree),
      outputs_(outputs),
      weights_(subset_weights<Number>(kernel)),
      sums_(outputs, Number{0}),
      found_((kernel.degree + 1) * outputs, Number{0}) {}

template <class Number>
void ConjunctionTrie<Number>::add(std::span<const rows::Rank> ranks, const Step<Number>& step) {
  if (degree_ > 0) add_below(0, ranks, 1, step);
}

// node: of the rarer features, size - 1 of them.
template <class Number>
void ConjunctionTrie<Number>::add_below(EdgeMap::Node node, std::span<const rows::Rank> ranks, unsigned size,
                                        const Step<Number>& step) {
  const EdgeMap::Node child = edges_.make(node, ranks.back());
  if (sums_.size() < edges_.size() * outputs_) sums_.resize(edges_.size() * outputs_, Number{0});
  add_step(step, Number{1}, sums(child));
  if (size == degree_) return;
  for (std::size_t at = ranks.size() - 1; at > 0; --at) add_below(child, ranks.first(at), size + 1, step);
}

template <class Number>
void ConjunctionTrie<Number>::add_slice(std::span<const rows::Rank> ranks, std::span<Number> out) {
  if (degree_ == 0) return;
  const EdgeMap::Node node = edges_.find(0, ranks.back());
  if (node == EdgeMap::none) return;
  std::ranges::fill(found_, Number{0});
  collect(node, ranks.first(ranks.size() - 1), 1);
  for (unsigned size = 1; size <= degree_; ++size) {
    for (std::size_t o = 0; o < outputs_; ++o) out[o] += weights_[size] * found_[size * outputs_ + o];
  }
}

template <class Number>
void ConjunctionTrie<Number>::collect(EdgeMap::Node node, std::span<const rows::Rank> ranks, unsigned size) {
  const std::span<const Number> here = sums(node);
  for (std::size_t o = 0; o < outputs_; ++o) found_[size * outputs_ + o] += here[o];
  if (size == degree_) return;
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    const EdgeMap::Node child = edges_.find(node, ranks[at]);
    if (child != EdgeMap::none) collect(child, ranks.first(at), size + 1);
  }
}

template class ConjunctionTrie<std::int64_t>;
template class ConjunctionTrie<Wide>;
template class ConjunctionTrie<double>;

}  // namespace gristmill::solve::online
