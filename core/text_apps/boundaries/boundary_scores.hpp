// SPDX-License-Identifier: BSD-3-Clause
// Scores of all boundaries of a line by tables, in their units.
//
// Cost of a character: a vector of `beside` for each direction, a slot of a comb for each distance, three numbers of
// facts for each place. None depends on another, so that a processor has many of them on their way at once.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "text_apps/boundaries/score_tables.hpp"

namespace gristmill::text_apps::boundaries {

// A line as a window sees it: its letters, with those outside of it as far as any window or pair reaches.
class PaddedLine {
 public:
  void read(std::span<const char32_t> characters, const WindowFeatures& features);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const Letter> inner() const { return std::span(letters_).subspan(before_, size_); }
  // Those of the window of a boundary, and their types.
  [[nodiscard]] const Letter* window(std::size_t boundary) const { return letters_.data() + margin_ + boundary; }
  [[nodiscard]] const LetterType* types(std::size_t boundary) const { return types_.data() + margin_ + boundary; }

 private:
  std::size_t size_ = 0;
  std::size_t before_ = 0;  // letters before the first one of the line ...
  std::size_t margin_ = 0;  // ... and before the first one of the first window
  std::vector<Letter> letters_;
  std::vector<LetterType> types_;
};

struct ScoreScratch {
  std::vector<Lanes8h> sums;  // of the letters of all windows
};

// facts: of all boundaries, as they are in a line.
void score_line(const ScoreTables& tables, const PaddedLine& line, std::span<const tagging::Dictionary::Facts> facts,
                std::span<std::int32_t> scores, ScoreScratch& scratch);

}  // namespace gristmill::text_apps::boundaries
