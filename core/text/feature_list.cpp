// SPDX-License-Identifier: BSD-3-Clause
#include "text/feature_list.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gristmill::text {
namespace {

// Counted from 0 an id must leave room for the number of columns; counted from 1 it may be one more.
constexpr FeatureId largest_id = std::numeric_limits<FeatureId>::max();

[[noreturn]] void fail_at_second(Cursor row, std::int64_t twice) {
  for (bool seen = false;; row.skip_spaces()) {
    const char* start = row.mark();
    const bool same = row.integer("a feature id") == twice;
    if (same && seen) row.fail_at(start, "feature id " + std::to_string(twice) + " occurs twice in this line");
    seen |= same;
    row.take(':');
    row.number("a feature value");
  }
}

}  // namespace

void FeatureLists::read_row(Cursor& cursor) {
  const auto begin = static_cast<std::size_t>(offsets.back());
  bool ascending = true;
  cursor.skip_spaces();
  const Cursor row_start = cursor;
  while (!cursor.at_line_end() && cursor.peek() != '#') {
    read_pair(cursor);
    ascending &= ids.size() < begin + 2 || ids[ids.size() - 2] < ids.back();
    cursor.skip_spaces();
  }
  if (!ascending) sort_row(row_start);
  offsets.push_back(static_cast<Offset>(ids.size()));
}

void FeatureLists::read_pair(Cursor& cursor) {
  const char* start = cursor.mark();
  std::int64_t id = 0;
  if (!cursor.take_digits(id, ':')) id = cursor.integer("a feature id", 0, largest_id);
  if (id == 0 && base_ == IdBase::one) {
    cursor.fail_at(start, "feature id 0 in data read as one-based; read it with zero_based=True");
  }
  if (!cursor.take(':'))
    cursor.fail("expected ':' and a value after feature id " + std::to_string(id) + ", got " + cursor.here());
  const double value = cursor.take_word('1') ? 1.0 : cursor.number("a feature value");
  if (!cursor.at_line_end() && !cursor.at_space() && cursor.peek() != '#') {
    cursor.fail("expected a space after a feature value, got " + cursor.here());
  }
  if (id == 0 && base_ == IdBase::one_lenient) return;
  saw_zero_ |= id == 0;
  if (id == largest_id && !too_large_) {
    too_large_ = cursor.error_at(start, "feature id " + std::to_string(id) + " is too large in data that count from 0");
  }
  ids.push_back(static_cast<FeatureId>(id));
  add_value(value);
}

void FeatureLists::add_value(double value) {
  if (values.empty() && value != 1.0) values.assign(ids.size() - 1, 1.0);
  if (value != 1.0 || !values.empty()) values.push_back(value);
}

void FeatureLists::sort_row(const Cursor& row_start) {
  const auto begin = static_cast<std::size_t>(offsets.back());
  std::vector<std::pair<FeatureId, double>> pairs;
  for (std::size_t at = begin; at < ids.size(); ++at) pairs.emplace_back(ids[at], values.empty() ? 1.0 : values[at]);
  std::ranges::sort(pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i > 0 && pairs[i].first == pairs[i - 1].first) fail_at_second(row_start, pairs[i].first);
    ids[begin + i] = pairs[i].first;
    if (!values.empty()) values[begin + i] = pairs[i].second;
  }
}

void FeatureLists::finish() {
  if (zero_based() && too_large_) throw *too_large_;
  if (zero_based()) return;
  for (FeatureId& id : ids) --id;
}

}  // namespace gristmill::text
