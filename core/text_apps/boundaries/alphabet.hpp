// SPDX-License-Identifier: BSD-3-Clause
// Characters as small numbers, as a window of features sees them: those that it tells apart, the others by their types
// alone, and the places outside of a line.
//
// Cost of a character: two loads; a search for its type where none of its 256 neighbours is known.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "text/characters.hpp"

namespace gristmill::text_apps::boundaries {

using Letter = std::uint16_t;
using LetterType = std::uint8_t;  // 0: one that no feature is of

constexpr std::size_t character_types = 11;

// What lies outside of a line: so many characters before the first one, or behind the last one.
struct OutsidePlace {
  bool behind;
  unsigned distance;  // from 1 on
};

class Alphabet {
 public:
  static constexpr Letter nothing = 0;
  static constexpr std::size_t most = 0xFFFF;  // letters; the number that is left is nobody's

  // known: each once, the frequent ones first. reach: how far outside of a line letters differ.
  // Throws std::length_error for too many characters.
  Alphabet(std::span<const char32_t> known, unsigned reach);

  [[nodiscard]] std::size_t size() const noexcept { return types_.size(); }
  [[nodiscard]] unsigned reach() const noexcept { return reach_; }

  [[nodiscard]] Letter of(char32_t character) const {
    const std::uint16_t page = pages_[character / page_size];
    if (page == no_page) return unknown(text::type_of(character));
    return letters_[page * page_size + character % page_size];
  }
  // `nothing` beyond the reach.
  [[nodiscard]] Letter outside(OutsidePlace place) const noexcept;
  [[nodiscard]] Letter unknown(text::CharacterType type) const noexcept {
    return static_cast<Letter>(1 + 2 * reach_ + static_cast<unsigned>(type));
  }

  // Types are given numbers from 1 on as they come; letters of the others have none.
  void number_type(text::CharacterType type);
  void number_type(OutsidePlace place);
  [[nodiscard]] std::size_t types() const noexcept { return type_count_; }  // 0 included
  [[nodiscard]] LetterType type_of(Letter letter) const { return types_[letter]; }

 private:
  static constexpr std::size_t page_size = 256;
  static constexpr std::size_t page_count = 0x110000 / page_size;
  static constexpr std::uint16_t no_page = 0xFFFF;

  void add(char32_t character);
  std::uint16_t new_page(std::size_t page);

  unsigned reach_;
  std::array<std::uint16_t, page_count> pages_;
  std::vector<Letter> letters_;                      // page by page
  std::vector<text::CharacterType> character_type_;  // of letters; paired: of those outside
  std::vector<LetterType> types_;
  std::size_t type_count_ = 1;
};

}  // namespace gristmill::text_apps::boundaries
