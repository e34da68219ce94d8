// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/trees/subsequence_plan.hpp"

namespace gristmill::kernel::trees {

template <>
GRISTMILL_VARIANTS void SubsequencePlan<double>::run(const forest::Rank* child_ranks, std::size_t stride,
                                                     std::size_t from, std::size_t to, double* out) const {
  plan::run(*this, child_ranks, stride, from, to, out);
}

template <>
void SubsequencePlan<MarkedValue>::run(const forest::Rank* child_ranks, std::size_t stride, std::size_t from,
                                       std::size_t to, MarkedValue* out) const {
  plan::run(*this, child_ranks, stride, from, to, out);
}

template <class Value>
void SubsequencePlan<Value>::start_table(std::size_t rights) {
  is_limited_ = kernel->longest != 0 && kernel->longest < std::min(children.size(), rights);
  lengths_ = is_limited_ ? kernel->longest : 1;
  ending_.assign(children.size() * lengths_, Value{});
  ended_.assign((children.size() + 1) * lengths_, Value{});
}

// All that ends at a right child with this label; returns the sum.
template <class Value>
Value SubsequencePlan<Value>::end_all(forest::LabelId label, forest::Rank rank) {
  Value sum{};
  auto at = std::ranges::lower_bound(by_label, label, {}, &std::pair<forest::LabelId, std::uint32_t>::first);
  for (; at != by_label.end() && at->first == label; ++at) sum += end_at(at->second, children[at->second](rank));
  return sum;
}

template <class Value>
Value SubsequencePlan<Value>::end_at(std::size_t left, Value delta) {
  Value* const ending = ending_.data() + left * lengths_;
  const Value* const ended = ended_.data() + left * lengths_;
  const Value first = Semiring<Value>::weight(kernel->first, false);
  if (!is_limited_) return ending[0] = delta * (first + kernel->step * ended[0]);
  Value sum = ending[0] = delta * first;
  for (std::size_t length = 1; length < lengths_; ++length) {
    ending[length] = delta * (kernel->step * ended[length - 1]);
    sum += ending[length];
  }
  return sum;
}

// On to the next right child.
template <class Value>
void SubsequencePlan<Value>::fade() {
  for (std::size_t length = 0; length < lengths_; ++length) {
    Value row{};
    for (std::size_t left = 0; left < children.size(); ++left) {
      Value& ending = ending_[left * lengths_ + length];
      row = kernel->gap * row + ending;
      ending = Value{};
      Value& ended = ended_[(left + 1) * lengths_ + length];
      ended = kernel->gap * ended + row;
    }
  }
}

template struct SubsequencePlan<double>;
template struct SubsequencePlan<MarkedValue>;

}  // namespace gristmill::kernel::trees
