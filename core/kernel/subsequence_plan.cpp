// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/subsequence_plan.hpp"

namespace gristmill {

template <>
GRISTMILL_VARIANTS void SubsequencePlan<double>::run(const Rank* child_ranks, std::size_t stride, std::size_t from,
                                                     std::size_t to, double* out) const {
  plan::run(*this, child_ranks, stride, from, to, out);
}

template <>
void SubsequencePlan<MarkedValue>::run(const Rank* child_ranks, std::size_t stride, std::size_t from, std::size_t to,
                                       MarkedValue* out) const {
  plan::run(*this, child_ranks, stride, from, to, out);
}

template <class Value>
Value SubsequencePlan<Value>::table_sum(const Rank* child_ranks, std::size_t stride) {
  // without a limit, lengths need not be told apart
  const std::size_t lengths = kernel->longest == 0 ? 1 : std::min(kernel->longest, children.size());
  ending_.assign(children.size() * lengths, Value{});
  ended_.assign((children.size() + 1) * lengths, Value{});
  Value total{};
  std::uint32_t right = 0;
  for (auto match = matches.begin(); match != matches.end(); ++right) {
    for (; match != matches.end() && match->right == right; ++match) {
      end_at(*match, children[match->left](child_ranks[right * stride]), lengths);
    }
    for (Value& sum : ending_) total += sum;
    fade(lengths);
  }
  return total;
}

template <class Value>
void SubsequencePlan<Value>::end_at(const ChildMatch& match, Value delta, std::size_t lengths) {
  Value* const ending = ending_.data() + match.left * lengths;
  const Value* const ended = ended_.data() + match.left * lengths;
  const Value first = Semiring<Value>::weight(kernel->first, false);
  if (kernel->longest == 0) {
    ending[0] = delta * (first + kernel->step * ended[0]);
    return;
  }
  ending[0] = delta * first;
  for (std::size_t length = 1; length < lengths; ++length) ending[length] = delta * (kernel->step * ended[length - 1]);
}

// On to the next right child.
template <class Value>
void SubsequencePlan<Value>::fade(std::size_t lengths) {
  for (std::size_t length = 0; length < lengths; ++length) {
    Value row{};
    for (std::size_t left = 0; left < children.size(); ++left) {
      Value& ending = ending_[left * lengths + length];
      row = kernel->gap * row + ending;
      ending = Value{};
      Value& ended = ended_[(left + 1) * lengths + length];
      ended = kernel->gap * ended + row;
    }
  }
}

template struct SubsequencePlan<double>;
template struct SubsequencePlan<MarkedValue>;

}  // namespace gristmill
