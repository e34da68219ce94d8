// SPDX-License-Identifier: BSD-3-Clause
// Takes lists apart at one position, whose factor is a sum. With its Delta the rows that have a production (or label)
// there in common form lists of their own, in which what stands below takes the place of the position; without it the
// position goes, and rows that become equal are merged.
#pragma once
#include <utility>

#include "kernel/operator/hashed_rows.hpp"
#include "kernel/operator/list_groups.hpp"

namespace gristmill::kernel::gram {

template <class Items>
class ListCutter {
 public:
  using List = TupleList<typename Items::Value>;

  // A list made of rows of another, or of entries.
  struct Made {
    List list;
    std::vector<std::uint32_t> rows{};  // of this list, for each of the other; empty if each has its own
  };

  explicit ListCutter(Items items) : items_(std::move(items)) {}

  [[nodiscard]] Items& items() noexcept { return items_; }

  // The position that leaves least to do.
  [[nodiscard]] std::size_t choose(const List& list) {
    std::size_t best = 0;
    std::size_t least = SIZE_MAX;
    if (list.width() > 1) hashed_.hash(list);
    for (std::size_t position = 0; list.width() > 1 && position < list.width(); ++position) {
      const ListGroups::Count count = groups_.count(list, position, items_);
      const std::size_t cost = hashed_.count(list, position) + count.together + count.alone / 2;
      if (cost < least) best = position;
      least = std::min(least, cost);
    }
    return best;
  }

  // What the items of the position stand for; valid until the next.
  [[nodiscard]] const ListGroups& group(const List& list, std::size_t position) {
    groups_.group(list, position, items_);
    return groups_;
  }

  // With its Delta: entries of one group.
  [[nodiscard]] Made expand(const List& list, std::size_t at, std::span<const ListEntry> entries) {
    const Kind kind = list.kinds[at];
    Made made{{list.coefficient * items_.weight(kind, entries.front().cell), entries.size(), without(list.kinds, at)}};
    List& child = made.list;
    items_.unfold_kinds(kind, entries.front().cell, child.kinds);
    child.items.reserve(entries.size() * child.width());
    for (const ListEntry& entry : entries) {
      append_without(list.row(entry.source), at, child.items);
      items_.unfold(kind, entry.cell, child.items);
    }
    if constexpr (Items::splits) merge_equal(made);
    return made;
  }

  // Without its Delta.
  [[nodiscard]] Made drop(const List& list, std::size_t at) {
    Made made{{list.coefficient * items_.dropped(list.kinds[at]), 0, without(list.kinds, at)}};
    hashed_.hash(list);
    made.list.rows = hashed_.number(list, at, made.rows,
                                    [&](std::size_t row) { append_without(list.row(row), at, made.list.items); });
    return made;
  }

 private:
  [[nodiscard]] static std::vector<Kind> without(std::vector<Kind> kinds, std::size_t at) {
    kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(at));
    return kinds;
  }
  static void append_without(std::span<const Item> row, std::size_t at, std::vector<Item>& items) {
    items.insert(items.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(at));
    items.insert(items.end(), row.begin() + static_cast<std::ptrdiff_t>(at) + 1, row.end());
  }

  // Several entries may come to the same row.
  void merge_equal(Made& made) {
    hashed_.hash(made.list);
    List merged{made.list.coefficient, 0, made.list.kinds};
    merged.rows = hashed_.number(made.list, HashedRows::no_position, made.rows, [&](std::size_t row) {
      merged.items.insert(merged.items.end(), made.list.row(row).begin(), made.list.row(row).end());
    });
    if (merged.rows == made.list.rows) {
      made.rows.clear();
    } else {
      made.list = std::move(merged);
    }
  }

  Items items_;
  ListGroups groups_;
  HashedRows hashed_;
};

}  // namespace gristmill::kernel::gram
