// SPDX-License-Identifier: BSD-3-Clause
// Equal rows of a list found by hashing, also with one position left out: the hash of a row is a sum over positions.
#pragma once
#include <bit>

#include "kernel/operator/tuple_list.hpp"

namespace gristmill::kernel::gram {

class HashedRows {
 public:
  static constexpr std::size_t no_position = SIZE_MAX;

  // Computes the hashes of all rows.
  template <class Value>
  void hash(const TupleList<Value>& list) {
    hashes_.resize(list.rows);
    for (std::size_t at = 0; at < list.rows; ++at) {
      std::uint64_t sum = 0;
      for (std::size_t position = 0; position < list.width(); ++position) sum += mix(position, list.row(at)[position]);
      hashes_[at] = sum;
    }
  }

  // How many different rows there are without the position, nearly: equal hashes are taken for equal rows.
  template <class Value>
  [[nodiscard]] std::size_t count(const TupleList<Value>& list, std::size_t without) {
    clear(list.rows);
    std::size_t found = 0;
    for (std::size_t at = 0; at < list.rows; ++at) {
      const std::uint64_t hash = hash_of(list, at, without);
      std::size_t slot = home(hash);
      while (slots_[slot].row != empty && slots_[slot].hash != hash) slot = (slot + 1) & mask_;
      if (slots_[slot].row != empty) continue;
      slots_[slot] = {hash, static_cast<std::uint32_t>(at)};
      ++found;
    }
    return found;
  }

  // first(row) is called for the first of equal rows, which are then numbered; numbers[row] for all rows.
  template <class Value, class First>
  std::size_t number(const TupleList<Value>& list, std::size_t without, std::vector<std::uint32_t>& numbers,
                     First first) {
    clear(list.rows);
    numbers.resize(list.rows);
    std::uint32_t found = 0;
    for (std::size_t at = 0; at < list.rows; ++at) {
      const std::uint64_t hash = hash_of(list, at, without);
      std::size_t slot = home(hash);
      while (slots_[slot].row != empty &&
             (slots_[slot].hash != hash || !equal(list.row(slots_[slot].row), list.row(at), without))) {
        slot = (slot + 1) & mask_;
      }
      if (slots_[slot].row == empty) {
        slots_[slot] = {hash, static_cast<std::uint32_t>(at)};
        numbers[at] = found++;
        first(at);
      } else {
        numbers[at] = numbers[slots_[slot].row];
      }
    }
    return found;
  }

 private:
  struct Slot {
    std::uint64_t hash;
    std::uint32_t row;
  };
  static constexpr std::uint32_t empty = UINT32_MAX;

  [[nodiscard]] static std::uint64_t mix(std::size_t position, Item item) noexcept {
    std::uint64_t z = (static_cast<std::uint64_t>(position) << 32U | item) + 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
    return z ^ (z >> 31U);
  }
  template <class Value>
  [[nodiscard]] std::uint64_t hash_of(const TupleList<Value>& list, std::size_t row, std::size_t without) const {
    return without == no_position ? hashes_[row] : hashes_[row] - mix(without, list.row(row)[without]);
  }
  [[nodiscard]] static bool equal(std::span<const Item> a, std::span<const Item> b, std::size_t without) {
    for (std::size_t at = 0; at < a.size(); ++at) {
      if (a[at] != b[at] && at != without) return false;
    }
    return true;
  }
  [[nodiscard]] std::size_t home(std::uint64_t hash) const noexcept { return (hash >> 20U) & mask_; }
  void clear(std::size_t rows) {
    mask_ = std::bit_ceil(2 * rows + 1) - 1;
    slots_.assign(mask_ + 1, Slot{0, empty});
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};

}  // namespace gristmill::kernel::gram
