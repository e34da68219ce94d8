// SPDX-License-Identifier: BSD-3-Clause
// Fragments as the trees that have them: those with the same occurrence pattern are one (section 4.3), with how many of
// them there are of each size, so that the pattern can be weighed for any decay. Written by all threads at once.
#pragma once
#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/memory_budget.hpp"
#include "base/sequence_table.hpp"

namespace gristmill::mine::fragments {

// An occurrence pattern as words: a tree and, if it has the fragment more than once, how often, with the highest bit.
namespace pattern_words {

constexpr std::uint32_t count_bit = std::uint32_t{1} << 31U;
constexpr std::uint32_t own_number = UINT32_MAX;  // what follows only tells the pattern from its equals

inline void write(std::vector<std::uint32_t>& words, std::uint32_t tree, std::uint32_t count) {
  words.push_back(tree);
  if (count > 1) words.push_back(count | count_bit);
}

// visit(tree, count)
template <class Visit>
void for_each(std::span<const std::uint32_t> words, Visit visit) {
  for (std::size_t at = 0; at < words.size() && words[at] != own_number; ++at) {
    const std::uint32_t tree = words[at];
    const bool often = at + 1 < words.size() && words[at + 1] != own_number && (words[at + 1] & count_bit) != 0;
    visit(tree, often ? words[++at] & ~count_bit : std::uint32_t{1});
  }
}

}  // namespace pattern_words

class PatternTable {
 public:
  static constexpr std::size_t shards = 64;

  // How many fragments of a pattern have a size.
  struct Share {
    std::uint32_t size;
    double fragments;
  };

  PatternTable(bool compress, MemoryBudget& budget) : compress_(compress), budget_(budget) {}

  // Fragments with one occurrence pattern, how many there are of each size (in nodes or productions).
  void add(std::span<const std::uint32_t> words, std::span<const Share> shares);
  [[nodiscard]] bool compresses() const noexcept { return compress_; }

  // What a shard holds, when all has been added: visit(words, shares) in an order that only depends on the patterns.
  template <class Visit>
  void for_each(std::size_t shard, Visit visit) const;
  // Frees its memory.
  void clear(std::size_t shard) { shards_[shard].release(); }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  // A list of shares.
  struct Cell {
    Share share;
    std::uint32_t next;
  };

  struct Shard {
    std::mutex mutex;
    SequenceTable<std::uint32_t> patterns;
    std::vector<std::uint32_t> first;  // cell of each pattern
    std::vector<Cell> cells;
    std::vector<std::uint32_t> scratch;

    void count(std::uint32_t pattern, const Share& share);
    [[nodiscard]] std::vector<std::uint32_t> in_order() const;
    [[nodiscard]] std::vector<Share> shares_of(std::uint32_t pattern) const;
    void release();
  };

  bool compress_;
  MemoryBudget& budget_;
  std::array<Shard, shards> shards_;
};

template <class Visit>
void PatternTable::for_each(std::size_t shard, Visit visit) const {
  const Shard& held = shards_[shard];
  for (const std::uint32_t pattern : held.in_order()) visit(held.patterns[pattern], held.shares_of(pattern));
}

}  // namespace gristmill::mine::fragments
