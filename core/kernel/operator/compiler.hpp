// SPDX-License-Identifier: BSD-3-Clause
// Compiles lists of tuples into a program: they are taken apart, position by position. Short lists, and those whose
// program would be longer than all their pairs, become dense triangles. Nothing recurses.
//
// Where an item stands for one thing only, the lists with its Delta are parts of the list: rows are put in such an
// order that they are neighbours, at all depths, and nothing has to be copied.
#pragma once
#include <numeric>
#include <utility>

#include "kernel/operator/list_cutter.hpp"
#include "kernel/operator/program_writer.hpp"
#include "kernel/trees/semiring.hpp"

namespace gristmill::kernel::gram {

template <class Items>
class ListCompiler {
 public:
  using Value = typename Items::Value;
  using List = TupleList<Value>;

  explicit ListCompiler(Items items) : cut_(std::move(items)) {}

  // Appends the operator of some lists, shorter ones first, whose rows one after the other are these places of the list
  // the program starts with. Unless they are whole, only what the items of their one position stand for counts.
  void compile(std::vector<List> lists, std::span<const std::uint32_t> places, bool are_whole, Program& program,
               const Watch& watch) {
    ProgramWriter writer(program);
    writer_ = &writer;
    watch_ = &watch;
    cut_.items().set_watch(watch);
    open_all(std::move(lists), places, are_whole);
    while (!frames_.empty()) {
      watch(frames_.back().list.items.size() + cut_.items().take_work(), waiting_bytes_);
      advance();
    }
  }

 private:
  using Ids = std::vector<std::uint32_t>;
  using Entries = std::vector<ListEntry>;
  using Made = typename ListCutter<Items>::Made;

  // Rows of a list that go on as a list of their own, which is made when its turn comes.
  struct Child {
    std::size_t first = 0;  // where it begins in the list, if it is a part of it
    Entries entries{};      // what it is made of, or
    List list{};            // itself
  };
  struct Frame {
    List list;
    bool is_whole = true;  // the factor at the split counts without its Delta too
    bool is_open = false;  // stands in the program
    ProgramWriter::Opened opened{};
    Program::Position start{};     // of its steps
    std::size_t limit = SIZE_MAX;  // of the program, for this list and those around it
    std::size_t first = 0;         // where it begins in the list with numbers of its own that it is a part of
    Ids ids{};                     // which rows of that one it had when it came
    Ids places{};                  // of a list with numbers of its own: those of what it was made of
    bool is_split = false;
    bool is_done = false;           // with all but its children
    std::size_t position = 0;       // where it is split
    std::vector<Child> children{};  // still to come, the next one last
    std::size_t bytes = 0;          // of the list and all that it keeps beside it

    [[nodiscard]] bool has_numbers() const { return is_open && opened.by != Program::slice; }
  };

  [[nodiscard]] static double counted(const Value& value) { return trees::Semiring<Value>::counted(value); }

  // --- the walk -----------------------------------------------------------------------------------------------------

  void advance() {
    Frame& frame = frames_.back();
    if (!frame.is_split) {
      frame.is_split = true;
      split();
    } else if (!frame.children.empty()) {
      Child child = std::move(frame.children.back());
      frame.children.pop_back();
      open_child(std::move(child));
    } else if (frame.is_whole && !frame.is_done) {
      frame.is_done = true;
      open_dropped();
    } else {
      finish();
    }
    if (!frames_.empty() && writer_->position().total() > frames_.back().limit) give_up();
  }

  void split() {
    Frame& frame = frames_.back();
    if (frame.is_whole && frame.list.rows <= Items::largest_dense) return write_dense();
    frame.position = cut_.choose(frame.list);
    const ListGroups& groups = cut_.group(frame.list, frame.position);
    if constexpr (Items::splits) {
      pick_groups(groups);
    } else {
      sort_groups(groups);
    }
    std::ranges::reverse(frame.children);
    count_children(frame);
  }

  void finish() {
    const Frame& frame = frames_.back();
    if (frame.has_numbers()) put_places(frame);
    if (frame.is_open) writer_->close(frame.opened);
    leave();
  }

