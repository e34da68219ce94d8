// SPDX-License-Identifier: BSD-3-Clause
// svmlight / libsvm data: one example a line, `label [qid:n] [sid:n] [cost:x] id:value id:value ... [# comment]`.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/observer.hpp"
#include "rows/rows.hpp"
#include "text/feature_list.hpp"

namespace gristmill::text {

enum class LabelKind { numbers, words };

struct SvmlightData {
  std::vector<double> labels;         // numbers, or for words their positions in `words`
  std::vector<std::string> words;     // the different labels, in order of first use
  std::vector<std::int64_t> queries;  // one per example when the file has qid:, else empty; 0 for lines without
  FeatureLists rows;
};

// Blank lines and comment lines are skipped; sid and cost, which matter to training only, are read and left. Throws
// ParseError. Progress counts bytes.
[[nodiscard]] SvmlightData parse_svmlight(std::string_view text, IdBase base, LabelKind kind, Observer& observer);

// The inverse. values and queries may be empty; one_based adds 1 to every id.
[[nodiscard]] std::string format_svmlight(std::span<const double> labels, std::span<const std::int64_t> queries,
                                          rows::RealRows rows, bool one_based);

}  // namespace gristmill::text
