// SPDX-License-Identifier: BSD-3-Clause
// A machine of degree 1 or 2 on the features of a window as weights of what stands in it: of each letter, of two
// letters so far apart, of a letter and the type of another one, of a letter and a fact, of facts.
//
//   f(boundary) = sum over places p of  alone(letter p, p)
//                                     + sum over places q != p of  beside(letter p, p, q - p, type of letter q)
//                                     + sum over places q > p of   pair(letter p, letter q, p)
//                                     + sum over the three facts of  with_fact(letter p, p, fact)
//               + facts(L, R, I)
//
// The type of a letter is known from the letter, so its own weights are part of the letter's. All pairs that cannot
// occur together are left out. Cost: the pairs of features of all support rows.
#pragma once
#include <cstdint>
#include <vector>

#include "base/edge_map.hpp"
#include "base/observer.hpp"
#include "machine/machine.hpp"
#include "text_apps/boundaries/window_features.hpp"

namespace gristmill::text_apps::boundaries {

// Pairs of letters at one distance, each with a weight for each place that the first one may have.
struct LetterPairs {
  struct Pair {
    Letter first, second;
  };
  EdgeMap numbers;  // (first, second) -> number of the pair, from 1 on
  std::vector<Pair> pairs;
  std::vector<double> weights;  // pairs x places
};

struct WindowWeights {
  explicit WindowWeights(const WindowFeatures& features);

  std::size_t letters, types, places;
  std::vector<double> alone;       // letters x places
  std::vector<double> beside;      // letters x directions x types x places
  std::vector<LetterPairs> pairs;  // by distance, from 1 on
  std::vector<double> with_fact;   // letters x places x facts
  std::vector<double> facts;       // L x R x I
  double magnitude = 0;            // at least the sum of all that makes up any score, each without its sign

  // How far letters of a window may be apart, in either direction: -places + 1, ..., -1, 1, ..., places - 1.
  [[nodiscard]] static std::size_t directions(std::size_t places) noexcept { return 2 * (places - 1); }
  [[nodiscard]] std::size_t direction(std::size_t from, std::size_t to) const noexcept {
    return to < from ? to + places - 1 - from : to + places - 2 - from;
  }
  [[nodiscard]] std::size_t beside_at(std::size_t letter, std::size_t direction, std::size_t type) const noexcept {
    return ((letter * directions(places) + direction) * types + type) * places;
  }
};

// Bytes of the largest tables that such features have.
[[nodiscard]] std::size_t bytes_of_weights(const WindowFeatures& features);

// Whether a machine has weights of this kind: one output, binary support rows, a polynomial kernel of degree 1 or 2.
[[nodiscard]] bool has_window_weights(const machine::SetMachine& machine);

[[nodiscard]] WindowWeights weights_of_window(const machine::SetMachine& machine, const WindowFeatures& features,
                                              Observer& observer);

}  // namespace gristmill::text_apps::boundaries
