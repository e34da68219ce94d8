// SPDX-License-Identifier: BSD-3-Clause
// Feature templates, as data: which cells of which tokens, seen how, make which features.
//
// A feature is a string: the literal text of an item with the values of its pieces in between, as in CRF++'s
// U05:%x[-1,0]/%x[0,0] and YamCha's F:-1:0:value. Equal strings are one feature, whichever item made them.
//
// Places are numbers here. Which token a place is, whoever extracts says: a tagger by the distance from the token it is
// at, a parser by its stack and buffer. So are facts: small numbers that are not of one token, such as a distance.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "text_apps/templates/view.hpp"

namespace gristmill::text_apps::templates {

struct Sight {
  std::uint32_t column = 0;
  View view;
};

struct Piece {
  static constexpr std::uint32_t label = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t fact = label - 1;

  std::string before;       // literal text
  std::uint32_t place = 0;  // number of a place, or of a fact
  std::uint32_t sight = 0;  // number of a sight of that token's cells; `label`: the label it was given; or `fact`

  [[nodiscard]] bool is_label() const noexcept { return sight == label; }
  [[nodiscard]] bool is_fact() const noexcept { return sight == fact; }
  // Seen of the cells alone.
  [[nodiscard]] bool is_fixed() const noexcept { return !is_label() && !is_fact(); }
};

// Makes one feature, or several if its only piece is a bag; none where a piece has nothing to see or no label yet.
struct TemplateItem {
  std::vector<Piece> pieces;
  std::string after;
};

// What is seen of tokens before the first and behind the last, whatever the column: -2__BOS__, +1__EOS__.
struct Outside {
  std::string left_before, left_after;
  std::string right_before, right_after;
};

struct Templates {
  std::uint32_t places = 0;
  std::uint32_t facts = 0;
  std::uint32_t reach = 0;  // how far outside of a sentence a place may lie
  std::vector<Sight> sights;
  std::vector<TemplateItem> items;
  Outside outside;
  bool silent = false;  // nothing is seen of tokens outside, and of cells that are empty
};

// std::invalid_argument unless all numbers are in range and bags stand alone.
void check(const Templates& templates);

[[nodiscard]] std::uint32_t columns_of(const Templates& templates);

}  // namespace gristmill::text_apps::templates
