// SPDX-License-Identifier: BSD-3-Clause
// Text out: numbers in the shortest form that reads back to the same double.
#pragma once
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "rows/rows.hpp"

namespace gristmill::text {

class TextWriter {
 public:
  TextWriter& add(std::string_view text) {
    text_ += text;
    return *this;
  }

  template <class Number>
    requires(std::is_arithmetic_v<Number>)
  TextWriter& add(Number number) {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    return add(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }

  // " id:value id:value ..."; no values means ones.
  TextWriter& add_features(rows::RealRows rows, std::size_t row, bool one_based) {
    const rows::Row ids = rows.rows[row];
    for (std::size_t at = 0; at < ids.size(); ++at) {
      add(" ").add(std::int64_t{ids[at]} + (one_based ? 1 : 0)).add(":");
      if (rows.values.empty()) {
        add("1");
      } else {
        add(rows.values_of(row)[at]);
      }
    }
    return *this;
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace gristmill::text
