// SPDX-License-Identifier: BSD-3-Clause
// What the files of core tests share.
#pragma once
#include <cstdio>
#include <set>
#include <vector>

#include "base/observer.hpp"
#include "rows/rows.hpp"

namespace gristmill {

inline int failures = 0;

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                                 \
    }                                                                             \
  } while (false)

template <class Error, class Action>
bool throws(Action action) {
  try {
    action();
  } catch (const Error&) {
    return true;
  }
  return false;
}

struct Silent final : Observer {
  bool advance(std::size_t, std::size_t) override { return true; }
};

struct OwnedRows {
  std::vector<Offset> offsets{0};
  std::vector<FeatureId> ids;

  void append(const std::set<FeatureId>& row) {
    ids.insert(ids.end(), row.begin(), row.end());
    offsets.push_back(static_cast<Offset>(ids.size()));
  }
  [[nodiscard]] rows::Rows view() const { return {offsets, ids}; }
};

// The tests of the files of these names.
void base_tests();
void batch_tests();
void bundle_tests();
void expanded_parts_tests();
void expanded_tests();
void explain_tests();
void forest_tests();
void heaviest_tests();
void mining_tests();
void online_tests();
void operator_tests();
void parse_tests();
void plane_qp_tests();
void program_tests();
void rows_tests();
void segment_tests();
void smo_tests();
void subsequence_tests();
void tag_tests();

}  // namespace gristmill