  // The innermost list whose program is longer than its pairs becomes a triangle.
  void give_up() {
    const std::size_t total = writer_->position().total();
    while (total <= own_limit(frames_.back())) {
      if (frames_.back().is_open) writer_->abandon(frames_.back().opened);
      leave();
    }
    frames_.back().children.clear();
    writer_->truncate(frames_.back().start);
    write_dense();
  }
  [[nodiscard]] static std::size_t own_limit(const Frame& frame) {
    if (!frame.is_whole) return SIZE_MAX;  // pairs would count for more
    return frame.start.total() + frame.list.rows * (frame.list.rows + 1) / 2 + 1;
  }

  // --- lists in lists -----------------------------------------------------------------------------------------------

  // All rows there are become one list of the program, of which the lists are parts.
  void open_all(std::vector<List> lists, std::span<const std::uint32_t> places, bool are_whole) {
    Frame all{.list = {.rows = places.size()}, .is_whole = false, .is_open = true};
    all.places.assign(places.begin(), places.end());
    all.opened = writer_->open_pick(places.size(), Program::whole);
    all.is_split = true;
    start_order(places.size());
    std::size_t first = 0;
    std::vector<Child> small;
    for (List& list : lists) {
      const std::size_t rows = list.rows;
      if (are_whole) list.strip_constants(cut_.items());
      const bool is_small = are_whole && rows <= Program::largest_block;
      (is_small ? small : all.children).push_back({first, {}, std::move(list)});
      first += rows;
    }
    write_blocks(small);
    std::ranges::reverse(all.children);
    parts_are_whole_ = are_whole;
    frames_.push_back(std::move(all));
  }

  // Items stand for one thing each: groups become parts of the list, the small ones first.
  void sort_groups(const ListGroups& groups) {
    Frame& frame = frames_.back();
    Ids by_size(groups.size());
    std::iota(by_size.begin(), by_size.end(), 0U);
    std::ranges::stable_sort(by_size, {}, [&](std::uint32_t group) { return groups.entries(group).size(); });
    Ids order;
    std::vector<Child> small;
    for (const std::uint32_t group : by_size) {
      const std::span<const ListEntry> entries = groups.entries(group);
      Child child{order.size(), {}, {}};
      for (const ListEntry& entry : entries) order.push_back(entry.source);
      if (entries.size() <= Program::largest_block) {
        child.list = make(frame, entries).list;
        small.push_back(std::move(child));
      } else {
        child.entries.assign(entries.begin(), entries.end());
        frame.children.push_back(std::move(child));
      }
    }
    write_blocks(small);
    reorder(frame, order);
  }

  // Items stand for several things: groups are lists made of this one. Small ones are put together.
  void pick_groups(const ListGroups& groups) {
    Frame& frame = frames_.back();
    std::vector<Child> small;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if (!frame.is_whole && cut_.items().counts_alone(groups.key(group))) continue;
      const std::span<const ListEntry> entries = groups.entries(group);
      Child child{0, {entries.begin(), entries.end()}, {}};
      if (entries.size() <= Program::largest_block) {
        Made made = make(frame, entries);
        if (made.rows.empty()) {
          child.list = std::move(made.list);
          small.push_back(std::move(child));
          continue;
        }
      }
      frame.children.push_back(std::move(child));
    }
    if (small.empty()) return;
    std::ranges::stable_sort(small, {}, [](const Child& child) { return child.entries.size(); });
    std::size_t rows = 0;
    for (Child& child : small) child.first = std::exchange(rows, rows + child.entries.size());
    const ProgramWriter::Opened opened = writer_->open_pick(rows, frame.list.rows);
    std::size_t at = 0;
    for (const Child& child : small) {
      for (const ListEntry& entry : child.entries) writer_->put_place(opened, frame.list.rows, at++, entry.source);
    }
    write_blocks(small);
    writer_->close(opened);
  }

