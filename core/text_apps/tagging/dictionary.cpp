// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/dictionary.hpp"

#include <algorithm>
#include <array>

#include "text/characters.hpp"
#include "text_apps/tagging/character_lines.hpp"

namespace gristmill::text_apps::tagging {

template <class Emit>
void Dictionary::each_word(const CharacterLines& lines, std::size_t line, Emit emit) {
  const std::span<const std::uint8_t> ends = lines.ends(line);
  for (std::size_t begin = 0, at = 0; at < ends.size(); ++at) {
    if (ends[at] == 0) continue;
    emit(begin, at + 1);
    begin = at + 1;
  }
}

void Dictionary::learn(const CharacterLines& lines) {
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::span<const char32_t> points = lines.points(line);
    if (points.empty()) continue;
    const std::size_t first = lines.first(line);
    const auto between = [&](std::size_t begin, std::size_t end) {
      const std::size_t at = lines.begin_of(first + begin);
      return lines.text().substr(at, lines.end_of(first + end - 1) - at);
    };
    const std::size_t known = lines_.size();
    lines_.intern(between(0, points.size()));
    if (lines_.size() == known) continue;
    each_word(lines, line, [&](std::size_t begin, std::size_t end) {
      add(points.subspan(begin, end - begin), between(begin, end));
    });
  }
}

void Dictionary::add(std::string_view word) {
  std::vector<char32_t> points;
  for (std::size_t at = 0; at < word.size(); at += text::width_of(word[at]))
    points.push_back(text::first_of(word.substr(at)));
  add(points, word);
}

void Dictionary::add(std::span<const char32_t> word, std::string_view spelling) {
  if (word.empty() || word.size() > longest_) return;
  EdgeMap::Node node = 0;
  for (const char32_t point : word) node = tree_.make(node, point);
  if (counts_.size() <= node) counts_.resize(tree_.size());
  ++counts_[node];
  words_.intern(spelling);
}

EdgeMap::Node Dictionary::find(std::span<const char32_t> word) const {
  if (word.size() > longest_) return EdgeMap::none;
  EdgeMap::Node node = 0;
  for (const char32_t point : word) {
    node = tree_.find(node, point);
    if (node == EdgeMap::none) break;
  }
  return node;
}

void Dictionary::find_own(const CharacterLines& lines, std::size_t line, Scratch& scratch) const {
  const std::span<const char32_t> points = lines.points(line);
  each_word(lines, line, [&](std::size_t begin, std::size_t end) {
    scratch.own.push_back(find(points.subspan(begin, end - begin)));
  });
  std::ranges::sort(scratch.own);
}

std::span<const Dictionary::Facts> Dictionary::facts(const CharacterLines& lines, std::size_t line, bool learning,
                                                     Scratch& scratch) const {
  const std::span<const char32_t> points = lines.points(line);
  scratch.facts.assign(points.size(), {});
  scratch.own.clear();
  if (learning) find_own(lines, line, scratch);
  for (std::size_t begin = 0; begin < points.size(); ++begin) look_from(begin, points, lines.walls(line), scratch);
  return scratch.facts;
}

void Dictionary::look_from(std::size_t begin, std::span<const char32_t> points, std::span<const std::uint8_t> walls,
                           Scratch& scratch) const {
  const auto seen_elsewhere = [&](EdgeMap::Node node) {
    if (node >= counts_.size() || counts_[node] == 0) return false;
    if (scratch.own.empty()) return true;
    const auto [first, last] = std::equal_range(scratch.own.begin(), scratch.own.end(), node);
    return counts_[node] > static_cast<std::size_t>(last - first);
  };
  EdgeMap::Node node = 0;
  mark_words(begin, walls, longest_, scratch.facts, [&](std::size_t at) -> WordStep {
    node = tree_.find(node, points[at]);
    return {node != EdgeMap::none, node != EdgeMap::none && seen_elsewhere(node)};
  });
}

std::string_view spelled(Dictionary::Facts facts) {
  constexpr std::size_t n = Dictionary::cap + 1;
  constexpr std::size_t width = 8;  // of L0,R0,I0
  static const std::string all = [] {
    std::string text;
    for (std::size_t i = 0; i < n * n * n; ++i) {
      for (const auto& [name, value] : {std::pair("L", i / n / n), {",R", i / n % n}, {",I", i % n}}) {
        text += name + std::to_string(value);
      }
    }
    return text;
  }();
  const std::size_t number = (facts.left * n + facts.right) * n + facts.inside;
  return std::string_view(all).substr(number * width, width);
}

}  // namespace gristmill::text_apps::tagging
