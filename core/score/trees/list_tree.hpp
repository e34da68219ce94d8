// SPDX-License-Identifier: BSD-3-Clause
// Lists of weighted tuples, taken apart position by position, as a tree in which f(t) = sum over s in the list of
// w(s) * prod over j of factor(s_j, t_j) is found by going down: into the list without the position, and into that of
// the production (or label) that t has there. Short lists are compared row by row.
//
// A node in the code: how many positions are the same in all rows, then position and item of each, which go one by one;
// then either
//   rows     0, how many, the first of them in the weights, the items row by row
//   split    1, position, node without its Delta (0: does not count), how many groups, their keys (ascending), their
//   nodes
#pragma once
#include "kernel/operator/list_cutter.hpp"
#include "kernel/operator/program_groups.hpp"
#include "kernel/trees/semiring.hpp"

namespace gristmill::score::trees {

using kernel::gram::Item;
using kernel::gram::Kind;

struct ListTree {
  enum Type : std::uint32_t { rows, split };

  std::vector<std::uint32_t> code{0};  // node 0 is none
  std::vector<double> weights{};       // row by row, one for each output

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return code.size() * sizeof(std::uint32_t) + weights.size() * sizeof(double);
  }
};

template <class Items>
class ListTreeBuilder {
 public:
  using List = kernel::gram::TupleList<typename Items::Value>;

  ListTreeBuilder(Items items, std::size_t outputs, ListTree& tree)
      : cut_(std::move(items)), outputs_(outputs), tree_(tree) {}

  // The node of a list with its weights. Unless it is whole, only what the items of its one position stand for counts.
  std::uint32_t add(List list, std::vector<double> weights, bool is_whole, const kernel::gram::Watch& watch) {
    std::uint32_t node = 0;
    wait({std::move(list), std::move(weights), is_whole, SIZE_MAX});
    while (!waiting_.empty()) {
      Waiting next = std::move(waiting_.back());
      waiting_.pop_back();
      watch(next.list.items.size() + cut_.items().take_work(), waiting_bytes_);
      waiting_bytes_ -= next.nbytes();
      const std::uint32_t made = write(std::move(next.list), next.weights, next.is_whole);
      (next.patch == SIZE_MAX ? node : tree_.code[next.patch]) = made;
    }
    return node;
  }

 private:
  static constexpr std::size_t few = 6;  // rows that are compared one by one

  struct Waiting {
    List list;
    std::vector<double> weights;
    bool is_whole;
    std::size_t patch;  // where in the code its node is wanted

    [[nodiscard]] std::size_t nbytes() const noexcept { return list.nbytes() + weights.size() * sizeof(double); }
  };

  void wait(Waiting list) {
    waiting_bytes_ += list.nbytes();
    waiting_.push_back(std::move(list));
  }

  std::uint32_t write(List list, const std::vector<double>& weights, bool is_whole) {
    const std::size_t node = tree_.code.size();
    if (node > UINT32_MAX - 1) throw std::length_error("a machine has too many support trees to be taken apart");
    if (is_whole) {
      write_constants(list);
    } else {
      put(0);
    }
    if (is_whole && list.rows <= few) {
      write_rows(list, weights);
    } else {
      write_split(list, weights, is_whole);
    }
    return static_cast<std::uint32_t>(node);
  }

  void write_constants(List& list) {
    const std::size_t count_at = tree_.code.size();
    put(0);
    list.take_constants([&](std::size_t position) {
      put(position - tree_.code[count_at]++);  // those before it are gone by then
      put(list.items[position]);
    });
  }

  void write_rows(const List& list, const std::vector<double>& weights) {
    put(ListTree::rows);
    put(list.rows);
    put(tree_.weights.size() / outputs_);
    tree_.code.insert(tree_.code.end(), list.items.begin(), list.items.end());
    tree_.weights.insert(tree_.weights.end(), weights.begin(), weights.end());
  }

  void write_split(const List& list, const std::vector<double>& weights, bool is_whole) {
    const std::size_t position = cut_.choose(list);
    const kernel::gram::ListGroups& groups = cut_.group(list, position);
    std::vector<std::uint32_t> by_key;
    for (std::uint32_t group = 0; group < groups.size(); ++group) {
      if (is_whole || !cut_.items().counts_alone(groups.key(group))) by_key.push_back(group);
    }
    std::ranges::sort(by_key, {}, [&](std::uint32_t group) { return groups.key(group); });
    put(ListTree::split);
    put(position);
    const std::size_t dropped_at = tree_.code.size();
    put(0);
    put(by_key.size());
    for (const std::uint32_t group : by_key) put(groups.key(group));
    const std::size_t nodes_at = tree_.code.size();
    tree_.code.resize(nodes_at + by_key.size());
    for (std::size_t at = 0; at < by_key.size(); ++at) {
      const std::span<const kernel::gram::ListEntry> entries = groups.entries(by_key[at]);
      auto made = cut_.expand(list, position, entries);
      std::vector<double> sums(made.list.rows * outputs_, 0.0);
      for (std::size_t entry = 0; entry < entries.size(); ++entry) {
        const std::size_t row = made.rows.empty() ? entry : made.rows[entry];
        add_weights(weights, entries[entry].source, entries[entry].weight, sums, row);
      }
      wait({std::move(made.list), std::move(sums), true, nodes_at + at});
    }
    if (!is_whole) return;
    auto rest = cut_.drop(list, position);
    std::vector<double> sums(rest.list.rows * outputs_, 0.0);
    for (std::size_t row = 0; row < list.rows; ++row) add_weights(weights, row, 1.0, sums, rest.rows[row]);
    wait({std::move(rest.list), std::move(sums), true, dropped_at});
  }

