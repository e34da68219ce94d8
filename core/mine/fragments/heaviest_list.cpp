// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/heaviest_list.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "forest/unfolding.hpp"
#include "text/bracketed.hpp"

namespace gristmill::mine::fragments {
namespace {

bool is_before(const HeavyFragment& a, const HeavyFragment& b) {
  const double left = std::abs(a.weight);
  const double right = std::abs(b.weight);
  if (left != right) return left > right;
  return std::tie(a.size, a.text, a.output) < std::tie(b.size, b.text, b.output);
}

}  // namespace

HeaviestList::HeaviestList(FragmentTrees& trees, std::size_t top, double least, std::size_t most)
    : trees_(trees), top_(top), most_(most), threshold_(least) {}

void HeaviestList::keep(HeavyFragment fragment) {
  if (!std::isfinite(fragment.weight)) {
    throw std::range_error("the weight of a fragment leaves the range of double; use a kernel with a smaller decay");
  }
  const forest::Forest& forest = trees_.forest();
  if (forest.nodes(fragment.root) > forest::most_unfolded(0)) {
    throw std::length_error("a fragment of " + std::to_string(fragment.size) +
                            " productions or nodes is too large to be listed; give max_size");
  }
  text::write_tree(forest, fragment.root, fragment.text, std::size_t{1} << 22U);
  kept_.push_back(std::move(fragment));
  if (top_ == 0) {
    if (kept_.size() <= most_) return;
    throw std::length_error("there are more than max_fragments = " + std::to_string(most_) +
                            " fragments; ask for the heaviest alone (top), or raise sigma or min_support, or lower "
                            "max_size");
  }
  std::ranges::push_heap(kept_, is_before);
  if (kept_.size() > top_) {
    std::ranges::pop_heap(kept_, is_before);
    kept_.pop_back();
  }
  if (kept_.size() == top_) threshold_ = std::max(threshold(), std::abs(kept_.front().weight));
}

std::vector<HeavyFragment> HeaviestList::take() {
  std::ranges::sort(kept_, is_before);
  return std::move(kept_);
}

}  // namespace gristmill::mine::fragments
