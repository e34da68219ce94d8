// SPDX-License-Identifier: BSD-3-Clause
// A place in a text that knows its line and column: what every parser reads with. Numbers are parsed without locale.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/errors.hpp"

namespace gristmill::text {

// Quoted, shortened and with '?' for what is not printable ASCII: fit for an error message.
[[nodiscard]] std::string quoted(std::string_view text);

class Cursor {
 public:
  // `line` is the number of the first line, for a text that continues another.
  explicit Cursor(std::string_view text, std::size_t line = 1)
      : at_(text.data()), end_(text.data() + text.size()), line_start_(at_), line_(line) {}
  // A part of a text, whose places are those of the text.
  Cursor(std::string_view text, std::size_t begin, std::size_t end)
      : at_(text.data() + begin), end_(text.data() + end), line_start_(text.data()), line_(1) {}

  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }
  [[nodiscard]] bool at_line_end() const noexcept { return at_end() || *at_ == '\n' || starts_crlf(); }
  [[nodiscard]] bool at_space() const noexcept { return !at_end() && (*at_ == ' ' || *at_ == '\t'); }
  [[nodiscard]] char peek() const noexcept { return at_end() ? '\0' : *at_; }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  void skip() noexcept { ++at_; }
  void skip_spaces() noexcept {
    while (at_space()) ++at_;
  }
  void skip_to_line_end() noexcept;
  // Past the end of the line, where the cursor must be; at the end of the text nothing happens.
  void next_line() noexcept;

  // Takes the character if it is next.
  bool take(char wanted) noexcept {
    if (at_end() || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  // Takes the character if it is next and ends a word.
  bool take_word(char wanted) noexcept {
    if (at_end() || *at_ != wanted) return false;
    const char* after = at_ + 1;
    if (after != end_ && *after != ' ' && *after != '\n') return false;
    at_ = after;
    return true;
  }
  // Takes the word if it is next; the word may be followed by anything.
  bool take(std::string_view wanted) noexcept;

  // Up to the next space or line end; may be empty.
  std::string_view word() noexcept;

  // A finite number. `what` names it in the error.
  double number(std::string_view what);
  std::int64_t integer(std::string_view what);
  // The plain case of integer(), inline: up to nine digits and then `stop`, which stays. Takes nothing otherwise.
  bool take_digits(std::int64_t& value, char stop) noexcept {
    const char* digit = at_;
    const char* limit = end_ - at_ > 9 ? at_ + 9 : end_;
    std::int64_t sum = 0;
    for (; digit != limit && *digit >= '0' && *digit <= '9'; ++digit) sum = 10 * sum + (*digit - '0');
    if (digit == at_ || digit == end_ || *digit != stop) return false;
    value = sum;
    at_ = digit;
    return true;
  }
  // An integer within [low, high].
  std::int64_t integer(std::string_view what, std::int64_t low, std::int64_t high);

  // Throws ParseError at this place, or at the place `mark` was taken.
  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }
  [[noreturn]] void fail_at(const char* mark, const std::string& message) const;
  // Lines that nobody went past with next_line() are counted now.
  [[nodiscard]] ParseError error_at(const char* mark, const std::string& message) const;
  [[nodiscard]] const char* mark() const noexcept { return at_; }
  // From a mark to here, and from here to the end.
  [[nodiscard]] std::string_view since(const char* mark) const noexcept {
    return {mark, static_cast<std::size_t>(at_ - mark)};
  }
  [[nodiscard]] std::string_view rest() const noexcept { return {at_, left()}; }

  // What stands here, quoted and made printable, for error messages.
  [[nodiscard]] std::string here() const;

 private:
  // A carriage return that ends a line, or the text.
  [[nodiscard]] bool starts_crlf() const noexcept { return *at_ == '\r' && (end_ - at_ == 1 || at_[1] == '\n'); }

  const char* at_;
  const char* end_;
  const char* line_start_;
  std::size_t line_;
};

}  // namespace gristmill::text
