// SPDX-License-Identifier: BSD-3-Clause
// Characters of UTF-8 text: their types, by which words of one shape look alike, and their lower case.
//
// The text must be well-formed; whoever brings it in has checked that. Cost of a type: a search among some 700 ranges,
// or a table for the first characters.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gristmill::text {

enum class CharacterType : std::uint8_t {
  upper,
  lower,
  digit,
  letter,  // of a script without case, and marks that belong to letters
  hiragana,
  katakana,
  han,
  hangul,
  thai,
  symbol,
  space,
  paired,  // never of a character: upper and lower take turns in a range
};

[[nodiscard]] CharacterType type_of(char32_t character) noexcept;

// The last one is the ideographic space.
[[nodiscard]] inline bool is_space(char32_t character) noexcept {
  return character <= 0x3000 && type_of(character) == CharacterType::space;
}

// A letter that stands for a type: X x d L H K C G T S _
[[nodiscard]] char letter_of(CharacterType type) noexcept;

// Where one is one character; else the character itself.
[[nodiscard]] char32_t lower_of(char32_t character) noexcept;

// Bytes of the character that begins with this byte.
[[nodiscard]] inline std::size_t width_of(char first) noexcept {
  const auto byte = static_cast<std::uint8_t>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The character that begins the text.
[[nodiscard]] inline char32_t first_of(std::string_view text) noexcept {
  const std::size_t width = width_of(text[0]);
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  if (width == 1) return byte(0);
  char32_t point = byte(0) & (0x7FU >> width);
  for (std::size_t at = 1; at < width; ++at) point = point << 6U | (byte(at) & 0x3FU);
  return point;
}

[[nodiscard]] std::size_t count_characters(std::string_view text) noexcept;

void append(std::string& text, char32_t character);

// Every character in lower case, into `out`.
void lower_into(std::string_view text, std::string& out);

}  // namespace gristmill::text
