// SPDX-License-Identifier: BSD-3-Clause
// Tables as text (RFC 4180, with any separator): a line with the names of columns, then a row a line.
//
//   age;housing;purpose
//   34;own;"radio, ""TV"""
//
// Quoted cells may hold separators, line ends and quotes written twice. Blanks around cells do not count, nor do empty
// lines. Reading finds where cells begin; columns become numbers or texts when asked for.
//
// Cost: 8 bytes for each cell beside the text.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/observer.hpp"
#include "text/cursor.hpp"

namespace gristmill::text {

// The one of , ; tab | that the first line has most of, outside of quotes; a comma where it has none.
[[nodiscard]] char likely_separator(std::string_view text);

class DelimitedText {
 public:
  // For each row the number of its text, -1 where it is missing; the texts differ, in the order in which they come.
  struct Words {
    std::vector<std::int32_t> codes;
    std::vector<std::string> texts;
  };

  // The text must outlive this. Cells of these texts are missing. Throws ParseError for text that is not UTF-8, a row
  // that has not as many cells as the first line, a quote that is not closed or is closed before the end of its cell.
  DelimitedText(std::string_view text, char separator, std::vector<std::string> missing, Observer& observer);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] std::size_t rows() const noexcept { return starts_.size() / names_.size(); }

  // Up to the first cell that is no number; missing ones are NaN.
  [[nodiscard]] std::vector<double> numbers(std::size_t column) const;
  [[nodiscard]] Words words(std::size_t column) const;
  // Line and column of a cell.
  [[nodiscard]] std::pair<std::size_t, std::size_t> place(std::size_t row, std::size_t column) const;

 private:
  void read_names();
  void read_rows(Observer& observer);
  void read_row();
  void take_cell();
  void take_quoted();
  void skip_blanks() noexcept;
  void skip_empty_lines() noexcept;
  [[nodiscard]] std::size_t line_end_at(std::size_t at) const noexcept;
  [[nodiscard]] bool is_blank(char byte) const noexcept { return (byte == ' ' || byte == '\t') && byte != separator_; }
  [[nodiscard]] bool ends_cell(std::size_t at) const noexcept;
  [[nodiscard]] std::string_view cell(std::size_t start, std::string& unquoted) const;
  [[nodiscard]] std::string_view quoted_cell(std::size_t start, std::string& unquoted) const;
  [[nodiscard]] bool is_missing(std::string_view cell) const noexcept;
  [[noreturn]] void fail(std::size_t at, const std::string& message) const;

  std::string_view text_;
  char separator_;
  std::vector<std::string> missing_;
  std::array<bool, 256> begins_missing_{};  // first bytes of what is missing
  std::vector<std::string> names_;
  std::vector<std::size_t> starts_;  // of cells, row by row
  std::size_t at_ = 0;
};

}  // namespace gristmill::text
