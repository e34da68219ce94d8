// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/operator/folding.hpp"

#include <stdexcept>

namespace gristmill::kernel::gram {
namespace {

template <std::size_t columns>
void push_down(std::span<const std::uint32_t> starts, const forest::SubtreeId* children, double* weights) {
  for (std::size_t id = starts.size() - 1; id-- > 0;) {
    for (std::uint32_t at = starts[id]; at < starts[id + 1]; ++at) {
      for (std::size_t k = 0; k < columns; ++k) weights[children[at] * columns + k] += weights[id * columns + k];
    }
  }
}

template <std::size_t columns>
void pull_up(std::span<const std::uint32_t> starts, const forest::SubtreeId* children, double* values) {
  for (std::size_t id = 0; id + 1 < starts.size(); ++id) {
    for (std::uint32_t at = starts[id]; at < starts[id + 1]; ++at) {
      for (std::size_t k = 0; k < columns; ++k) values[id * columns + k] += values[children[at] * columns + k];
    }
  }
}

}  // namespace

Folding::Folding(const forest::Subtrees& subtrees, bool leaves) {
  starts_.reserve(subtrees.subtrees() + 1);
  for (forest::SubtreeId id = 0; id < subtrees.subtrees(); ++id) {
    for (const forest::SubtreeId child : subtrees.children(id)) {
      if (leaves || !subtrees.is_leaf(child)) children_.push_back(child);
    }
    if (children_.size() > UINT32_MAX) throw std::length_error("more than 2^32 - 1 children of different subtrees");
    starts_.push_back(static_cast<std::uint32_t>(children_.size()));
  }
}

void Folding::fold(std::span<double> weights, std::size_t columns) const {
  switch (columns) {
    case 1:
      return push_down<1>(starts_, children_.data(), weights.data());
    case 2:
      return push_down<2>(starts_, children_.data(), weights.data());
    case 4:
      return push_down<4>(starts_, children_.data(), weights.data());
    default:
      return push_down<8>(starts_, children_.data(), weights.data());
  }
}

void Folding::gather(std::span<double> values, std::size_t columns) const {
  switch (columns) {
    case 1:
      return pull_up<1>(starts_, children_.data(), values.data());
    case 2:
      return pull_up<2>(starts_, children_.data(), values.data());
    case 4:
      return pull_up<4>(starts_, children_.data(), values.data());
    default:
      return pull_up<8>(starts_, children_.data(), values.data());
  }
}

}  // namespace gristmill::kernel::gram
