// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/character_lines.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "base/utf8.hpp"
#include "text/characters.hpp"
#include "text_apps/tagging/dictionary.hpp"

namespace gristmill::text_apps::tagging {
namespace {

constexpr std::size_t lines_at_once = 64;  // handed to a thread

[[noreturn]] void fail_encoding(std::string_view text, std::size_t line) {
  for (std::size_t at = 0;; ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view own = text.substr(at, end - at);
    if (!is_utf8(own)) {
      throw ParseError("the text is not UTF-8; convert it first, as in `iconv -f EUC-JP -t UTF-8`", line,
                       text::first_bad_byte(own) + 1);
    }
    at = end + 1;
  }
}

}  // namespace

CharacterLines::CharacterLines(std::string_view text, bool segmented, std::size_t line)
    : text_(text.begin(), text.end()) {
  if (!is_utf8(text)) fail_encoding(text, line);
  const std::size_t most = text::count_characters(text);
  begins_.reserve(most);
  points_.reserve(most);
  ends_.reserve(most);
  walls_.reserve(most);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    add_line(at, end, segmented);
    at = end + 1;
  }
}

void CharacterLines::add_line(std::size_t begin, std::size_t end, bool segmented) {
  const std::string_view line = text().substr(0, end);
  std::size_t gap = begin;  // where the white space before the next character begins
  for (std::size_t at = begin; at < end;) {
    const std::size_t width = text::width_of(line[at]);
    const char32_t point = text::first_of(line.substr(at));
    if (!text::is_space(point)) {
      if (points_.size() > starts_.back()) end_character(line.substr(gap, at - gap), segmented);
      begins_.push_back(at);
      points_.push_back(point);
      gap = at + width;
    }
    at += width;
  }
  if (points_.size() > starts_.back()) {
    ends_.push_back(1);
    walls_.push_back(1);
  }
  starts_.push_back(points_.size());
}

// What is between it and the next one.
void CharacterLines::end_character(std::string_view gap, bool segmented) {
  ends_.push_back(gap.empty() ? 0 : 1);
  walls_.push_back(gap.empty() || (segmented && gap == " ") ? 0 : 1);
}

std::size_t CharacterLines::end_of(std::size_t character) const {
  return begins_[character] + text::width_of(text_[begins_[character]]);
}

std::string_view CharacterLines::character(std::size_t number) const {
  return text().substr(begins_[number], end_of(number) - begins_[number]);
}

text::Columns CharacterLines::columns(const Dictionary* dictionary, bool learning, std::size_t threads,
                                      Observer& observer) const {
  const std::size_t width = dictionary == nullptr ? 1 : 2;
  std::vector<std::string_view> cells(characters() * width);
  parallel_for(size(), lines_at_once, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t) {
    Dictionary::Scratch scratch;
    for (std::size_t i = first(begin); i < first(end); ++i) cells[i * width] = character(i);
    for (std::size_t line = begin; dictionary != nullptr && line < end; ++line) {
      const std::span<const Dictionary::Facts> facts = dictionary->facts(*this, line, learning, scratch);
      for (std::size_t i = 0; i < facts.size(); ++i) cells[(first(line) + i) * 2 + 1] = spelled(facts[i]);
    }
  });
  return text::Columns::of_views(std::move(cells), width, starts_);
}

}  // namespace gristmill::text_apps::tagging