  void add_weights(const std::vector<double>& from, std::size_t row, double times, std::vector<double>& to,
                   std::size_t to_row) const {
    for (std::size_t output = 0; output < outputs_; ++output) {
      to[to_row * outputs_ + output] += times * from[row * outputs_ + output];
    }
  }
  void put(std::size_t word) { tree_.code.push_back(static_cast<std::uint32_t>(word)); }

  kernel::gram::ListCutter<Items> cut_;
  std::size_t outputs_;
  ListTree& tree_;
  std::vector<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
};

// Goes down a tree with one tuple at a time.
template <class Items>
class ListTreeWalk {
 public:
  using Value = typename Items::Value;

  ListTreeWalk(Items items, std::span<const std::uint32_t> code, std::span<const double> weights, std::size_t outputs)
      : items_(std::move(items)), code_(code), weights_(weights), outputs_(outputs) {}

  // out += times * f(tuple). Gives up after so many nodes: where items stand for several things, there may be any
  // number of ways down to a node. Then false is returned, and out is worth nothing.
  [[nodiscard]] bool add(std::uint32_t root, Value times, std::span<const Kind> kinds, std::span<const Item> tuple,
                         std::size_t most, double* out) {
    most_ = work_ + most;
    kinds_.assign(kinds.begin(), kinds.end());
    tuples_.assign(tuple.begin(), tuple.end());
    visits_.assign(1, {root, times, 0, tuple.size()});
    while (!visits_.empty()) {
      Visit visit = visits_.back();
      visits_.pop_back();
      kinds_.resize(visit.first + visit.size);
      tuples_.resize(visit.first + visit.size);
      while (visit.node != 0) visit.node = resume(visit, out);
      if (work_ > most_) return false;
    }
    return true;
  }
  [[nodiscard]] Items& items() noexcept { return items_; }
  [[nodiscard]] std::size_t take_work() { return std::exchange(work_, 0) + items_.take_work(); }

 private:
  struct Visit {
    std::uint32_t node;
    Value times;
    std::size_t first;  // of its tuple
    std::size_t size;
  };

  // Returns the node to go on with, or none. Others are put on the stack, with tuples of their own.
  [[nodiscard]] std::uint32_t resume(Visit& visit, double* out) {
    ++work_;
    const std::uint32_t* at = code_.data() + visit.node;
    for (std::uint32_t count = *at++; count > 0; --count, at += 2) {
      visit.times *= items_.pair(kind(visit, at[0]), at[1], item(visit, at[0]));
      remove(visit, at[0]);
    }
    if (*at++ == ListTree::rows) {
      add_rows(visit, at, out);
      return 0;
    }
    const std::uint32_t position = *at++;
    const std::uint32_t dropped = *at++;
    const std::uint32_t count = *at++;
    const Kind own = kind(visit, position);
    items_.expand(own, item(visit, position), [&](Item cell, std::uint32_t key, double weight) {
      const std::uint32_t* found = std::lower_bound(at, at + count, key);
      if (found == at + count || *found != key) return;
      push(visit, position, found[count], cell, weight * items_.weight(own, cell));
    });
    visit.times *= items_.dropped(own);
    remove(visit, position);
    return dropped;
  }

  void push(const Visit& from, std::uint32_t without, std::uint32_t node, Item cell, Value times) {
    const std::size_t first = tuples_.size();
    const Kind own = kind(from, without);
    for (std::size_t position = 0; position < from.size; ++position) {
      if (position == without) continue;
      kinds_.push_back(kinds_[from.first + position]);
      tuples_.push_back(tuples_[from.first + position]);
    }
    items_.unfold_kinds(own, cell, kinds_);
    items_.unfold(own, cell, tuples_);
    visits_.push_back({node, from.times * times, first, tuples_.size() - first});
  }

  void add_rows(const Visit& visit, const std::uint32_t* at, double* out) {
    const std::uint32_t rows = *at++;
    const double* weights = weights_.data() + *at++ * outputs_;
    for (std::uint32_t row = 0; row < rows; ++row) {
      Value value = visit.times;
      for (std::size_t position = 0; position < visit.size; ++position) {
        value *= items_.pair(kind(visit, position), *at++, item(visit, position));
      }
      const double counted = kernel::trees::Semiring<Value>::counted(value);
      for (std::size_t output = 0; output < outputs_; ++output) out[output] += counted * weights[output];
      weights += outputs_;
    }
  }

  [[nodiscard]] Kind kind(const Visit& visit, std::size_t position) const { return kinds_[visit.first + position]; }
  [[nodiscard]] Item item(const Visit& visit, std::size_t position) const { return tuples_[visit.first + position]; }
  void remove(Visit& visit, std::size_t position) {
    --visit.size;
    for (std::size_t at = visit.first + position; at < visit.first + visit.size; ++at) {
      kinds_[at] = kinds_[at + 1];
      tuples_[at] = tuples_[at + 1];
    }
  }

  Items items_;
  std::span<const std::uint32_t> code_;
  std::span<const double> weights_;
  std::size_t outputs_;
  std::vector<Kind> kinds_;
  std::vector<Item> tuples_;
  std::vector<Visit> visits_;
  std::size_t work_ = 0;
  std::size_t most_ = 0;
};

}  // namespace gristmill::score::trees
