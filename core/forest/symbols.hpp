// SPDX-License-Identifier: BSD-3-Clause
// The labels of trees, interned: a symbol is a text and a mark. Mark 0 means unmarked; symbols with the same text and
// different marks are different (marked trees: Kazama and Torisawa 2005, section 2).
#pragma once
#include <string>
#include <string_view>

#include "base/sequence_table.hpp"

namespace gristmill::forest {

using Symbol = std::uint32_t;

class Symbols {
 public:
  static constexpr Symbol none = SequenceTable<char>::none;

  [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }
  [[nodiscard]] Symbol find(std::string_view text, std::uint32_t mark) const {
    std::string joined;
    return table_.find(key(text, mark, joined));
  }
  Symbol intern(std::string_view text, std::uint32_t mark) { return table_.intern(key(text, mark, key_)); }

  [[nodiscard]] std::string_view text(Symbol symbol) const noexcept {
    const std::span<const char> stored = table_[symbol];
    return {stored.data(), stored.size() - sizeof(std::uint32_t)};
  }
  [[nodiscard]] std::uint32_t mark(Symbol symbol) const noexcept {
    const std::span<const char> stored = table_[symbol];
    std::uint32_t mark = 0;
    std::memcpy(&mark, stored.data() + stored.size() - sizeof mark, sizeof mark);
    return mark;
  }
  [[nodiscard]] std::size_t nbytes() const noexcept { return table_.nbytes(); }

 private:
  // The text, followed by the bytes of the mark.
  [[nodiscard]] static std::string_view key(std::string_view text, std::uint32_t mark, std::string& joined) {
    char bytes[sizeof mark];
    std::memcpy(bytes, &mark, sizeof mark);
    return joined.assign(text).append(bytes, sizeof mark);
  }

  std::string key_;  // spares an allocation
  SequenceTable<char> table_;
};

}  // namespace gristmill::forest
