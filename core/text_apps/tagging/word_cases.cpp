// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/word_cases.hpp"

#include <algorithm>
#include <string>

#include "text/characters.hpp"

namespace gristmill::text_apps::tagging {
namespace {

bool is_letter(char32_t point) {
  using enum text::CharacterType;
  const text::CharacterType type = text::type_of(point);
  return type == upper || type == lower || type == letter;
}

bool is_capital(std::string_view text) {
  return !text.empty() && text::type_of(text::first_of(text)) == text::CharacterType::upper;
}

std::string_view letters_of(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_letter(text::first_of(text.substr(end)))) end += text::width_of(text[end]);
  return text.substr(0, end);
}

}  // namespace

void WordCases::add(std::string_view word) {
  const std::string_view letters = letters_of(word);
  if (letters.empty()) return;
  std::string lowered;
  text::lower_into(letters, lowered);
  const std::uint32_t id = words_.intern(lowered);
  if (id == lower_.size()) {
    lower_.push_back(0);
    capital_.push_back(0);
  }
  std::uint8_t& count = (is_capital(letters) ? capital_ : lower_)[id];
  count = static_cast<std::uint8_t>(std::min(count + 1, 2));
}

std::string_view WordCases::facts(std::string_view text, std::uint32_t own) const {
  if (!is_capital(text)) return {};
  std::string lowered;
  text::lower_into(letters_of(text), lowered);
  const std::uint32_t id = words_.find(lowered);
  if (id == SequenceTable<char>::none) return "-";
  const bool lower = lower_[id] > 0;
  const bool capital = capital_[id] > own;
  return lower ? (capital ? "lc" : "l") : (capital ? "c" : "-");
}

}  // namespace gristmill::text_apps::tagging
