// SPDX-License-Identifier: BSD-3-Clause
// From the ids of a set of features to a value each. One load when ids are dense, else a probe of a hash table; sized
// by the features there are, never by the largest id, so a single id of two thousand million costs nothing.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/hash.hpp"
#include "base/types.hpp"
#include "base/variants.hpp"

namespace gristmill::rows {

template <class Value>
class IdTable {
 public:
  IdTable() : IdTable({}, {}, Value{}) {}

  // ids differ from one another; values[i] belongs to ids[i]; absent is what every other id gets.
  IdTable(std::span<const FeatureId> ids, std::span<const Value> values, const Value& absent) {
    std::size_t limit = 0;
    for (const FeatureId id : ids) limit = std::max(limit, static_cast<std::size_t>(id) + 1);
    if (limit <= smallest_hash + share * ids.size()) {
      fill_table(ids, values, absent, limit);
    } else {
      fill_slots(ids, values, absent);
    }
  }

  [[nodiscard]] const Value& find(FeatureId id) const noexcept {
    const auto key = static_cast<std::uint32_t>(id);
    if (keys_.empty()) return values_.data()[std::min<std::size_t>(key, values_.size() - 1)];
    std::size_t at = slot_of(key, keys_.size());
    while (keys_.data()[at] != key && keys_.data()[at] != nobody) at = (at + 1) & (keys_.size() - 1);
    return values_.data()[at];
  }

  // find() of many ids; what kind of table it is need be asked only once.
  GRISTMILL_INLINE void find_all(std::span<const FeatureId> ids, Value* out) const noexcept {
    if (keys_.empty()) {
      const Value* values = values_.data();
      const auto last = static_cast<std::uint32_t>(values_.size() - 1);
      for (const FeatureId id : ids) *out++ = values[std::min(static_cast<std::uint32_t>(id), last)];
    } else {
      for (const FeatureId id : ids) *out++ = find(id);
    }
  }

  GRISTMILL_INLINE void prefetch_all(std::span<const FeatureId> ids) const noexcept {
    const Value* values = values_.data();
    if (keys_.empty()) {
      const auto last = static_cast<std::uint32_t>(values_.size() - 1);
      for (const FeatureId id : ids) __builtin_prefetch(values + std::min(static_cast<std::uint32_t>(id), last));
    } else {
      for (const FeatureId id : ids) __builtin_prefetch(values + slot_of(static_cast<std::uint32_t>(id), keys_.size()));
    }
  }

  [[nodiscard]] std::size_t nbytes() const noexcept { return keys_.nbytes() + values_.nbytes(); }
  [[nodiscard]] const Buffer<std::uint32_t>& keys() const noexcept { return keys_; }
  [[nodiscard]] const Buffer<Value>& values() const noexcept { return values_; }
  [[nodiscard]] Buffer<std::uint32_t>& keys() noexcept { return keys_; }
  [[nodiscard]] Buffer<Value>& values() noexcept { return values_; }

  // A table has at least the absent value; a hash table is a power of two in size and never full.
  [[nodiscard]] bool is_sound() const {
    if (values_.empty()) return false;
    if (keys_.empty()) return true;
    return keys_.size() == values_.size() && std::has_single_bit(keys_.size()) &&
           std::ranges::count(keys_.span(), nobody) > 0;
  }

 private:
  static constexpr std::uint32_t nobody = 0xFFFFFFFF;  // ids are below 2^31
  static constexpr std::size_t share = 16;             // a table may be this many times larger than what it holds
  static constexpr std::size_t smallest_hash = 4096;

  void fill_table(std::span<const FeatureId> ids, std::span<const Value> values, const Value& absent,
                  std::size_t limit) {
    std::vector<Value> table(limit + 1, absent);
    for (std::size_t at = 0; at < ids.size(); ++at) table[static_cast<std::size_t>(ids[at])] = values[at];
    values_ = Buffer<Value>(std::move(table));
  }

  void fill_slots(std::span<const FeatureId> ids, std::span<const Value> values, const Value& absent) {
    const std::size_t capacity = std::bit_ceil(2 * ids.size() + 2);
    std::vector<std::uint32_t> keys(capacity, nobody);
    std::vector<Value> slots(capacity, absent);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto key = static_cast<std::uint32_t>(ids[i]);
      std::size_t at = slot_of(key, capacity);
      while (keys[at] != nobody) at = (at + 1) & (capacity - 1);
      keys[at] = key;
      slots[at] = values[i];
    }
    keys_ = Buffer<std::uint32_t>(std::move(keys));
    values_ = Buffer<Value>(std::move(slots));
  }

  Buffer<std::uint32_t> keys_;  // empty: values_ is indexed by id, the last one is for all ids beyond
  Buffer<Value> values_;
};

}  // namespace gristmill::rows
