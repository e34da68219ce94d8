// SPDX-License-Identifier: BSD-3-Clause
#include "text/characters.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "text/character_ranges.hpp"

namespace gristmill::text {
namespace {

using character_tables::lower_ranges;
using character_tables::LowerRange;
using character_tables::type_ranges;
using character_tables::TypeRange;

CharacterType search_type(char32_t character) noexcept {
  const auto* after = std::ranges::upper_bound(type_ranges, character, {}, &TypeRange::first);
  const TypeRange& range = *std::prev(after);
  if (range.type != CharacterType::paired) return range.type;
  return (character - range.first) % 2 == 0 ? CharacterType::upper : CharacterType::lower;
}

char32_t search_lower(char32_t character) noexcept {
  const auto* after = std::ranges::upper_bound(lower_ranges, character, {}, &LowerRange::first);
  if (after == std::begin(lower_ranges)) return character;
  const LowerRange& range = *std::prev(after);
  if (character > range.last || (character - range.first) % range.step != 0) return character;
  return static_cast<char32_t>(static_cast<std::int64_t>(character) + range.away);
}

// Most text is made of few characters.
constexpr std::size_t tabled = 0x3100;

const std::array<CharacterType, tabled>& type_table() {
  static const auto table = [] {
    std::array<CharacterType, tabled> types{};
    for (std::size_t at = 0; at < tabled; ++at) types[at] = search_type(static_cast<char32_t>(at));
    return types;
  }();
  return table;
}

}  // namespace

CharacterType type_of(char32_t character) noexcept {
  return character < tabled ? type_table()[character] : search_type(character);
}

char letter_of(CharacterType type) noexcept { return "XxdLHKCGTS_"[static_cast<std::size_t>(type)]; }

char32_t lower_of(char32_t character) noexcept {
  if (character < 0x80) return character >= 'A' && character <= 'Z' ? character + 32 : character;
  return search_lower(character);
}

std::size_t count_characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0U) != 0x80; }));
}

void append(std::string& text, char32_t character) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((character >> shift) & 0x3FU)); };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xC0U | (character >> 6U));
    tail(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xE0U | (character >> 12U));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (character >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

void lower_into(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t at = 0; at < text.size(); at += width_of(text[at])) append(out, lower_of(first_of(text.substr(at))));
}

}  // namespace gristmill::text
