// SPDX-License-Identifier: BSD-3-Clause
// Right-most expansion, which finds each fragment once: a fragment grows by a child of a node on its right-most path,
// to the right of what it has there; for K_c the child brings its whole production.
//
// A Place is where the last node of embeddings stands, with what they add up to: embeddings that share it also share
// the right-most path, so they grow alike. (As a set of places, as in FREQT, counts would be wrong.) It has the node,
// merge(other embeddings that end there), and a Tally: what is counted of an extension while its places are collected.
#pragma once
#include <algorithm>
#include <functional>

#include "mine/fragments/mined_trees.hpp"

namespace gristmill::mine::fragments {

// A symbol of a fragment: how far below its root and, where symbols are productions, which child of the one above.
struct FragmentStep {
  FragmentSymbol symbol;
  std::uint32_t depth;
  std::uint32_t place;
};

// By one symbol.
template <class Place>
struct Extension {
  FragmentStep step;
  std::uint32_t next;  // extension by the same symbol elsewhere
  std::size_t begin;   // of its places
  std::size_t size;
  [[no_unique_address]] typename Place::Tally tally;
};

template <class Place>
struct Extensions {
  std::vector<Extension<Place>> all;
  std::vector<Place> lists;

  [[nodiscard]] std::span<const Place> of(const Extension<Place>& one) const {
    return std::span(lists).subspan(one.begin, one.size);
  }
};

// Whether a fragment that has no mark can still get one: by a child, or by a node behind it that its root has below.
// The next one behind its last node is, or it would not be there; where the root ends is looked up only for others.
class WayToMark {
 public:
  WayToMark(const MinedTrees& trees, TreeNode last, std::uint32_t depth)
      : trees_(trees), depth_(depth), last_(last), goal_(trees[last].goal) {}

  bool operator()(const MinedTrees::Child& child) {
    if (child.goal == goal_ || trees_.is_marked(child.symbol)) return true;
    if (end_ == 0) end_ = trees_[trees_.root_of(last_, depth_)].end;
    return child.goal < end_;
  }

 private:
  const MinedTrees& trees_;
  std::uint32_t depth_;
  TreeNode last_;
  TreeNode goal_;
  TreeNode end_ = 0;  // not known yet
};

template <class Place>
class Expansion {
 public:
  explicit Expansion(const MinedTrees& trees) : trees_(trees), first_(trees.symbols(), none) {}

  // Starts anew.
  void start(Extensions<Place>& out) {
    out.all.clear();
    candidates_.clear();
  }

  // offer(children, depth, before) for what is below the last node and, upwards along its path, to the right of it,
  // where `before` is the path's node among them.
  template <class Offer>
  void look_right(TreeNode last, std::uint32_t depth, Offer offer) const {
    const auto children = [&](std::uint32_t begin, std::uint32_t end) {
      return std::span(trees_.children() + begin, end - begin);
    };
    const MinedTrees::Node* node = &trees_[last];
    offer(children(node->first_child, node->last_child), depth + 1, none);
    for (; depth > 0; --depth) {
      const MinedTrees::Node* parent = &trees_[node->parent];
      offer(children(node->after, parent->last_child), depth, last);
      last = node->parent;
      node = parent;
    }
  }

  // Another place of the extension by this child, whose tally starts with `tally`.
  Extension<Place>& add(const MinedTrees::Child& child, std::uint32_t depth, const Place& place,
                        const typename Place::Tally& tally, Extensions<Place>& out) {
    const std::uint32_t found = find({child.symbol, depth, child.place}, tally, out);
    ++out.all[found].size;
    candidates_.push_back({found, place});
    return out.all[found];
  }

  // Places added since the start.
  [[nodiscard]] std::size_t size() const noexcept { return candidates_.size(); }
  [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t places) { return places * sizeof(Candidate); }

  // All places have been added, whether they are wanted or not.
  void end(const Extensions<Place>& out) {
    for (const Extension<Place>& extension : out.all) first_[extension.step.symbol] = none;
  }

  // Lists of the extensions that are wanted; the others go.
  template <class IsWanted>
  void sort_out(Extensions<Place>& out, IsWanted is_wanted) const {
    std::size_t total = 0;
    for (Extension<Place>& extension : out.all) {
      extension.begin = total;
      if (is_wanted(extension)) total += extension.size;
      extension.size = 0;
    }
    out.lists.resize(total);
    for (const Candidate& candidate : candidates_) {
      Extension<Place>& extension = out.all[candidate.extension];
      if (is_wanted(extension)) out.lists[extension.begin + extension.size++] = candidate.place;
    }
    std::erase_if(out.all, std::not_fn(is_wanted));
    for (Extension<Place>& extension : out.all) {
      extension.size = merge_equals(std::span(out.lists).subspan(extension.begin, extension.size));
    }
  }

 private:
  static constexpr std::uint32_t none = MinedTrees::none;

  struct Candidate {
    std::uint32_t extension;
    Place place;
  };

  [[nodiscard]] std::uint32_t find(const FragmentStep& step, const typename Place::Tally& tally,
                                   Extensions<Place>& out) {
    std::uint32_t& first = first_[step.symbol];
    for (std::uint32_t at = first; at != none; at = out.all[at].next) {
      if (out.all[at].step.depth == step.depth && out.all[at].step.place == step.place) return at;
    }
    out.all.push_back({step, first, 0, 0, tally});
    first = static_cast<std::uint32_t>(out.all.size() - 1);
    return first;
  }

  // Places in order, each once: how many are left. Weights are added up in the order in which they were found.
  static std::size_t merge_equals(std::span<Place> list) {
    const auto out_of_order = std::ranges::adjacent_find(list, std::ranges::greater_equal{}, &Place::node);
    if (out_of_order == list.end()) return list.size();
    std::ranges::stable_sort(list, {}, &Place::node);
    std::size_t last = 0;
    for (std::size_t at = 1; at < list.size(); ++at) {
      if (list[at].node == list[last].node) {
        list[last].merge(list[at]);
      } else {
        list[++last] = list[at];
      }
    }
    return last + 1;
  }

  const MinedTrees& trees_;
  std::vector<std::uint32_t> first_;  // per symbol: its extension, while they are collected
  std::vector<Candidate> candidates_;
};

}  // namespace gristmill::mine::fragments
