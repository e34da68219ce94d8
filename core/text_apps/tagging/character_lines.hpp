// SPDX-License-Identifier: BSD-3-Clause
// Lines of text as characters that are to be joined to words: all but white space, which always parts words.
//
// In segmented text a gap between two words is one space that was added, then the white space of the text itself; what
// stands before the first word and behind the last one is the text's own. So the text can always be had again.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/observer.hpp"
#include "text/columns.hpp"

namespace gristmill::text_apps::tagging {

class Dictionary;

class CharacterLines {
 public:
  // segmented: words are told from each other by gaps, and gaps of one space are not the text's own.
  // Throws ParseError for text that is not UTF-8; `line` is the number of the first one.
  CharacterLines(std::string_view text, bool segmented, std::size_t line);

  [[nodiscard]] std::size_t size() const noexcept { return starts_.size() - 1; }  // lines
  [[nodiscard]] std::size_t characters() const noexcept { return points_.size(); }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), text_.size()}; }
  [[nodiscard]] std::size_t first(std::size_t line) const { return starts_[line]; }
  [[nodiscard]] std::span<const char32_t> points(std::size_t line) const { return part(points_, line); }
  // Of the boundary behind each character: whether a word ends there, as far as the text says so ...
  [[nodiscard]] std::span<const std::uint8_t> ends(std::size_t line) const { return part(ends_, line); }
  // ... and whether even the text without added spaces says so.
  [[nodiscard]] std::span<const std::uint8_t> walls(std::size_t line) const { return part(walls_, line); }
  [[nodiscard]] std::span<const std::uint8_t> ends() const noexcept { return ends_; }
  [[nodiscard]] std::span<const std::uint8_t> walls() const noexcept { return walls_; }

  [[nodiscard]] std::size_t begin_of(std::size_t character) const { return begins_[character]; }
  [[nodiscard]] std::size_t end_of(std::size_t character) const;
  [[nodiscard]] std::string_view character(std::size_t number) const;

  // Each line a sentence, each character a token: the character and, with a dictionary, its facts. They point to this
  // text. learning: without what the dictionary knows from the line itself.
  [[nodiscard]] text::Columns columns(const Dictionary* dictionary, bool learning, std::size_t threads,
                                      Observer& observer) const;

 private:
  template <class T>
  [[nodiscard]] std::span<const T> part(const std::vector<T>& of, std::size_t line) const {
    return std::span(of).subspan(starts_[line], starts_[line + 1] - starts_[line]);
  }
  void add_line(std::size_t begin, std::size_t end, bool segmented);
  void end_character(std::string_view gap, bool segmented);

  std::vector<char> text_;  // its address stays when it is moved
  std::vector<std::size_t> begins_;
  std::vector<char32_t> points_;
  std::vector<std::uint8_t> ends_, walls_;
  std::vector<std::size_t> starts_{0};  // first characters of lines, and the end
};

}  // namespace gristmill::text_apps::tagging
