// SPDX-License-Identifier: BSD-3-Clause
// Raw text as characters, behind each of which a token or a sentence may end; and what is seen of such a place.
//
// White space is of two kinds: what has an empty line in it, or nothing behind it, ends a paragraph; all else is
// one space, however long it is. A character here is never white space.
//
// Cost: a few steps for each character; of a place that is looked at, for each character of the words around it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/columns.hpp"

namespace gristmill::text_apps::tagging {

class WordCases;

enum class Gap : std::uint8_t { none, space, paragraph };  // behind a character

enum class Ending : std::int32_t { undecided = -1, inside, token, sentence };  // of the place behind a character

class RawText {
 public:
  // What is seen of a place, in this order: the character before and behind; whether there is a space between; the
  // three characters before, from near to far, and the three behind; the word so far, its rest or, behind a space, the
  // next word, the word before, the one behind; cases of what is behind (see WordCases); facts of a dictionary.
  static constexpr std::size_t columns_of_place = 15;

  // Throws ParseError for text that is not UTF-8; `line` is the number of the first one.
  RawText(std::string_view text, std::size_t line);

  [[nodiscard]] std::size_t size() const noexcept { return characters_.size(); }
  [[nodiscard]] char32_t point(std::size_t character) const { return points_[characters_[character]]; }
  // Of the next character; that of the last one is 0.
  [[nodiscard]] char32_t next_point(std::size_t character) const {
    return character + 1 < size() ? point(character + 1) : U'\0';
  }
  [[nodiscard]] Gap gap(std::size_t character) const;
  // With single spaces; of characters first to last.
  [[nodiscard]] std::string_view between(std::size_t first, std::size_t last) const;
  // Where a character is in the text that was given, in characters.
  [[nodiscard]] std::size_t source(std::size_t character) const { return sources_[character]; }

  // Each place a token, a few in a sentence, for templates that look at nothing but their token. They point to this
  // text. cases, facts: or null. learned: the endings of all characters, while these are learned from.
  [[nodiscard]] text::Columns columns(std::span<const std::int64_t> places, const WordCases* cases,
                                      const text::Columns* facts, std::span<const std::int32_t> learned) const;

 private:
  static constexpr std::int64_t longest_word = 16;  // characters of a word that are looked at

  [[nodiscard]] std::size_t add_space(std::string_view text, std::size_t at);
  void add(char32_t point, std::string_view spelling);
  [[nodiscard]] std::string_view cell(std::int64_t position) const;
  [[nodiscard]] std::string_view view(std::int64_t first, std::int64_t end) const;
  [[nodiscard]] bool is_space(std::int64_t position) const;
  [[nodiscard]] std::int64_t word_begin(std::int64_t position) const;
  [[nodiscard]] std::int64_t word_end(std::int64_t position) const;

  std::vector<char> text_;               // its address stays when it is moved
  std::vector<char32_t> points_;         // with one for each gap
  std::vector<std::size_t> begins_;      // of points, in text_, and the end
  std::vector<std::size_t> characters_;  // their places in points_
  std::vector<std::size_t> sources_;
};

}  // namespace gristmill::text_apps::tagging
