// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/trees/subsequence_plan.hpp"

namespace gristmill::kernel::trees {

template <>
GRISTMILL_VARIANTS void SubsequencePlan<double>::run(const forest::SubtreeRank* child_ranks, std::size_t stride,
                                                     std::size_t from, std::size_t to, double* out) const {
  plan::run(*this, child_ranks, stride, from, to, out);
}

template <>
void SubsequencePlan<MarkedValue>::run(const forest::SubtreeRank* child_ranks, std::size_t stride, std::size_t from,
                                       std::size_t to, MarkedValue* out) const {
  plan::run(*this, child_ranks, stride, from, to, out);
}

template <class Value>
void SubsequencePlan<Value>::tabulate(std::span<const forest::LabelId> other_labels,
                                      const forest::SubtreeRank* child_ranks, std::size_t stride, std::size_t from,
                                      std::size_t to, Value* out, Pulse& pulse) {
  for (std::size_t k = from; k < to; ++k) {
    table_.start(*kernel, other_labels.size(), children.size(), kernel->longest);
    Value total{};
    for (std::size_t right = 0; right < other_labels.size(); ++right) {
      pulse(table_.row_steps());
      add_right(other_labels[right], child_ranks[right * stride + k]);
      Value sum{};
      for (const Value& ending : ending_) sum += ending;
      total += sum;
    }
    out[k] = factor * total;
  }
}

// All that ends at a right child.
template <class Value>
void SubsequencePlan<Value>::add_right(forest::LabelId label, forest::SubtreeRank rank) {
  ending_.assign(children.size(), Value{});
  for (std::size_t length = 0; length < table_.lengths(); ++length) {
    table_.end_row(
        length, Semiring<Value>::plain(table_.may_begin(length) ? kernel->first : 0.0),
        [&](std::size_t left) { return labels[left] == label; }, [&](std::size_t left) { return children[left](rank); },
        [&](std::size_t left, const Value&, const Value& here) { ending_[left] += here; });
  }
  table_.next_row();
}

template struct SubsequencePlan<double>;
template struct SubsequencePlan<MarkedValue>;

}  // namespace gristmill::kernel::trees
