// SPDX-License-Identifier: BSD-3-Clause
// Lists of lists as two arrays: all items one after the other, and where each list starts.
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace gristmill::inline base {

// Start: what positions are kept as. Items: a vector with another allocator where that pays.
template <class T, class Start = std::size_t, class Items = std::vector<T>>
class Lists {
 public:
  Lists() = default;

  // Lists of these lengths, all items T().
  template <class LengthOf>
  [[nodiscard]] static Lists of_lengths(std::size_t lists, LengthOf length_of) {
    Lists made;
    made.starts_.reserve(lists + 1);
    for (std::size_t list = 0; list < lists; ++list) {
      made.starts_.push_back(static_cast<Start>(made.starts_.back() + static_cast<Start>(length_of(list))));
    }
    made.items_.resize(made.starts_.back());
    return made;
  }

  // Lists of these lengths. each(visit) calls visit(list, item) for all items, those of a list in their order.
  template <class LengthOf, class Each>
  [[nodiscard]] static Lists filled(std::size_t lists, LengthOf length_of, Each each) {
    Lists made = of_lengths(lists, length_of);
    std::vector<Start> next(made.starts_.begin(), made.starts_.end() - 1);
    each([&](std::size_t list, const T& item) { made.items_[next[list]++] = item; });
    return made;
  }

  // A stable counting sort. each(visit) calls visit(key, value) for everything there is and is called twice; list `key`
  // gets the values of the key. Keys from `keys` on are left out.
  template <class Each>
  [[nodiscard]] static Lists grouped(std::size_t keys, Each each) {
    std::vector<Start> lengths(keys, 0);
    each([&](std::size_t key, const auto&) {
      if (key < keys) ++lengths[key];
    });
    return filled(
        keys, [&](std::size_t key) { return lengths[key]; },
        [&](auto visit) {
          each([&](std::size_t key, const auto& value) {
            if (key < keys) visit(key, value);
          });
        });
  }
  // The same of value_of(0), ..., value_of(n - 1) by key_of(0), ..., key_of(n - 1).
  template <class KeyOf, class ValueOf>
  [[nodiscard]] static Lists grouped(std::size_t keys, std::size_t n, KeyOf key_of, ValueOf value_of) {
    return grouped(keys, [&](auto visit) {
      for (std::size_t at = 0; at < n; ++at) visit(key_of(at), value_of(at));
    });
  }

  [[nodiscard]] std::size_t size() const noexcept { return starts_.size() - 1; }  // lists
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::span<const T> operator[](std::size_t list) const noexcept {
    return {items_.data() + starts_[list], items_.data() + starts_[list + 1]};
  }
  [[nodiscard]] std::span<T> operator[](std::size_t list) noexcept {
    return {items_.data() + starts_[list], items_.data() + starts_[list + 1]};
  }
  [[nodiscard]] std::span<const T> items() const noexcept { return items_; }
  // Where each list starts among the items, and the end of the last one.
  [[nodiscard]] std::span<const Start> starts() const noexcept { return starts_; }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return starts_.size() * sizeof(Start) + items_.size() * sizeof(T);
  }

  // Items pushed belong to a list once it is closed.
  void push(T item) { items_.push_back(std::move(item)); }
  void close() { starts_.push_back(static_cast<Start>(items_.size())); }
  void add(std::span<const T> list) {
    items_.insert(items_.end(), list.begin(), list.end());
    close();
  }
  void append(const Lists& others) {
    const auto shift = static_cast<Start>(items_.size());
    items_.insert(items_.end(), others.items_.begin(), others.items_.end());
    for (std::size_t list = 0; list < others.size(); ++list) starts_.push_back(others.starts_[list + 1] + shift);
  }

  void reserve(std::size_t lists, std::size_t items) {
    starts_.reserve(lists + 1);
    items_.reserve(items);
  }
  void clear() {
    starts_.resize(1);
    items_.clear();
  }
  void shrink_to_fit() {
    starts_.shrink_to_fit();
    items_.shrink_to_fit();
  }

 private:
  std::vector<Start> starts_{0};
  Items items_;
};

}  // namespace gristmill::inline base
