// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/rows.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/errors.hpp"

namespace gristmill::text_apps::tagging {
namespace {

void check(const Window& window, const text::Columns& columns, std::span<const std::int32_t> labels) {
  const auto known = static_cast<std::int32_t>(window.extractor().labels().size());
  const auto unknown = [&](std::int32_t label) { return label < templates::Extractor::no_label || label >= known; };
  if (labels.size() != columns.tokens() || std::ranges::any_of(labels, unknown)) {
    throw std::invalid_argument("labels do not fit the tokens");
  }
  check_columns(window, columns);
}

// Labels in the order in which a sentence is read.
std::vector<std::int32_t> in_order(std::span<const std::int32_t> labels, bool backward) {
  std::vector<std::int32_t> own(labels.begin(), labels.end());
  if (backward) std::ranges::reverse(own);
  return own;
}

}  // namespace

TokenRows rows_of_tokens(const Window& window, const text::Columns& columns, std::span<const std::int32_t> labels,
                         templates::Strings& names, bool grow, bool backward, Observer& observer) {
  check(window, columns, labels);
  templates::Memo memo = window.extractor().make_memo();
  const auto dictionary = [&]() -> std::unique_ptr<templates::FeatureDictionary> {
    if (grow) return std::make_unique<templates::NewFeatures>(names);
    return std::make_unique<templates::KnownFeatures>(names);
  }();
  TokenRows rows;
  WindowReading reading;
  for (std::size_t sentence = 0; sentence < columns.size(); ++sentence) {
    if (memo.is_full()) memo.forget();
    const text::Cells cells = columns.sentence(sentence, backward);
    const std::size_t first = columns.first_token(sentence);
    const std::vector<std::int32_t> own = in_order(labels.subspan(first, cells.size()), backward);
    reading.read(window, cells, memo, *dictionary);
    for (std::size_t token = 0; token < cells.size(); ++token) {
      reading.add_row(window, cells.place_of(token), own, memo, *dictionary, rows.ids);
      rows.offsets.push_back(static_cast<Offset>(rows.ids.size()));
    }
    require(observer, sentence + 1, columns.size());
  }
  return rows;
}

}  // namespace gristmill::text_apps::tagging
