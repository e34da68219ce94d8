// SPDX-License-Identifier: BSD-3-Clause
// Features of a token from the tokens around it: places are distances.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "text/columns.hpp"
#include "text_apps/templates/extractor.hpp"

namespace gristmill::text_apps::tagging {

class Window {
 public:
  // distances: of each place of the extractor's templates from the token in question.
  Window(std::shared_ptr<const templates::Extractor> extractor, std::vector<std::int64_t> distances);

  [[nodiscard]] const templates::Extractor& extractor() const noexcept { return *extractor_; }

  // Where places are, seen from a token.
  void positions_at(std::size_t token, std::vector<std::int64_t>& positions) const;

 private:
  std::shared_ptr<const templates::Extractor> extractor_;
  std::vector<std::int64_t> distances_;
};

// std::invalid_argument unless the tokens have the cells that templates look at.
void check_columns(const Window& window, const text::Columns& columns);

// A sentence on its way: what has been read, and what of the features does not depend on labels.
class WindowReading {
 public:
  void read(const Window& window, const text::Cells& cells, templates::Memo& memo,
            templates::FeatureDictionary& dictionary);

  [[nodiscard]] std::size_t size() const noexcept { return reading_.size(); }

  // Appends the features of a token, ascending, given the labels of the others.
  void add_row(const Window& window, std::size_t token, std::span<const std::int32_t> labels, templates::Memo& memo,
               templates::FeatureDictionary& dictionary, std::vector<FeatureId>& row);

 private:
  templates::Reading reading_;
  std::vector<FeatureId> fixed_;   // of all tokens, ascending in each
  std::vector<std::size_t> ends_;  // where those of a token end, after a 0
  std::vector<std::int64_t> positions_;
};

}  // namespace gristmill::text_apps::tagging
