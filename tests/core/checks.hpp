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

struct StopAfter final : Observer {
  std::size_t calls_left;
  explicit StopAfter(std::size_t calls) : calls_left(calls) {}
  bool advance(std::size_t, std::size_t) override { return calls_left-- > 0; }
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

// The tests of a file, run by main.cpp.
class TestFile {
 public:
  using Run = void (*)();
  explicit TestFile(Run run) { all().push_back(run); }
  static std::vector<Run>& all() {
    static std::vector<Run> files;
    return files;
  }
};

}  // namespace gristmill