  void open_child(Child child) {
    const Frame& frame = frames_.back();
    if (child.entries.empty()) {  // known already
      const bool is_whole = parts_are_whole_;
      return open_part(std::move(child.list), child.first, is_whole);
    }
    Made made = make(frame, child.entries);
    if constexpr (!Items::splits) {
      open_part(std::move(made.list), child.first, true);
    } else {
      const auto is_plain = [](const ListEntry& entry) { return entry.weight == 1; };
      if (made.rows.empty() && std::ranges::all_of(child.entries, is_plain) &&
          are_all(child.entries, frame.list.rows)) {
        return open_part(std::move(made.list), 0, true);
      }
      open_spread(std::move(made), child.entries);
    }
  }
  // Whether the entries are the rows of a list, one by one.
  [[nodiscard]] static bool are_all(const Entries& entries, std::size_t rows) {
    if (entries.size() != rows) return false;
    for (std::size_t at = 0; at < rows; ++at) {
      if (entries[at].source != at) return false;
    }
    return true;
  }

  void open_part(List list, std::size_t first, bool is_whole) {
    const Frame& around = frames_.back();
    const std::size_t begin = around.first + first;
    Frame part{.list = std::move(list), .is_whole = is_whole, .first = begin};
    part.is_open = part.list.rows < around.list.rows;
    if (part.is_open) part.opened = writer_->open_slice(first, part.list.rows);
    const auto ids = orders_.back().begin() + static_cast<std::ptrdiff_t>(begin);
    part.ids.assign(ids, ids + static_cast<std::ptrdiff_t>(part.list.rows));
    enter(std::move(part));
  }

  void open_spread(Made made, const Entries& entries) {
    Frame inner{.list = std::move(made.list), .is_open = true};
    inner.opened = writer_->open_spread(inner.list.rows, entries.size());
    for (const ListEntry& entry : entries) writer_->place(frames_.back().list.rows, entry.source);
    for (std::size_t at = 0; at < entries.size(); ++at) {
      writer_->place(inner.list.rows, made.rows.empty() ? at : made.rows[at]);
      writer_->coef(entries[at].weight);
    }
    enter_numbers(std::move(inner));
  }

  // Without its Delta: the position goes. Now the order of the rows is known.
  void open_dropped() {
    const Frame& frame = frames_.back();
    const List list = in_order(frame);
    Made rest = cut_.drop(list, frame.position);
    rest.list.strip_constants(cut_.items());
    if (rest.list.rows == 1) {
      writer_->step(Program::same);
      writer_->coef(counted(rest.list.coefficient));
    } else {  // with numbers of its own even if it has as many rows: they will stand in another order
      Frame inner{.list = std::move(rest.list), .is_open = true};
      inner.opened = writer_->open_merge(inner.list.rows, list.rows);
      inner.places = std::move(rest.rows);
      enter_numbers(std::move(inner));
    }
  }

  void enter_numbers(Frame frame) {
    start_order(frame.list.rows);
    frame.ids = orders_.back();
    enter(std::move(frame));
  }
  void enter(Frame frame) {
    frame.start = writer_->position();
    frame.limit = std::min(frames_.back().limit, own_limit(frame));
    frame.bytes = frame.list.nbytes() + (frame.ids.size() + frame.places.size()) * sizeof(std::uint32_t);
    waiting_bytes_ += frame.bytes;
    frames_.push_back(std::move(frame));
  }
  void leave() {
    waiting_bytes_ -= frames_.back().bytes;
    if (frames_.back().has_numbers()) orders_.pop_back();
    frames_.pop_back();
  }
  void count_children(Frame& frame) {
    std::size_t bytes = 0;
    for (const Child& child : frame.children) bytes += child.entries.size() * sizeof(ListEntry) + child.list.nbytes();
    frame.bytes += bytes;
    waiting_bytes_ += bytes;
  }

  // --- the order of rows --------------------------------------------------------------------------------------------

  void start_order(std::size_t rows) {
    orders_.emplace_back(rows);
    std::iota(orders_.back().begin(), orders_.back().end(), 0U);
  }

  // These rows first, then all others.
  void reorder(const Frame& frame, Ids& order) {
    std::vector<bool> is_placed(frame.list.rows, false);
    for (const std::uint32_t row : order) is_placed[row] = true;
    for (std::uint32_t row = 0; row < frame.list.rows; ++row) {
      if (!is_placed[row]) order.push_back(row);
    }
    for (std::size_t at = 0; at < order.size(); ++at) orders_.back()[frame.first + at] = frame.ids[order[at]];
  }

