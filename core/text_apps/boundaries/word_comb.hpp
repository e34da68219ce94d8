// SPDX-License-Identifier: BSD-3-Clause
// The words of a dictionary as a tree of letters in one array, packed as a comb (see comb.hpp): the child of a node
// with letter l is in slot shift + l if that slot's letter is l. What a dictionary that does not grow says of
// boundaries.
//
// Cost: a load for each letter and each longer beginning of a word there.
#pragma once
#include <cstdint>
#include <span>

#include "base/large_pages.hpp"
#include "base/observer.hpp"
#include "text_apps/boundaries/alphabet.hpp"
#include "text_apps/tagging/dictionary.hpp"

namespace gristmill::text_apps::boundaries {

class WordComb {
 public:
  // The alphabet knows all characters of the words.
  WordComb(const tagging::Dictionary& dictionary, const Alphabet& alphabet, Observer& observer);

  [[nodiscard]] std::size_t nbytes() const noexcept { return slots_.size() * sizeof(Slot); }

  // Of all characters of a line; facts: as many, all 0. As Dictionary::facts.
  void look(std::span<const Letter> letters, std::span<const std::uint8_t> walls,
            std::span<tagging::Dictionary::Facts> facts) const;

 private:
  struct Slot {
    std::uint32_t shift = 0;  // of the children; 0, where no probe hits, where there are none
    Letter letter = Alphabet::most;
    bool is_word = false;
  };

  std::size_t longest_;
  std::uint32_t root_ = 0;
  LargeVector<Slot> slots_;
};

}  // namespace gristmill::text_apps::boundaries
