// SPDX-License-Identifier: BSD-3-Clause
// Sequences of numbers or characters, each kept once: equal sequences have the same id, ids count from 0 in order of
// arrival. Grows; nothing is ever removed.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/hash.hpp"
#include "base/lists.hpp"

namespace gristmill::inline base {

template <class T>
class SequenceTable {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = UINT32_MAX;

  [[nodiscard]] std::size_t size() const noexcept { return hashes_.size(); }
  [[nodiscard]] std::span<const T> operator[](Id id) const noexcept { return sequences_[id]; }

  [[nodiscard]] Id find(std::span<const T> sequence) const noexcept {
    return slots_[place_of(sequence, hash_of(sequence))];
  }

  // The id of the sequence, a new one if it was not there.
  Id intern(std::span<const T> sequence) {
    const std::uint32_t hash = hash_of(sequence);
    const std::size_t place = place_of(sequence, hash);
    if (slots_[place] != none) return slots_[place];
    return insert(sequence, hash, place);
  }

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return sequences_.nbytes() + (hashes_.size() + slots_.size()) * sizeof(Id);
  }

 private:
  static constexpr std::size_t most = UINT32_MAX - 1;

  template <class Word>
  [[nodiscard]] static std::uint64_t load(const char* bytes) noexcept {
    Word word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  }

  // Eight bytes at a time; what is left over is read together with bytes before it, so that nothing loops over bytes.
  [[nodiscard]] static std::uint32_t hash_of(std::span<const T> sequence) noexcept {
    const auto* bytes = reinterpret_cast<const char*>(sequence.data());
    const std::size_t size = sequence.size_bytes();
    std::uint64_t hash = size;
    if (size >= 8) {
      for (std::size_t at = 0; at + 8 < size; at += 8) hash = mix(hash, load<std::uint64_t>(bytes + at));
      hash = mix(hash, load<std::uint64_t>(bytes + size - 8));
    } else if (size >= 4) {
      hash = mix(hash, load<std::uint32_t>(bytes) << 32U | load<std::uint32_t>(bytes + size - 4));
    } else {
      for (std::size_t at = 0; at < size; ++at) hash = mix(hash, load<std::uint8_t>(bytes + at));
    }
    return static_cast<std::uint32_t>(mix(hash, 0) >> 32U);
  }

  // Where the sequence stands, or where it would be put.
  [[nodiscard]] std::size_t place_of(std::span<const T> sequence, std::uint32_t hash) const noexcept {
    std::size_t at = home(hash);
    while (slots_[at] != none && !(hashes_[slots_[at]] == hash && same(slots_[at], sequence))) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }

  [[nodiscard]] bool same(Id id, std::span<const T> sequence) const noexcept {
    const std::span<const T> stored = (*this)[id];
    if (stored.size() != sequence.size()) return false;
    return sequence.empty() || std::memcmp(stored.data(), sequence.data(), sequence.size_bytes()) == 0;
  }

  [[nodiscard]] std::size_t home(std::uint32_t hash) const noexcept { return hash & (slots_.size() - 1); }

  Id insert(std::span<const T> sequence, std::uint32_t hash, std::size_t place) {
    if (size() == most) throw std::length_error("more than 2^32 - 2 different sequences");
    const Id id = static_cast<Id>(size());
    sequences_.add(sequence);
    hashes_.push_back(hash);
    slots_[place] = id;
    if (2 * size() > slots_.size()) grow();
    return id;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), none);
    for (Id id = 0; id < size(); ++id) {
      std::size_t at = home(hashes_[id]);
      while (slots_[at] != none) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = id;
    }
  }

  Lists<T> sequences_;
  std::vector<std::uint32_t> hashes_;
  std::vector<Id> slots_ = std::vector<Id>(64, none);
};

}  // namespace gristmill::inline base
