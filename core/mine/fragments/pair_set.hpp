// SPDX-License-Identifier: BSD-3-Clause
// Pairs of trees, added and looked for by all threads at once. A pair is kept with its larger tree: few partners as a
// table, many as bits, so that no pair takes more than some bytes and all of them never more than a bit each. Nearly
// all questions are answered, with no, by a filter that stays in the cache.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace gristmill::mine::fragments {

class PairSet {
 public:
  explicit PairSet(std::size_t trees);

  // Whether the pair is there: a < b. One that another thread is just adding may be missed.
  [[nodiscard]] bool contains(std::uint32_t a, std::uint32_t b) const;
  // Returns how many bytes that takes.
  std::size_t add(std::uint32_t a, std::uint32_t b);

  // Whether all pairs of these trees, which ascend, are there.
  [[nodiscard]] bool contains_all(std::span<const std::uint32_t> trees) const;

  [[nodiscard]] std::size_t trees() const noexcept { return partners_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  // The partners of tree b below it, ascending, when all have been added.
  [[nodiscard]] std::vector<std::uint32_t> below(std::uint32_t b) const;

 private:
  static constexpr std::uint32_t empty = UINT32_MAX;
  static constexpr std::size_t locks = 64;

  struct Partners {
    std::vector<std::uint32_t> slots;  // a table, or
    std::vector<std::uint64_t> bits;   // one for each smaller tree
    std::uint32_t held = 0;

    [[nodiscard]] bool has(std::uint32_t a) const;
    bool add(std::uint32_t a, std::uint32_t b);  // false if it was there
    [[nodiscard]] std::size_t nbytes() const noexcept {
      return slots.size() * sizeof(slots[0]) + bits.size() * sizeof(bits[0]);
    }

   private:
    [[nodiscard]] std::size_t place_of(std::uint32_t a) const;
    void grow(std::uint32_t b);
  };

  [[nodiscard]] static std::uint64_t mixed(std::uint32_t a, std::uint32_t b) noexcept {
    return ((std::uint64_t{b} << 32U) | a) * 0x9E3779B97F4A7C15;
  }
  [[nodiscard]] std::size_t word_of(std::uint64_t mix) const noexcept { return (mix >> 40U) & (filter_.size() - 1); }
  [[nodiscard]] static std::uint64_t bit_of(std::uint64_t mix) noexcept {
    return std::uint64_t{1} << ((mix >> 32U) & 63U);
  }

  std::vector<std::atomic<std::uint64_t>> filter_;
  std::vector<Partners> partners_;
  mutable std::array<std::mutex, locks> locks_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace gristmill::mine::fragments
