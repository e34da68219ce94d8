// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/codes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gristmill::solve::tables {
namespace {

void refuse(std::size_t column, std::size_t code, std::size_t bins) {
  throw std::invalid_argument("codes of column " + std::to_string(column) + " are below its " + std::to_string(bins) +
                              " bins, got " + std::to_string(code));
}

}  // namespace

void check_codes(const Codes& codes) {
  const std::size_t stored = codes.wide.empty() ? codes.narrow.size() : codes.wide.size();
  if (stored != codes.rows * codes.bins.size())
    throw std::invalid_argument("a table has a code for each row and column");
  if (codes.rows == 0) return;
  codes.visit([&](const auto* first) {
    for (std::size_t column = 0; column < codes.bins.size(); ++column) {
      const auto* begin = first + column * codes.rows;
      const std::size_t most = *std::max_element(begin, begin + codes.rows);
      if (most >= codes.bins[column]) refuse(column, most, codes.bins[column]);
    }
  });
}

}  // namespace gristmill::solve::tables
