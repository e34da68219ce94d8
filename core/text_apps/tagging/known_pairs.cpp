// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/known_pairs.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "text/characters.hpp"

namespace gristmill::text_apps::tagging {
namespace {

constexpr unsigned point_bits = 21;

std::uint64_t packed(char32_t first, bool gap, char32_t second) {
  return ((std::uint64_t{first} << 1U | (gap ? 1U : 0U)) << point_bits) | second;
}

}  // namespace

KnownPairs::Key KnownPairs::key_of(const RawText& text, std::size_t character) {
  return packed(text.point(character), text.gap(character) != Gap::none, text.next_point(character));
}

KnownPairs KnownPairs::learn(const RawText& text, std::span<const std::int32_t> endings, std::size_t least) {
  if (endings.size() != text.size()) throw std::invalid_argument("endings do not fit the characters");
  std::vector<std::pair<Key, std::int32_t>> seen;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.gap(i) != Gap::paragraph) seen.emplace_back(key_of(text, i), endings[i]);
  }
  std::ranges::sort(seen);
  KnownPairs found;
  for (std::size_t begin = 0; begin < seen.size();) {
    std::size_t end = begin;
    while (end < seen.size() && seen[end].first == seen[begin].first) ++end;
    const bool alike = seen[begin].second == seen[end - 1].second;
    if (alike && end - begin >= least) found.add(seen[begin].first, static_cast<Ending>(seen[begin].second));
    begin = end;
  }
  return found;
}

void KnownPairs::add(std::span<const std::string> pairs, Ending ending) {
  for (const std::string& pair : pairs) {
    std::vector<char32_t> points;
    for (std::size_t at = 0; at < pair.size(); at += text::width_of(pair[at])) {
      points.push_back(text::first_of(std::string_view(pair).substr(at)));
    }
    const bool gap = points.size() == 3 && points[1] == U' ';
    if (points.size() != 2 && !gap) throw std::invalid_argument("expected two characters, got " + pair);
    add(packed(points.front(), gap, points.back()), ending);
  }
}

std::vector<std::string> KnownPairs::pairs(Ending ending) const {
  std::vector<std::string> found;
  for (const Slot& slot : slots_) {
    if (slot.key == 0 || slot.ending != ending) continue;
    std::string& pair = found.emplace_back();
    text::append(pair, static_cast<char32_t>(slot.key >> (point_bits + 1)));
    if ((slot.key >> point_bits & 1U) != 0) pair += ' ';
    text::append(pair, static_cast<char32_t>(slot.key & ((Key{1} << point_bits) - 1)));
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::int32_t> KnownPairs::endings(const RawText& text) const {
  std::vector<std::int32_t> endings(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Ending ending = text.gap(i) == Gap::paragraph ? Ending::sentence : find(key_of(text, i));
    endings[i] = static_cast<std::int32_t>(ending);
  }
  return endings;
}

void KnownPairs::add(Key key, Ending ending) {
  Slot& slot = slots_[place_of(key)];
  used_ += slot.key == 0 ? 1 : 0;
  slot = {key, ending};
  if (2 * used_ > slots_.size()) grow();
}

void KnownPairs::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  for (const Slot& slot : old) {
    if (slot.key != 0) slots_[place_of(slot.key)] = slot;
  }
}

Ending KnownPairs::find(Key key) const { return slots_[place_of(key)].ending; }

std::size_t KnownPairs::place_of(Key key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(key * 0x9E3779B97F4A7C15U >> 32U) & mask;
  while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

}  // namespace gristmill::text_apps::tagging
