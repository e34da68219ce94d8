// SPDX-License-Identifier: BSD-3-Clause
#include "text/delimited.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

#include "base/utf8.hpp"
#include "text/columns.hpp"

namespace gristmill::text {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t rows_a_report = 4096;

bool is_line_end(std::string_view text, std::size_t at) noexcept {
  if (at == text.size() || text[at] == '\n') return true;
  return text[at] == '\r' && (at + 1 == text.size() || text[at + 1] == '\n');
}

// A number as Python's float reads it, without underscores and blanks.
bool read_number(std::string_view cell, double& value) {
  if (cell.starts_with('+')) cell.remove_prefix(cell.starts_with("+-") ? 0 : 1);
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::invalid_argument || stop != end) return false;
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(cell).c_str(), nullptr);
  return true;
}

// Looks up views among strings.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

std::string counted(std::size_t cells) { return std::to_string(cells) + (cells == 1 ? " cell" : " cells"); }

}  // namespace

char likely_separator(std::string_view text) {
  constexpr std::string_view candidates = ",;\t|";
  std::array<std::size_t, candidates.size()> counts{};
  bool in_quotes = false;
  for (std::size_t at = std::min(text.find_first_not_of("\r\n"), text.size());
       at < text.size() && (in_quotes || text[at] != '\n'); ++at) {
    if (text[at] == '"') in_quotes = !in_quotes;
    const std::size_t found = candidates.find(text[at]);
    if (!in_quotes && found != std::string_view::npos) ++counts[found];
  }
  return candidates[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

DelimitedText::DelimitedText(std::string_view text, char separator, std::vector<std::string> missing,
                             Observer& observer)
    : text_(text), separator_(separator), missing_(std::move(missing)) {
  for (const std::string& one : missing_) begins_missing_[static_cast<unsigned char>(one.c_str()[0])] = true;
  if (!is_utf8(text_)) fail(first_bad_byte(text_), "the text is not UTF-8; convert it, as `iconv -f latin1 -t utf-8`");
  if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
  skip_empty_lines();
  read_names();
  read_rows(observer);
}

void DelimitedText::read_names() {
  if (at_ == text_.size()) fail(at_, "the file is empty: expected a line with the names of columns");
  read_row();
  std::string unquoted;
  for (const std::size_t start : starts_) names_.emplace_back(cell(start, unquoted));
  starts_.clear();
}

void DelimitedText::read_rows(Observer& observer) {
  for (skip_empty_lines(); at_ < text_.size(); skip_empty_lines()) {
    const std::size_t before = starts_.size();
    if (before / names_.size() % rows_a_report == 0) require(observer, at_, text_.size());
    const std::size_t begin = at_;
    read_row();
    if (const std::size_t cells = starts_.size() - before; cells != names_.size()) {
      fail(begin, "the row has " + counted(cells) + ", the first line names " + std::to_string(names_.size()) +
                      (names_.size() == 1 ? " column" : " columns"));
    }
  }
}

void DelimitedText::read_row() {
  take_cell();
  while (!is_line_end(text_, at_)) {
    ++at_;  // the separator
    take_cell();
  }
}

void DelimitedText::take_cell() {
  skip_blanks();
  starts_.push_back(at_);
  if (at_ < text_.size() && text_[at_] == '"') {
    take_quoted();
  } else {
    while (!ends_cell(at_)) ++at_;
  }
}

void DelimitedText::take_quoted() {
  const std::size_t begin = at_;
  do {
    at_ = text_.find('"', at_ + 1);
    if (at_ == std::string_view::npos) fail(begin, "the quote that begins here is never closed");
    ++at_;
  } while (at_ < text_.size() && text_[at_] == '"');
  skip_blanks();
  if (!ends_cell(at_)) {
    fail(at_, "expected the end of a cell behind the closing quote, got " +
                  quoted(text_.substr(at_, line_end_at(at_) - at_)) + "; a quote inside of quotes is written twice");
  }
}

void DelimitedText::skip_blanks() noexcept {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

void DelimitedText::skip_empty_lines() noexcept {
  while (at_ < text_.size()) {
    const std::size_t end = line_end_at(at_);
    if (!std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.begin() + static_cast<std::ptrdiff_t>(end),
                     [this](char byte) { return is_blank(byte); })) {
      return;
    }
    at_ = std::min(text_.find('\n', end), text_.size() - 1) + 1;
  }
}

std::size_t DelimitedText::line_end_at(std::size_t at) const noexcept {
  while (!is_line_end(text_, at)) ++at;
  return at;
}

bool DelimitedText::ends_cell(std::size_t at) const noexcept {
  return at == text_.size() || text_[at] == separator_ || is_line_end(text_, at);
}

std::vector<double> DelimitedText::numbers(std::size_t column) const {
  std::vector<double> found;
  std::string unquoted;
  for (std::size_t at = column; at < starts_.size(); at += names_.size()) {
    const std::string_view own = cell(starts_[at], unquoted);
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!is_missing(own) && !read_number(own, value)) break;
    found.push_back(value);
  }
  return found;
}

DelimitedText::Words DelimitedText::words(std::size_t column) const {
  Words found;
  found.codes.reserve(rows());
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> places;
  std::string unquoted;
  for (std::size_t at = column; at < starts_.size(); at += names_.size()) {
    const std::string_view own = cell(starts_[at], unquoted);
    if (is_missing(own)) {
      found.codes.push_back(-1);
      continue;
    }
    auto place = places.find(own);
    if (place == places.end()) {
      place = places.emplace(own, static_cast<std::int32_t>(places.size())).first;
      found.texts.emplace_back(own);
    }
    found.codes.push_back(place->second);
  }
  return found;
}

std::pair<std::size_t, std::size_t> DelimitedText::place(std::size_t row, std::size_t column) const {
  const ParseError error = Cursor(text_).error_at(text_.data() + starts_.at(row * names_.size() + column), "");
  return {error.line(), error.column()};
}

std::string_view DelimitedText::cell(std::size_t start, std::string& unquoted) const {
  if (start < text_.size() && text_[start] == '"') return quoted_cell(start, unquoted);
  std::size_t end = start;
  while (!ends_cell(end)) ++end;
  while (end > start && is_blank(text_[end - 1])) --end;
  return text_.substr(start, end - start);
}

std::string_view DelimitedText::quoted_cell(std::size_t start, std::string& unquoted) const {
  const std::size_t begin = start + 1;
  std::size_t end = text_.find('"', begin);
  if (end + 1 == text_.size() || text_[end + 1] != '"') return text_.substr(begin, end - begin);
  unquoted.assign(text_.substr(begin, end - begin));
  while (end + 1 < text_.size() && text_[end + 1] == '"') {
    const std::size_t next = text_.find('"', end + 2);
    unquoted.append(text_.substr(end + 1, next - end - 1));
    end = next;
  }
  return unquoted;
}

bool DelimitedText::is_missing(std::string_view cell) const noexcept {
  const auto first = static_cast<unsigned char>(cell.empty() ? '\0' : cell.front());
  return begins_missing_[first] && std::ranges::find(missing_, cell) != missing_.end();
}

void DelimitedText::fail(std::size_t at, const std::string& message) const {
  Cursor(text_).fail_at(text_.data() + at, message);
}

}  // namespace gristmill::text
