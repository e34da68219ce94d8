// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/raw_text.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/errors.hpp"
#include "base/utf8.hpp"
#include "text/characters.hpp"
#include "text_apps/tagging/word_cases.hpp"

namespace gristmill::text_apps::tagging {
namespace {

constexpr std::size_t places_at_once = 256;  // in a sentence of columns, which one thread works on
constexpr char32_t paragraph_end = U'\n';

void check_encoding(std::string_view text, std::size_t line) {
  if (is_utf8(text)) return;
  for (std::size_t at = 0;; ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view own = text.substr(at, end - at);
    if (!is_utf8(own)) throw ParseError("the text is not UTF-8", line, text::first_bad_byte(own) + 1);
    at = end + 1;
  }
}

bool is_white(char32_t point) { return text::type_of(point) == text::CharacterType::space; }

}  // namespace

RawText::RawText(std::string_view text, std::size_t line) {
  check_encoding(text, line);
  text_.reserve(text.size());
  std::size_t source = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t point = text::first_of(text.substr(at));
    const std::size_t width = text::width_of(text[at]);
    if (is_white(point)) {
      const std::size_t end = add_space(text, at);
      source += text::count_characters(text.substr(at, end - at));
      at = end;
      continue;
    }
    characters_.push_back(points_.size());
    sources_.push_back(source++);
    add(point, text.substr(at, width));
    at += width;
  }
  if (!points_.empty() && points_.back() == U' ') points_.back() = paragraph_end;
  begins_.push_back(text_.size());
}

// White space from here on; returns where it ends.
std::size_t RawText::add_space(std::string_view text, std::size_t at) {
  std::size_t lines = 0;
  while (at < text.size() && is_white(text::first_of(text.substr(at)))) {
    if (text[at] == '\n') ++lines;
    at += text::width_of(text[at]);
  }
  if (!points_.empty()) add(lines > 1 ? paragraph_end : U' ', " ");
  return at;
}

void RawText::add(char32_t point, std::string_view spelling) {
  points_.push_back(point);
  begins_.push_back(text_.size());
  text_.insert(text_.end(), spelling.begin(), spelling.end());
}

Gap RawText::gap(std::size_t character) const {
  const std::size_t next = characters_[character] + 1;
  if (next >= points_.size() || points_[next] == paragraph_end) return Gap::paragraph;
  return points_[next] == U' ' ? Gap::space : Gap::none;
}

std::string_view RawText::between(std::size_t first, std::size_t last) const {
  return view(static_cast<std::int64_t>(characters_[first]), static_cast<std::int64_t>(characters_[last]) + 1);
}

std::string_view RawText::view(std::int64_t first, std::int64_t end) const {
  if (first >= end) return {};
  const std::size_t begin = begins_[static_cast<std::size_t>(first)];
  return {text_.data() + begin, begins_[static_cast<std::size_t>(end)] - begin};
}

bool RawText::is_space(std::int64_t position) const {
  if (position < 0 || position >= static_cast<std::int64_t>(points_.size())) return true;
  const char32_t point = points_[static_cast<std::size_t>(position)];
  return point == U' ' || point == paragraph_end;
}

// The character, _ for a space, ¶ for the end of a paragraph.
std::string_view RawText::cell(std::int64_t position) const {
  if (!is_space(position)) return view(position, position + 1);
  const bool inside = position >= 0 && position < static_cast<std::int64_t>(points_.size());
  return inside && points_[static_cast<std::size_t>(position)] == U' ' ? "_" : "¶";
}

// Of the word that the position is in or behind of, its longest part that is looked at.
std::int64_t RawText::word_begin(std::int64_t position) const {
  std::int64_t begin = position;
  while (position - begin < longest_word && !is_space(begin - 1)) --begin;
  return begin;
}

std::int64_t RawText::word_end(std::int64_t position) const {
  std::int64_t end = position;
  while (end - position < longest_word && !is_space(end)) ++end;
  return end;
}

text::Columns RawText::columns(std::span<const std::int64_t> places, const WordCases* cases, const text::Columns* facts,
                               std::span<const std::int32_t> learned) const {
  std::vector<std::string_view> cells;
  cells.reserve(places.size() * columns_of_place);
  std::vector<std::size_t> starts{0};
  for (std::size_t number = 0; number < places.size(); ++number) {
    const auto character = static_cast<std::size_t>(places[number]);
    const auto here = static_cast<std::int64_t>(characters_[character]);
    const bool gap = is_space(here + 1);
    const std::int64_t next = here + (gap ? 2 : 1);
    const std::int64_t begin = word_begin(here);
    const std::int64_t end = word_end(next);
    const std::int64_t before = is_space(begin - 1) ? begin - 1 : begin;
    for (const std::int64_t at : {here, next}) cells.push_back(cell(at));
    cells.push_back(gap ? "_" : "");
    for (const std::int64_t at : {here - 1, here - 2, here - 3, next + 1, next + 2, next + 3})
      cells.push_back(cell(at));
    cells.push_back(view(begin, here + 1));
    cells.push_back(view(next, end));
    cells.push_back(view(word_begin(before), before));
    cells.push_back(is_space(end) ? view(end + 1, word_end(end + 1)) : std::string_view());
    const bool begins = learned.empty() || learned[character] == static_cast<std::int32_t>(Ending::sentence);
    cells.push_back(cases == nullptr ? std::string_view() : cases->facts(view(next, end), begins ? 0 : 1));
    cells.push_back(facts == nullptr ? std::string_view() : facts->cell(character, 1));
    if ((number + 1) % places_at_once == 0) starts.push_back(number + 1);
  }
  if (starts.back() != places.size()) starts.push_back(places.size());
  return text::Columns::of_views(std::move(cells), columns_of_place, std::move(starts));
}

}  // namespace gristmill::text_apps::tagging
