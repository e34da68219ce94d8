// SPDX-License-Identifier: BSD-3-Clause
// YamCha's text models (*.txtmodel), which its mkmodel compiles: lines `Key: value`, a dictionary of features, and for
// each classifier the line MULTI_CLASS with its two classes and a model of TinySVM or SVMlight. Empty lines in between.
#pragma once
#include <string_view>

#include "base/observer.hpp"
#include "text/yamcha_model.hpp"

namespace gristmill::text {

// The class that stands for all others in one-vs-rest; the last one where there is any.
inline constexpr std::string_view yamcha_other = "___OTHER___";

// Features, support vectors and classes are numbered as in the compiled model. Values beside feature ids count as 1.
// Throws ParseError.
[[nodiscard]] YamchaModel parse_yamcha_text(std::string_view text, Observer& observer);

}  // namespace gristmill::text
