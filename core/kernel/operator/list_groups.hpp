// SPDX-License-Identifier: BSD-3-Clause
// What the items of one position stand for, grouped by the production (or label) they share.
#pragma once
#include "kernel/operator/tuple_list.hpp"

namespace gristmill::kernel::gram {

struct ListEntry {
  std::uint32_t source;  // row of the list
  Item cell;             // what stands there
  double weight;
};

class ListGroups {
 public:
  // How many entries share their key with another, and how many do not.
  struct Count {
    std::size_t together = 0;
    std::size_t alone = 0;
  };

  template <class Value, class Items>
  void group(const TupleList<Value>& list, std::size_t position, const Items& items) {
    start(items.keys());
    found_.clear();
    const Kind kind = list.kinds[position];
    for (std::size_t row = 0; row < list.rows; ++row) {
      items.expand(kind, list.row(row)[position], [&](Item cell, std::uint32_t key, double weight) {
        found_.push_back({number(key), {static_cast<std::uint32_t>(row), cell, weight}});
      });
    }
    order();
  }

  template <class Value, class Items>
  [[nodiscard]] Count count(const TupleList<Value>& list, std::size_t position, const Items& items) {
    start(items.keys());
    const Kind kind = list.kinds[position];
    for (std::size_t row = 0; row < list.rows; ++row) {
      items.expand(kind, list.row(row)[position], [&](Item, std::uint32_t key, double) { number(key); });
    }
    Count count;
    for (const std::size_t size : sizes_) (size == 1 ? count.alone : count.together) += size;
    return count;
  }

  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
  [[nodiscard]] std::uint32_t key(std::size_t group) const noexcept { return keys_[group]; }
  [[nodiscard]] std::span<const ListEntry> entries(std::size_t group) const noexcept {
    return {entries_.data() + starts_[group], entries_.data() + starts_[group + 1]};
  }

 private:
  struct Found {
    std::uint32_t group;
    ListEntry entry;
  };

  void start(std::size_t keys) {
    for (const std::uint32_t key : keys_) group_of_[key] = none;
    if (group_of_.size() < keys) group_of_.resize(keys, none);
    keys_.clear();
    sizes_.clear();
  }
  // Groups are numbered as they come.
  std::uint32_t number(std::uint32_t key) {
    std::uint32_t& group = group_of_[key];
    if (group == none) {
      group = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back(key);
      sizes_.push_back(0);
    }
    ++sizes_[group];
    return group;
  }
  void order() {
    starts_.assign(1, 0);
    for (const std::size_t size : sizes_) starts_.push_back(starts_.back() + size);
    next_.assign(starts_.begin(), starts_.end() - 1);
    entries_.resize(found_.size());
    for (const Found& one : found_) entries_[next_[one.group]++] = one.entry;
  }

  static constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> group_of_;  // by key
  std::vector<std::uint32_t> keys_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> next_;
  std::vector<Found> found_;
  std::vector<ListEntry> entries_;
};

}  // namespace gristmill::kernel::gram
