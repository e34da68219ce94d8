// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/boundaries/boundary_scores.hpp"

#include <algorithm>
#include <array>

namespace gristmill::text_apps::boundaries {
namespace {

using Facts = tagging::Dictionary::Facts;

// What a letter adds to each boundary that has it in its window, but for facts.
template <std::size_t Places>
GRISTMILL_INLINE Lanes8h sum_of(const ScoreTables& tables, const Letter* letter, const LetterType* type) {
  constexpr std::size_t distances = Places - 1;
  const std::size_t own = *letter;
  Lanes8h sum = tables.alone.data()[own];
  const Lanes8h* beside = tables.beside.data() + own * 2 * distances * tables.types;
  for (std::size_t i = 0; i < distances; ++i, beside += tables.types) {
    sum += beside[*(type + i - distances)];
  }
  for (std::size_t i = 1; i <= distances; ++i, beside += tables.types) sum += beside[type[i]];
  const std::uint32_t* shifts = tables.shifts.data() + own * distances;
  for (std::size_t i = 0; i < distances; ++i) {
    const auto other = static_cast<std::int16_t>(letter[i + 1]);
    const Lanes8h slot = tables.pairs.data()[i].data()[shifts[i] + letter[i + 1]];
    const auto is_there = static_cast<std::int16_t>(-static_cast<int>(slot[7] == other));
    sum += slot & (Lanes8h{} + is_there);
  }
  return sum;
}

// What the facts of a boundary add, with the letters of its window.
template <std::size_t Places>
GRISTMILL_INLINE std::int32_t fact_sum(const ScoreTables& tables, const Letter* window, Facts facts) {
  const std::size_t left = facts.left;
  const std::size_t right = fact_values + facts.right;
  const std::size_t inside = 2 * fact_values + facts.inside;
  std::int32_t sum = 0;
  for (std::size_t place = 0; place < Places; ++place) {
    const std::int16_t* row = tables.with_fact.data() + (window[place] * Places + place) * fact_count;
    sum += row[left] + row[right] + row[inside];
  }
  return sum;
}

template <std::size_t Places>
void score(const ScoreTables& tables, const PaddedLine& line, std::span<const Facts> facts,
           std::span<std::int32_t> scores, ScoreScratch& scratch) {
  const std::size_t letters = line.size() + Places - 1;
  scratch.sums.resize(std::max(scratch.sums.size(), letters));
  Lanes8h* sums = scratch.sums.data();
  for (std::size_t i = 0; i < letters; ++i) sums[i] = sum_of<Places>(tables, line.window(i), line.types(i));
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t entry = (facts[i].left * fact_values + facts[i].right) * fact_values + facts[i].inside;
    std::int32_t sum = tables.facts.data()[entry] + fact_sum<Places>(tables, line.window(i), facts[i]);
    for (std::size_t place = 0; place < Places; ++place) sum += sums[i + place][place];
    scores[i] = sum;
  }
}

using Score = void (*)(const ScoreTables&, const PaddedLine&, std::span<const Facts>, std::span<std::int32_t>,
                       ScoreScratch&);
constexpr std::array<Score, most_places> by_places{&score<1>, &score<2>, &score<3>, &score<4>,
                                                   &score<5>, &score<6>, &score<7>};

}  // namespace

void PaddedLine::read(std::span<const char32_t> characters, const WindowFeatures& features) {
  const Alphabet& alphabet = features.alphabet;
  const std::size_t pairs = features.places - 1;  // how far a letter looks for others
  const auto outer_left = static_cast<std::size_t>(std::max(-features.first, 0));
  const int last = features.first + static_cast<int>(pairs);
  const auto outer_right = static_cast<std::size_t>(std::max(last, 0));
  size_ = characters.size();
  before_ = pairs + outer_left;
  margin_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(before_) + features.first);
  letters_.assign(before_ + size_ + outer_right + pairs, Alphabet::nothing);
  for (std::size_t i = 1; i <= before_; ++i) {
    letters_[before_ - i] = alphabet.outside({.behind = false, .distance = static_cast<unsigned>(i)});
  }
  for (std::size_t i = 0; i < size_; ++i) letters_[before_ + i] = alphabet.of(characters[i]);
  for (std::size_t i = 1; i <= outer_right + pairs; ++i) {
    letters_[before_ + size_ + i - 1] = alphabet.outside({.behind = true, .distance = static_cast<unsigned>(i)});
  }
  types_.resize(letters_.size());
  for (std::size_t i = 0; i < letters_.size(); ++i) types_[i] = alphabet.type_of(letters_[i]);
}

void score_line(const ScoreTables& tables, const PaddedLine& line, std::span<const tagging::Dictionary::Facts> facts,
                std::span<std::int32_t> scores,
                ScoreScratch& scratch) {  // NOLINT(misc-const-correctness): it is written
  by_places[tables.places - 1](tables, line, facts, scores, scratch);
}

}  // namespace gristmill::text_apps::boundaries
