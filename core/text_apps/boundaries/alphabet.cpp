// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/boundaries/alphabet.hpp"

#include <algorithm>
#include <stdexcept>

namespace gristmill::text_apps::boundaries {

using text::CharacterType;

Alphabet::Alphabet(std::span<const char32_t> known, unsigned reach) : reach_(reach) {
  const std::size_t own = 1 + 2 * std::size_t{reach} + character_types;
  if (known.size() + own > most) throw std::length_error("more characters than a segmenter's tables can tell apart");
  pages_.fill(no_page);
  character_type_.assign(own, CharacterType::paired);
  for (std::size_t type = 0; type < character_types; ++type) {
    character_type_[own - character_types + type] = static_cast<CharacterType>(type);
  }
  for (const char32_t character : known) add(character);
  types_.assign(character_type_.size(), 0);
}

void Alphabet::add(char32_t character) {
  std::uint16_t& page = pages_[character / page_size];
  if (page == no_page) page = new_page(character / page_size);
  letters_[page * page_size + character % page_size] = static_cast<Letter>(character_type_.size());
  character_type_.push_back(text::type_of(character));
}

std::uint16_t Alphabet::new_page(std::size_t page) {
  const std::size_t number = letters_.size() / page_size;
  for (std::size_t i = 0; i < page_size; ++i) {
    letters_.push_back(unknown(text::type_of(static_cast<char32_t>(page * page_size + i))));
  }
  return static_cast<std::uint16_t>(number);
}

Letter Alphabet::outside(OutsidePlace place) const noexcept {
  if (place.distance > reach_) return nothing;
  return static_cast<Letter>(place.distance + (place.behind ? reach_ : 0));
}

void Alphabet::number_type(CharacterType type) {
  for (std::size_t letter = 0; letter < types_.size(); ++letter) {
    if (character_type_[letter] == type) types_[letter] = static_cast<LetterType>(type_count_);
  }
  ++type_count_;
}

void Alphabet::number_type(OutsidePlace place) { types_[outside(place)] = static_cast<LetterType>(type_count_++); }

}  // namespace gristmill::text_apps::boundaries
