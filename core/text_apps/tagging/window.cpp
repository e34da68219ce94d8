// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/window.hpp"

#include <algorithm>
#include <stdexcept>

namespace gristmill::text_apps::tagging {

Window::Window(std::shared_ptr<const templates::Extractor> extractor, std::vector<std::int64_t> distances)
    : extractor_(std::move(extractor)), distances_(std::move(distances)) {
  const auto reach = static_cast<std::int64_t>(extractor_->templates().reach);
  const auto far = [&](std::int64_t distance) { return std::abs(distance) > reach; };
  if (distances_.size() != extractor_->templates().places || extractor_->templates().facts != 0 ||
      std::ranges::any_of(distances_, far)) {
    throw std::invalid_argument("distances do not fit the templates");
  }
}

void Window::positions_at(std::size_t token, std::vector<std::int64_t>& positions) const {
  positions.resize(distances_.size());
  const auto at = static_cast<std::int64_t>(token);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = at + distances_[i];
}

void check_columns(const Window& window, const text::Columns& columns) {
  if (columns.tokens() > 0 && columns.columns() < window.extractor().columns()) {
    throw std::invalid_argument("there are too few columns");
  }
}

void WindowReading::read(const Window& window, const text::Cells& cells, templates::Memo& memo,
                         templates::FeatureDictionary& dictionary) {
  window.extractor().read(cells, memo, reading_);
  fixed_.clear();
  ends_.assign(1, 0);
  for (std::size_t token = 0; token < reading_.size(); ++token) {
    window.positions_at(token, positions_);
    window.extractor().add_fixed({reading_, positions_, {}}, memo, dictionary, fixed_);
    templates::make_set(fixed_, ends_.back());
    ends_.push_back(fixed_.size());
  }
}

void WindowReading::add_row(const Window& window, std::size_t token, std::span<const std::int32_t> labels,
                            templates::Memo& memo, templates::FeatureDictionary& dictionary,
                            std::vector<FeatureId>& row) {
  const std::size_t begin = row.size();
  const auto at = [&](std::size_t end) { return fixed_.begin() + static_cast<std::ptrdiff_t>(end); };
  row.insert(row.end(), at(ends_[token]), at(ends_[token + 1]));
  if (!window.extractor().uses_labels()) return;
  const std::size_t middle = row.size();
  window.positions_at(token, positions_);
  window.extractor().add_labelled({reading_, positions_, labels}, memo, dictionary, row);
  if (row.size() == middle) return;
  templates::make_set(row, middle);
  const auto first = row.begin() + static_cast<std::ptrdiff_t>(begin);
  std::inplace_merge(first, row.begin() + static_cast<std::ptrdiff_t>(middle), row.end());
  row.erase(std::unique(first, row.end()), row.end());
}

}  // namespace gristmill::text_apps::tagging
