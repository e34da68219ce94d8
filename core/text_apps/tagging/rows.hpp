// SPDX-License-Identifier: BSD-3-Clause
// The tokens of sentences as rows of features, to learn from: the labels of the other tokens are given.
#pragma once
#include <vector>

#include "base/observer.hpp"
#include "text/columns.hpp"
#include "text_apps/tagging/window.hpp"

namespace gristmill::text_apps::tagging {

struct TokenRows {
  std::vector<Offset> offsets{0};
  std::vector<FeatureId> ids;
};

// grow: features that are new get numbers in `names`; else they are left out. Rows are in the order of the text.
// backward: as a decoder goes from the end; labels of tokens further on are what it has decided before.
TokenRows rows_of_tokens(const Window& window, const text::Columns& columns, std::span<const std::int32_t> labels,
                         templates::Strings& names, bool grow, bool backward, Observer& observer);

}  // namespace gristmill::text_apps::tagging
