// SPDX-License-Identifier: BSD-3-Clause
#include "templates/view.hpp"

namespace gristmill::views {

std::size_t bytes_of_first(std::string_view text, std::size_t characters) noexcept {
  std::size_t at = 0;
  for (; characters > 0 && at < text.size(); --characters) at += width_of(text[at]);
  return characters == 0 ? at : std::string_view::npos;
}

std::size_t start_of_last(std::string_view text, std::size_t characters) noexcept {
  std::size_t at = text.size();
  for (; characters > 0 && at > 0; --characters) {
    do --at;
    while ((static_cast<std::uint8_t>(text[at]) & 0xC0U) == 0x80);
  }
  return characters == 0 ? at : std::string_view::npos;
}

void shape_into(std::string_view text, bool symbols, bool repeats, std::string& out) {
  out.clear();
  std::size_t last = 0;  // where what was added last begins
  for (std::size_t at = 0; at < text.size(); at += width_of(text[at])) {
    const CharacterType type = type_of(first_of(text.substr(at)));
    const char letter = letter_of(type);
    const std::string_view shown =
        symbols && type == CharacterType::symbol ? text.substr(at, width_of(text[at])) : std::string_view(&letter, 1);
    if (!repeats && at > 0 && std::string_view(out).substr(last) == shown) continue;
    last = out.size();
    out += shown;
  }
}

}  // namespace gristmill::views
