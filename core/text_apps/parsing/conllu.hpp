// SPDX-License-Identifier: BSD-3-Clause
// CoNLL-U: a word a line in ten columns, separated by tabs; comments, words of several tokens (3-4) and empty nodes
// (3.1) between them; an empty line behind each sentence. Lines are kept as they came, so that they can be written
// again with other heads.
//
//   1  From  from  ADP  IN  _  3  case  3:case  _
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/columns.hpp"
#include "text_apps/parsing/configuration.hpp"

namespace gristmill::text_apps::parsing {

class Conllu {
 public:
  // Of a word, as templates see it; what is not given (_) is empty.
  enum Column : std::uint8_t { form, lemma, upos, xpos, feats, column_count };

  // ParseError with line and column for text that is not CoNLL-U. line: number of the first one.
  static Conllu parse(std::string_view text, std::size_t line);

  [[nodiscard]] const text::Columns& columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t lines() const noexcept { return lines_.size(); }

  // Heads within their sentence, no_word for the root. ParseError where there is no tree with one root.
  [[nodiscard]] std::vector<Word> heads() const;
  // In the order of words.
  [[nodiscard]] std::vector<std::string_view> relations() const;

  // What is written instead of what was read: numbers of words in a list of words.
  struct Filling {
    std::span<const std::int32_t> numbers;
    std::span<const std::string> words;

    [[nodiscard]] std::string_view at(std::size_t token) const {
      return words[static_cast<std::size_t>(numbers[token])];
    }
  };
  struct Filled {
    std::optional<Filling> lemma, upos, xpos, feats;
    std::span<const Word> heads;  // and relations, or none
    Filling relations;
  };
  // The text again. Where heads are filled in, the column DEPS is emptied: it spoke of other ones.
  [[nodiscard]] std::string filled(const Filled& filled) const;

 private:
  friend class ConlluReader;

  static constexpr std::size_t no_token = static_cast<std::size_t>(-1);
  using LineCells = std::array<std::string_view, 10>;

  struct Line {
    std::size_t begin, end;  // without its end
    std::size_t next;
    std::size_t token;  // that it is, or no_token
    std::size_t number;
  };

  [[nodiscard]] std::string_view text_of(const Line& line) const {
    return {text_.data() + line.begin, line.end - line.begin};
  }
  void fill_line(const Line& line, const Filled& filled, std::string& out) const;

  std::vector<char> text_;  // its address stays when it is moved
  std::vector<Line> lines_;
  std::vector<std::size_t> line_of_;  // of tokens
  text::Columns columns_ = text::Columns::of_views({}, column_count, {0});
};

}  // namespace gristmill::text_apps::parsing
