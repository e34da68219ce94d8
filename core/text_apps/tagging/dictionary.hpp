// SPDX-License-Identifier: BSD-3-Clause
// Words that are known, with how often they were seen, as a tree of characters; and what they say of boundaries.
//
// Of the boundary behind a character: L, the longest word that may end there; R, the longest that may begin there; I,
// the longest that it would cut; in characters, 0 for none. White space is never crossed.
//
// Cost: a step in the tree for each character and each longer beginning of a word there, at most the longest word.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/edge_map.hpp"
#include "base/sequence_table.hpp"

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

// L3,R2,I0; lives for ever.
[[nodiscard]] std::string_view spelled(Dictionary::Facts facts);

}  // namespace gristmill::text_apps::tagging
