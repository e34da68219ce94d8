// SPDX-License-Identifier: BSD-3-Clause
// Whether a list tree that was read from somewhere can be walked without reading outside of it.
#pragma once
#include <span>

#include "kernel/operator/members.hpp"
#include "score/trees/list_tree.hpp"

namespace gristmill::score::trees {

template <class Items>
class ListTreeCheck {
 public:
  // Items and cells are below `items`; cell_of(key) is any cell with that key.
  ListTreeCheck(const Items& items, std::span<const std::uint32_t> code, std::size_t rows, std::size_t item_count)
      : items_(items), code_(code), rows_(rows), item_count_(item_count) {}

  template <class CellOf>
  [[nodiscard]] bool is_sound(std::uint32_t root, std::vector<Kind> kinds, CellOf cell_of) {
    waiting_.clear();
    waiting_.push_back({root, std::move(kinds)});
    while (!waiting_.empty()) {
      Waiting next = std::move(waiting_.back());
      waiting_.pop_back();
      if (next.node == 0) continue;
      if (++visited_ > code_.size() || !check(next, cell_of)) return false;  // a tree has no more nodes than words
    }
    return true;
  }

 private:
  struct Waiting {
    std::uint32_t node;
    std::vector<Kind> kinds;
  };

  template <class CellOf>
  [[nodiscard]] bool check(Waiting& at, const CellOf& cell_of) {
    at_ = at.node;
    std::uint32_t count = 0;
    if (!read(count)) return false;
    for (; count > 0; --count) {
      std::uint32_t position = 0;
      std::uint32_t item = 0;
      if (!read(position) || !read(item) || position >= at.kinds.size() || item >= item_count_) return false;
      at.kinds.erase(at.kinds.begin() + position);
    }
    std::uint32_t type = 0;
    if (!read(type) || type > ListTree::split) return false;
    return type == ListTree::rows ? check_rows(at.kinds.size()) : check_split(at.kinds, cell_of);
  }

  [[nodiscard]] bool check_rows(std::size_t width) {
    std::uint32_t rows = 0;
    std::uint32_t first = 0;
    if (!read(rows) || !read(first) || first > rows_ || rows > rows_ - first) return false;
    if (width > 0 && rows > (code_.size() - at_) / width) return false;
    const auto items = code_.subspan(at_, rows * width);
    return std::ranges::all_of(items, [&](std::uint32_t item) { return item < item_count_; });
  }

  template <class CellOf>
  [[nodiscard]] bool check_split(const std::vector<Kind>& kinds, const CellOf& cell_of) {
    std::uint32_t position = 0;
    std::uint32_t dropped = 0;
    std::uint32_t count = 0;
    if (!read(position) || !read(dropped) || !read(count) || position >= kinds.size()) return false;
    if (count > (code_.size() - at_) / 2) return false;
    const auto keys = code_.subspan(at_, count);
    const auto nodes = code_.subspan(at_ + count, count);
    if (!std::ranges::is_sorted(keys) || (count > 0 && keys.back() >= items_.keys())) return false;
    std::vector<Kind> rest = kinds;
    rest.erase(rest.begin() + position);
    for (std::size_t group = 0; group < count; ++group) {
      const Item cell = cell_of(keys[group]);
      if (cell == forest::Productions::none) return false;
      std::vector<Kind> inner = rest;
      items_.unfold_kinds(kinds[position], cell, inner);
      waiting_.push_back({nodes[group], std::move(inner)});
    }
    waiting_.push_back({dropped, std::move(rest)});
    return true;
  }

  [[nodiscard]] bool read(std::uint32_t& word) {
    if (at_ >= code_.size()) return false;
    word = code_[at_++];
    return true;
  }

  const Items& items_;
  std::span<const std::uint32_t> code_;
  std::size_t rows_;
  std::size_t item_count_;
  std::size_t at_ = 0;
  std::size_t visited_ = 0;
  std::vector<Waiting> waiting_;
};

}  // namespace gristmill::score::trees