  // The list with its rows as they are now.
  [[nodiscard]] List in_order(const Frame& frame) {
    const List& list = frame.list;
    if constexpr (Items::splits) return list;
    row_of_.resize(std::max(row_of_.size(), orders_.back().size()));
    for (std::uint32_t row = 0; row < list.rows; ++row) row_of_[frame.ids[row]] = row;
    List sorted{list.coefficient, list.rows, list.kinds, {}};
    sorted.items.reserve(list.items.size());
    for (std::size_t at = 0; at < list.rows; ++at) {
      const std::span<const Item> row = list.row(row_of_[orders_.back()[frame.first + at]]);
      sorted.items.insert(sorted.items.end(), row.begin(), row.end());
    }
    return sorted;
  }

  // A list knows the order of its rows only now.
  void put_places(const Frame& frame) {
    const Ids& order = orders_.back();
    if (frame.opened.by == Program::pick) {
      for (std::size_t at = 0; at < order.size(); ++at) {
        writer_->put_place(frame.opened, Program::whole, at, frame.places[order[at]]);
      }
    } else if (frame.opened.by == Program::merge) {
      row_of_.resize(std::max(row_of_.size(), order.size()));
      for (std::uint32_t at = 0; at < order.size(); ++at) row_of_[order[at]] = at;
      for (std::size_t at = 0; at < frame.places.size(); ++at) {
        writer_->put_place(frame.opened, order.size(), at, row_of_[frame.places[at]]);
      }
    }
  }

  // --- what stands in lists -----------------------------------------------------------------------------------------

  [[nodiscard]] Made make(const Frame& frame, std::span<const ListEntry> entries) {
    Made made = cut_.expand(frame.list, frame.position, entries);
    made.list.strip_constants(cut_.items());
    return made;
  }

  // Small lists, by size, that stand one after the other in the list.
  void write_blocks(const std::vector<Child>& small) {
    for (std::size_t at = 0; at < small.size();) {
      const std::size_t size = small[at].list.rows;
      std::size_t end = at;
      while (end < small.size() && small[end].list.rows == size) ++end;
      if (size == 1) {
        writer_->step(Program::diagonal, {small[at].first, end - at});
      } else {
        writer_->step(Program::blocks, {size, small[at].first, end - at});
      }
      for (; at < end; ++at) write_triangle(small[at]);
    }
  }
  void write_triangle(const Child& child) {
    const auto weight = [&](std::size_t row) {
      return Items::splits && !child.entries.empty() ? child.entries[row].weight : 1.0;
    };
    for (std::size_t i = 0; i < child.list.rows; ++i) {
      for (std::size_t j = 0; j <= i; ++j) writer_->coef(weight(i) * coefficient(child.list, i, j) * weight(j));
    }
  }

  void write_dense() {
    Frame& frame = frames_.back();
    const List list = in_order(frame);
    frame.is_done = true;
    writer_->step(Program::dense);
    for (std::size_t i = 0; i < list.rows; ++i) {
      for (std::size_t j = 0; j <= i; ++j) writer_->coef(coefficient(list, i, j));
      (*watch_)(i + cut_.items().take_work(), waiting_bytes_);
    }
  }

  [[nodiscard]] double coefficient(const List& list, std::size_t i, std::size_t j) {
    Value value = list.coefficient;
    for (std::size_t position = 0; position < list.width(); ++position) {
      value *= cut_.items().pair(list.kinds[position], list.row(i)[position], list.row(j)[position]);
    }
    return counted(value);
  }

  ListCutter<Items> cut_;
  ProgramWriter* writer_ = nullptr;
  const Watch* watch_ = nullptr;
  std::vector<Frame> frames_;
  std::vector<Ids> orders_;  // of lists with numbers of their own: which row stands where
  Ids row_of_;
  std::size_t waiting_bytes_ = 0;  // of all frames
  bool parts_are_whole_ = true;    // of the list the program starts with
};

}  // namespace gristmill::kernel::gram
