// SPDX-License-Identifier: BSD-3-Clause
// What each feature of a segmenter's machine says of a boundary, where its templates are of the common kind: a
// character of the window, the type of one, or what the dictionary says.
//
// Features are strings (see templates.hpp), so this reads them backwards: the text of an item, with a value in between.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "rows/rows.hpp"
#include "text_apps/boundaries/alphabet.hpp"
#include "text_apps/tagging/dictionary.hpp"
#include "text_apps/tagging/window.hpp"

namespace gristmill::text_apps::boundaries {

constexpr std::size_t fact_values = tagging::Dictionary::cap + 1;
constexpr std::size_t fact_count = 3 * fact_values;  // L0, ..., R0, ..., I0, ...
constexpr std::size_t most_places = 7;               // characters of a window

struct Meaning {
  enum class Kind : std::uint8_t { none, letter, type, fact };  // none: no boundary has it
  Kind kind = Kind::none;
  std::uint8_t place = 0;   // in the window, from 0 on
  std::uint16_t value = 0;  // a Letter, a LetterType or the number of a fact
};

struct WindowFeatures {
  int first = 0;           // distance of place 0 from the character before the boundary
  std::size_t places = 0;  // characters of the window
  Alphabet alphabet;
  std::vector<Meaning> meanings;  // by feature
  // The same the other way round; no_feature where there is none.
  std::vector<FeatureId> of_letter;  // letters x places
  std::vector<FeatureId> of_type;    // types x places
  std::array<FeatureId, fact_count> of_fact;
};

// Nothing where templates are of another kind, or the window is too wide. names: of the features; support: rows of
// them, whose frequent characters come first; words: more characters to tell apart.
[[nodiscard]] std::optional<WindowFeatures> features_of_window(const tagging::Window& window,
                                                               const templates::Strings& names, rows::Rows support,
                                                               const tagging::Dictionary* words);

}  // namespace gristmill::text_apps::boundaries
