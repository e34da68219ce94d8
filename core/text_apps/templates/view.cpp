// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/templates/view.hpp"

namespace gristmill::text_apps::templates::views {

std::size_t bytes_of_first(std::string_view text, std::size_t characters) noexcept {
  std::size_t at = 0;
  for (; characters > 0 && at < text.size(); --characters) at += text::width_of(text[at]);
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
  for (std::size_t at = 0; at < text.size(); at += text::width_of(text[at])) {
    const text::CharacterType type = text::type_of(text::first_of(text.substr(at)));
    const char letter = text::letter_of(type);
    const std::string_view shown = symbols && type == text::CharacterType::symbol
                                       ? text.substr(at, text::width_of(text[at]))
                                       : std::string_view(&letter, 1);
    if (!repeats && at > 0 && std::string_view(out).substr(last) == shown) continue;
    last = out.size();
    out += shown;
  }
}

}  // namespace gristmill::text_apps::templates::views
