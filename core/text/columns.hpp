// SPDX-License-Identifier: BSD-3-Clause
// Sentences as columns, the files of CoNLL, YamCha and CRF++: a token a line, its cells separated by blanks, an empty
// line between sentences.
//
//   Confidence NN B-NP
//   in         IN B-PP
//
// Lines are kept as they came, so that they can be written again with a cell more. In files of several columns a line
// "EOS" ends a sentence as an empty one does, as in YamCha.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/cells.hpp"

namespace gristmill::text {

struct ColumnFormat {
  std::size_t line = 1;     // the number of the first line
  std::size_t columns = 0;  // of every line; 0: as many as the first one has
  bool tabs = false;        // only tabs separate cells, which may hold blanks or nothing
};

class Columns {
 public:
  // Throws ParseError for text that is not UTF-8 and for lines that have more or fewer cells than the first one.
  static Columns parse(std::string_view text, ColumnFormat format);
  // Sentences from elsewhere: lengths of sentences, and cells token by token.
  static Columns of_cells(std::span<const std::string> cells, std::size_t columns,
                          std::span<const std::int64_t> lengths);
  // Cells that point elsewhere, to what lives longer; `starts` has the first tokens of sentences, and the end.
  static Columns of_views(std::vector<std::string_view> cells, std::size_t columns, std::vector<std::size_t> starts);

  // Some of the columns, in this order; they point to these.
  [[nodiscard]] Columns picked(std::span<const std::size_t> columns) const;

  [[nodiscard]] std::size_t size() const noexcept { return starts_.size() - 1; }  // sentences
  [[nodiscard]] std::size_t tokens() const noexcept { return starts_.back(); }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t lines() const noexcept { return lines_.size(); }
  [[nodiscard]] std::size_t first_token(std::size_t sentence) const { return starts_[sentence]; }
  [[nodiscard]] std::span<const std::size_t> starts() const noexcept { return starts_; }
  [[nodiscard]] std::string_view cell(std::size_t token, std::size_t column) const {
    return cells_[token * columns_ + column];
  }
  [[nodiscard]] Cells sentence(std::size_t number, bool backward = false) const {
    const std::size_t begin = starts_[number] * columns_;
    return {std::span(cells_).subspan(begin, starts_[number + 1] * columns_ - begin), columns_, backward};
  }

  // The text that was parsed, with a word more in the line of each token, or another one in its last column:
  // words[numbers[token]].
  [[nodiscard]] std::string with_column(std::span<const std::int32_t> numbers, std::span<const std::string> words,
                                        bool replace) const;

 private:
  friend class ColumnReader;

  struct Line {
    std::size_t end;   // of what is to be kept of it
    std::size_t next;  // where the next line begins
    bool is_token;
  };

  void add_line(std::size_t token, std::string_view line, std::string_view word, bool replace, std::string& out) const;
  [[nodiscard]] char separator_of(std::size_t token, std::string_view line) const;

  std::vector<char> text_;  // its address stays when it is moved
  std::size_t columns_ = 0;
  std::vector<std::string_view> cells_;  // tokens x columns
  std::vector<std::size_t> starts_{0};   // first tokens of sentences, and the end
  std::vector<Line> lines_;
  bool tabs_ = false;
};

// The first byte that does not belong to a character, in text that is not UTF-8.
[[nodiscard]] std::size_t first_bad_byte(std::string_view line);

// How much of a text is whole sentences, each with the line that ends it. 0 if there is none.
[[nodiscard]] std::size_t complete_sentences(std::string_view text, bool tabs);

}  // namespace gristmill::text
