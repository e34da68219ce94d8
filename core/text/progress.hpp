// SPDX-License-Identifier: BSD-3-Clause
// Parsers of long texts report every few thousand lines, so that they can be watched and stopped.
#pragma once
#include "base/observer.hpp"
#include "text/cursor.hpp"

namespace gristmill::text {

inline void report_line(const Cursor& cursor, std::size_t total, Observer& observer) {
  constexpr std::size_t lines = 4096;
  if (cursor.line() % lines == 0) require(observer, total - cursor.left(), total);
}

}  // namespace gristmill::text
