// SPDX-License-Identifier: BSD-3-Clause
// Equal rows of a batch, found so that each is scored once. Tables of few columns and text in windows repeat
// themselves.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "rows/rows.hpp"

namespace gristmill::rows {

class Repeats {
 public:
  // Nothing when a sample of the rows shows fewer than `worth` repeats per row: looking for them costs a hash a row.
  [[nodiscard]] static std::optional<Repeats> find(Rows rows, double worth);

  [[nodiscard]] Rows distinct() const { return {offsets_, ids_}; }

  // out[row] = values[the distinct row it equals], `width` numbers each.
  template <class T>
  void spread(std::span<const T> values, std::size_t width, std::span<T> out) const {
    for (std::size_t row = 0; row < number_.size(); ++row) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(number_[row] * width), width,
                  out.begin() + static_cast<std::ptrdiff_t>(row * width));
    }
  }

 private:
  explicit Repeats(Rows rows);

  std::vector<std::size_t> number_;  // of the distinct row, by row
  std::vector<Offset> offsets_{0};
  std::vector<FeatureId> ids_;
};

}  // namespace gristmill::rows
