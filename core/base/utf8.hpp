// SPDX-License-Identifier: BSD-3-Clause
// Is a text well-formed UTF-8? Overlong forms, surrogates and what lies beyond U+10FFFF are not.
#pragma once
#include <cstdint>
#include <string_view>

namespace gristmill::inline base {

[[nodiscard]] inline bool is_ascii(std::string_view text) noexcept {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
  if (is_ascii(text)) return true;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<std::uint8_t>(text[at++]);
    if (first < 0x80) continue;
    const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first > 0xF4 || text.size() - at < static_cast<std::size_t>(more)) return false;
    std::uint32_t point = first & (0x3FU >> more);
    for (int i = 0; i < more; ++i) {
      const auto next = static_cast<std::uint8_t>(text[at++]);
      if ((next & 0xC0U) != 0x80) return false;
      point = point << 6U | (next & 0x3FU);
    }
    if (more == 2 && (point < 0x800 || (point >= 0xD800 && point < 0xE000))) return false;
    if (more == 3 && (point < 0x10000 || point > 0x10FFFF)) return false;
  }
  return true;
}

}  // namespace gristmill::inline base
