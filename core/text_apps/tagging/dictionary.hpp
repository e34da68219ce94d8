// SPDX-License-Identifier: BSD-3-Clause
// Words that are known, with how often they were seen, as a tree of characters; and what they say of boundaries.
//
// Of the boundary behind a character: L, the longest word that may end there; R, the longest that may begin there; I,
// the longest that it would cut; in characters, 0 for none. White space is never crossed.
//
// Cost: a step in the tree for each character and each longer beginning of a word there, at most the longest word.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/edge_map.hpp"
#include "base/sequence_table.hpp"
#include "base/variants.hpp"

namespace gristmill::text_apps::tagging {

class CharacterLines;

class Dictionary {
 public:
  static constexpr std::uint8_t cap = 8;  // longer ones count as this

  struct Facts {
    std::uint8_t left = 0, right = 0, inside = 0;
  };

  struct Scratch {
    std::vector<Facts> facts;
    std::vector<EdgeMap::Node> own;  // of words of a line, ascending
  };

  // longest: in characters; longer words are left out.
  explicit Dictionary(std::size_t longest) : longest_(longest) {}

  // Words of segmented text. Lines that were there before are left out: what is known from a line could not be told
  // from what is known from its twin.
  void learn(const CharacterLines& lines);
  void add(std::string_view word);

  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }
  [[nodiscard]] const SequenceTable<char>& words() const noexcept { return words_; }

  // Of all characters of a line. learning: a word counts only if it was seen in other lines too.
  [[nodiscard]] std::span<const Facts> facts(const CharacterLines& lines, std::size_t line, bool learning,
                                             Scratch& scratch) const;

 private:
  // emit(characters) for each word of a line.
  template <class Emit>
  static void each_word(const CharacterLines& lines, std::size_t line, Emit emit);
  void add(std::span<const char32_t> word, std::string_view spelling);
  [[nodiscard]] EdgeMap::Node find(std::span<const char32_t> word) const;
  void find_own(const CharacterLines& lines, std::size_t line, Scratch& scratch) const;
  void look_from(std::size_t begin, std::span<const char32_t> points, std::span<const std::uint8_t> walls,
                 Scratch& scratch) const;

  std::size_t longest_;
  EdgeMap tree_;
  std::vector<std::uint32_t> counts_;  // by node; may be shorter than the tree
  SequenceTable<char> words_;
  SequenceTable<char> lines_;  // that were learned from
};

// How words go on with a character, and whether one ends with it.
struct WordStep {
  bool goes_on;
  bool is_word;
};

// What the words that begin at a place say. step(at): from there on, or from the last step on, with the character `at`.
template <class Step>
GRISTMILL_INLINE void mark_words(std::size_t begin, std::span<const std::uint8_t> walls, std::size_t longest_word,
                                 std::span<Dictionary::Facts> facts, Step step) {
  const std::size_t end = begin + std::min(walls.size() - begin, longest_word);
  std::size_t longest = 0;
  for (std::size_t at = begin; at < end; ++at) {
    const WordStep found = step(at);
    if (!found.goes_on) break;
    if (found.is_word) {
      longest = at - begin + 1;
      std::uint8_t& left = facts[at].left;
      left = std::max(left, static_cast<std::uint8_t>(std::min<std::size_t>(longest, Dictionary::cap)));
    }
    if (walls[at] != 0) break;
  }
  const auto shown = static_cast<std::uint8_t>(std::min<std::size_t>(longest, Dictionary::cap));
  if (begin > 0) facts[begin - 1].right = shown;
  for (std::size_t at = begin; at + 1 < begin + longest; ++at) facts[at].inside = std::max(facts[at].inside, shown);
}

// L3,R2,I0; lives for ever.
[[nodiscard]] std::string_view spelled(Dictionary::Facts facts);

}  // namespace gristmill::text_apps::tagging
