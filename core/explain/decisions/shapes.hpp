// SPDX-License-Identifier: BSD-3-Clause
// Support rows of one size that share equally many features with a row have one value of the kernel: one shape. What is
// computed for a shape is remembered.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "base/lists.hpp"
#include "explain/decisions/gains.hpp"

namespace gristmill::explain::decisions {

class Shapes {
 public:
  explicit Shapes(const Lists<Slot>& rows) {
    std::map<std::size_t, std::uint32_t> firsts;
    for (std::size_t row = 0; row < rows.size(); ++row) firsts.emplace(rows[row].size(), 0U);
    for (auto& [length, first] : firsts) {
      first = size_;
      size_ += static_cast<std::uint32_t>(length) + 1;
    }
    for (std::size_t row = 0; row < rows.size(); ++row) firsts_.push_back(firsts.at(rows[row].size()));
  }

  [[nodiscard]] std::uint32_t of(std::size_t row, std::size_t overlap) const {
    return firsts_[row] + static_cast<std::uint32_t>(overlap);
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t nbytes() const noexcept { return firsts_.size() * sizeof(std::uint32_t); }

 private:
  std::vector<std::uint32_t> firsts_;  // by row: the shape of no shared feature
  std::uint32_t size_ = 0;
};

template <class T>
class ByShape {
 public:
  explicit ByShape(const Shapes& shapes) : places_(shapes.size(), nowhere) {}

  void forget() {
    for (const std::uint32_t shape : made_for_) places_[shape] = nowhere;
    made_for_.clear();
    made_.clear();
  }

  // make() is called where nothing is remembered. What is returned is good until the next call.
  template <class Make>
  [[nodiscard]] const T& get(std::uint32_t shape, const Make& make) {
    if (places_[shape] == nowhere) {
      places_[shape] = static_cast<std::uint32_t>(made_.size());
      made_for_.push_back(shape);
      made_.push_back(make());
    }
    return made_[places_[shape]];
  }

 private:
  static constexpr std::uint32_t nowhere = ~0U;

  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> made_for_;
  std::vector<T> made_;
};

}  // namespace gristmill::explain::decisions
