// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/conllu.hpp"

#include <algorithm>
#include <charconv>

#include "base/errors.hpp"
#include "base/utf8.hpp"
#include "text/cursor.hpp"
#include "text_apps/parsing/tree.hpp"

namespace gristmill::text_apps::parsing {

namespace {

// The ten cells of a line, or fewer; more are counted.
std::size_t split_tabs(std::string_view line, std::array<std::string_view, 10>& cells) {
  std::size_t count = 0;
  for (std::size_t begin = 0;; ++count) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    if (count < cells.size()) cells[count] = line.substr(begin, end - begin);
    if (end == line.size()) return count + 1;
    begin = end + 1;
  }
}

// Digits alone, below 10^9, without a 0 before others.
std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool plain = text.size() == 1 || (text.size() <= 9 && !text.starts_with('0'));
  const bool sound = error == std::errc() && end == text.data() + text.size() && plain;
  return sound ? std::optional(number) : std::nullopt;
}

std::size_t column_of(std::string_view line, std::string_view cell) {
  return static_cast<std::size_t>(cell.data() - line.data()) + 1;
}

enum class LineKind : std::uint8_t { word, range, node };

}  // namespace

class ConlluReader {
 public:
  explicit ConlluReader(std::size_t line) : number_(line) {}

  Conllu read(std::string_view text) {
    found_.text_.assign(text.begin(), text.end());
    const std::string_view own(found_.text_.data(), found_.text_.size());
    for (std::size_t begin = 0; begin < own.size();) begin = read_line(own, begin);
    end_sentence();
    found_.columns_ = text::Columns::of_views(std::move(cells_), Conllu::column_count, std::move(starts_));
    return std::move(found_);
  }

 private:
  std::size_t read_line(std::string_view text, std::size_t begin) {
    const std::size_t stop = std::min(text.find('\n', begin), text.size());
    const std::size_t end = stop > begin && text[stop - 1] == '\r' ? stop - 1 : stop;
    Conllu::Line line{begin, end, std::min(stop + 1, text.size()), Conllu::no_token, number_};
    const std::string_view shown = text.substr(begin, end - begin);
    if (!is_utf8(shown)) fail("the text is not UTF-8", text::first_bad_byte(shown) + 1);
    if (shown.find_first_not_of(" \t") == std::string_view::npos) {
      end_sentence();
    } else if (shown[0] != '#') {
      read_cells(shown, line);
    }
    found_.lines_.push_back(line);
    ++number_;
    return line.next;
  }

  void read_cells(std::string_view shown, Conllu::Line& line) {
    Conllu::LineCells cells;
    if (const std::size_t count = split_tabs(shown, cells); count != cells.size()) {
      fail("expected ten columns separated by tabs, got " + std::to_string(count), 1);
    }
    if (check_id(shown, cells[0]) != LineKind::word) return;
    if (cells[1].empty()) fail("the form is empty", column_of(shown, cells[1]));
    line.token = found_.line_of_.size();
    found_.line_of_.push_back(found_.lines_.size());
    for (std::size_t column = 0; column < Conllu::column_count; ++column) {
      const std::string_view cell = cells[column + 1];
      cells_.push_back(column != Conllu::form && cell == "_" ? std::string_view() : cell);
    }
    ++words_;
  }

  LineKind check_id(std::string_view shown, std::string_view id) {
    const std::size_t at = id.find_first_of("-.");
    const std::optional<std::size_t> first = number_of(id.substr(0, at));
    const std::optional<std::size_t> last = at == std::string_view::npos ? first : number_of(id.substr(at + 1));
    if (!first || !last) fail("expected the number of a word, got " + text::quoted(id), column_of(shown, id));
    if (at != std::string_view::npos && id[at] == '.') {
      if (*first != words_) fail_id(id, "an empty node behind word " + std::to_string(words_));
      return LineKind::node;
    }
    if (*first != words_ + 1) fail_id(id, "word " + std::to_string(words_ + 1));
    if (at == std::string_view::npos) return LineKind::word;
    if (*last < *first || *first <= covered_) fail_id(id, "a range of words that begins behind the last one");
    covered_ = *last;
    return LineKind::range;
  }

  void end_sentence() {
    if (covered_ > words_) fail("word " + std::to_string(covered_) + " of a range is missing", 1);
    if (words_ > 0) starts_.push_back(found_.line_of_.size());
    words_ = covered_ = 0;
  }

  [[noreturn]] void fail_id(std::string_view id, const std::string& wanted) const {
    fail("expected " + wanted + ", got " + text::quoted(id), 1);
  }
  [[noreturn]] void fail(const std::string& what, std::size_t column) const { throw ParseError(what, number_, column); }

  Conllu found_;
  std::vector<std::string_view> cells_;
  std::vector<std::size_t> starts_{0};
  std::size_t number_;
  std::size_t words_ = 0;    // of the sentence so far
  std::size_t covered_ = 0;  // the last word of its last range
};

Conllu Conllu::parse(std::string_view text, std::size_t line) { return ConlluReader(line).read(text); }

std::vector<Word> Conllu::heads() const {
  std::vector<Word> heads;
  heads.reserve(columns_.tokens());
  for (std::size_t sentence = 0; sentence < columns_.size(); ++sentence) {
    const std::size_t first = columns_.first_token(sentence);
    const std::size_t end = columns_.first_token(sentence + 1);
    for (std::size_t token = first; token < end; ++token) {
      const Line& line = lines_[line_of_[token]];
      LineCells cells;
      split_tabs(text_of(line), cells);
      const std::optional<std::size_t> head = number_of(cells[6]);
      const auto fail = [&](const std::string& what, std::string_view cell) {
        throw ParseError(what, line.number, column_of(text_of(line), cell));
      };
      if (!head)
        fail("expected the number of the word's head, or 0 for the root, got " + text::quoted(cells[6]), cells[6]);
      if (cells[7].empty() || cells[7] == "_")
        fail("expected the word's relation, got " + text::quoted(cells[7]), cells[7]);
      heads.push_back(static_cast<Word>(head.value_or(0)) - 1);
    }
    const TreeFault fault = fault_of(std::span(heads).subspan(first));
    if (fault) throw ParseError(fault.what, lines_[line_of_[first + static_cast<std::size_t>(fault.word)]].number, 1);
  }
  return heads;
}

std::vector<std::string_view> Conllu::relations() const {
  std::vector<std::string_view> relations;
  relations.reserve(line_of_.size());
  for (const std::size_t number : line_of_) {
    LineCells cells;
    split_tabs(text_of(lines_[number]), cells);
    relations.push_back(cells[7]);
  }
  return relations;
}

std::string Conllu::filled(const Filled& filled) const {
  std::string out;
  out.reserve(text_.size() + text_.size() / 8);
  for (const Line& line : lines_) {
    if (line.token == no_token) {
      out += text_of(line);
    } else {
      fill_line(line, filled, out);
    }
    out.append(text_.data() + line.end, line.next - line.end);
  }
  return out;
}

void Conllu::fill_line(const Line& line, const Filled& filled, std::string& out) const {
  LineCells cells;
  split_tabs(text_of(line), cells);
  const std::array columns{&filled.lemma, &filled.upos, &filled.xpos, &filled.feats};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (const auto& column = *columns[i]) cells[i + 2] = column->at(line.token);
  }
  std::string head;
  if (!filled.heads.empty()) {
    head = std::to_string(filled.heads[line.token] + 1);
    cells[6] = head;
    cells[7] = filled.relations.at(line.token);
    cells[8] = "_";
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += '\t';
    out += cells[i];
  }
}

}  // namespace gristmill::text_apps::parsing
