// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/growth_room.hpp"

#include <algorithm>
#include <cmath>

namespace gristmill::mine::fragments {

// Beyond so many, all choices together bound any one number of them.
void GrowthRoom::Alike::add(double z) {
  constexpr std::size_t few = 64;
  all *= 1 + z;
  if (choices.size() > few) {
    most = all;
    return;
  }
  choices.push_back(0);
  for (std::size_t j = choices.size(); --j > 0;) {
    choices[j] += z * choices[j - 1];
    most = std::max(most, choices[j]);
  }
}

// Nodes stand before what is below them.
GrowthRoom::GrowthRoom(const kernel::trees::TreeKernel& kernel, const MinedTrees& trees)
    : kernel_(kernel),
      trees_(trees),
      by_production_(kernel.family == kernel::trees::TreeKernel::Family::production),
      inner_(trees.size()),
      right_(trees.size()),
      slots_(trees.symbols(), MinedTrees::none) {
  for (std::size_t node = trees.size(); node-- > 0;) look_below(static_cast<TreeNode>(node));
}

// A leaf of a fragment of PTK loses its base when it gets a child, and gains what its first child weighs.
void GrowthRoom::look_below(TreeNode node) {
  const MinedTrees::Node& here = trees_[node];
  const auto children = std::span(trees_.children() + here.first_child, here.last_child - here.first_child);
  const double step = by_production_ ? kernel_.factor : kernel_.factor * kernel_.base * kernel_.step;
  const double gaps =
      by_production_ || children.empty() ? 1 : std::max(1.0, std::pow(kernel_.gap, trees_.place(children.back().node)));
  Room room;
  for (std::size_t at = children.size(); at-- > 0;) {
    const MinedTrees::Child& child = children[at];
    right_[child.node] = room;
    add(room, child, step * gaps * inner_[child.node].any);
  }
  for (const MinedTrees::Child& child : children) slots_[child.symbol] = MinedTrees::none;
  alike_.clear();
  const double most = by_production_ ? room.strict() : kernel_.first / (kernel_.base * kernel_.step) * room.strict();
  inner_[node] = {std::max(1.0, most), std::min(1.0, most)};
}

void GrowthRoom::add(Room& room, const MinedTrees::Child& child, double z) {
  double before = 0;
  double after = z;
  if (!by_production_) {
    Alike& others = alike(child.symbol);
    before = others.most;
    others.add(z);
    after = others.most;
  }
  if (std::isfinite(before)) room.any *= std::max(1.0, after) / std::max(1.0, before);
  room.share = std::max(room.share, std::min(1.0, after));
}

GrowthRoom::Alike& GrowthRoom::alike(FragmentSymbol symbol) {
  if (slots_[symbol] == MinedTrees::none) {
    slots_[symbol] = static_cast<std::uint32_t>(alike_.size());
    alike_.emplace_back();
  }
  return alike_[slots_[symbol]];
}

double GrowthRoom::at(TreeNode last, std::uint32_t depth) const {
  Room room = inner_[last];
  for (TreeNode node = last; depth > 0; --depth) {
    room.any *= right_[node].any;
    room.share = std::max(room.share, right_[node].share);
    node = trees_[node].parent;
  }
  return room.strict();
}

}  // namespace gristmill::mine::fragments
