// SPDX-License-Identifier: BSD-3-Clause
// YamCha's models, compiled and as text: all numbers of what was read are in range. Options: which of the two.
#include <algorithm>

#include "fuzz.hpp"
#include "text/yamcha_text.hpp"

namespace gristmill::fuzz {
namespace {

bool all_below(const auto& numbers, std::size_t end) {
  return std::ranges::all_of(numbers, [&](auto one) { return one >= 0 && static_cast<std::size_t>(one) < end; });
}

}  // namespace

void read(std::string_view input) {
  Silent observer;
  const bool as_text = take_options(input) % 2 == 1;
  const text::YamchaModel model = as_text ? text::parse_yamcha_text(input, observer) : text::parse_yamcha_model(input);
  INSIST(std::ranges::is_sorted(model.offsets) && static_cast<std::size_t>(model.offsets.back()) == model.ids.size());
  INSIST(all_below(model.ids, model.features.size()));
  INSIST(all_below(model.weight_rows, model.offsets.size() - 1));
  INSIST(all_below(model.weight_classifiers, model.classifiers.size()));
  INSIST(model.weights.size() == model.weight_rows.size() && model.weights.size() == model.weight_classifiers.size());
  for (const auto& classifier : model.classifiers) {
    INSIST(classifier.positive < model.classes.size() && classifier.negative < model.classes.size());
  }
}

}  // namespace gristmill::fuzz
