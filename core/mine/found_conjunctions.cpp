// SPDX-License-Identifier: BSD-3-Clause
#include "mine/found_conjunctions.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace gristmill::mine {

bool heavier(const Conjunction& one, const Conjunction& other) {
  const double left = std::abs(one.weight());
  const double right = std::abs(other.weight());
  if (left != right) return left > right;
  if (one.ids.size() != other.ids.size()) return one.ids.size() < other.ids.size();
  return std::tie(one.ids, one.output) < std::tie(other.ids, other.output);
}

bool FoundConjunctions::has_room_for(const Conjunction& conjunction) const {
  const std::scoped_lock lock(mutex_);
  return !options_.top || heap_.size() < *options_.top || heavier(conjunction, heap_.front());
}

void FoundConjunctions::offer(Conjunction conjunction) {
  const std::scoped_lock lock(mutex_);
  if (!options_.top) {
    if (heap_.size() == options_.max_found) {
      throw std::length_error("more than max_rules = " + std::to_string(options_.max_found) +
                              " conjunctions weigh that much; raise min_weight, min_support or max_rules");
    }
    heap_.push_back(std::move(conjunction));
    return;
  }
  if (heap_.size() == *options_.top) {
    if (!heavier(conjunction, heap_.front())) return;
    std::ranges::pop_heap(heap_, heavier);
    heap_.pop_back();
  }
  heap_.push_back(std::move(conjunction));
  std::ranges::push_heap(heap_, heavier);
  if (heap_.size() == *options_.top) floor_ = std::max(options_.sigma, std::abs(heap_.front().weight()));
}

std::vector<Conjunction> FoundConjunctions::sorted() && {
  std::ranges::sort(heap_, heavier);
  return std::move(heap_);
}

}  // namespace gristmill::mine
