// SPDX-License-Identifier: BSD-3-Clause
// The heaviest conjunctions: shared by threads, stopped, and those of an enumeration.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/errors.hpp"
#include "mine/heaviest_conjunctions.hpp"
#include "random_rows.hpp"

namespace gristmill {
namespace {

const std::vector<double> c = {1, 7, -12, 6};

struct StopAtOnce final : Observer {
  bool advance(std::size_t, std::size_t) override { return false; }
};

struct Task {
  OwnedRows support;
  std::vector<double> values;
  std::size_t outputs;

  [[nodiscard]] machine::Coefficients coef() const {
    return machine::Coefficients::dense(support.view().size(), outputs, values);
  }
};

Task random_task(std::size_t outputs, int features) {
  Random random(5);
  Task task{random_rows(random, 150, 8, features), {}, outputs};
  task.values.resize(task.support.view().size() * outputs);
  for (double& a : task.values) a = below(random, 9) - 4;
  return task;
}

std::vector<mine::Conjunction> found_in(const Task& task, const mine::HeaviestOptions& options, std::size_t threads) {
  Silent observer;
  return mine::heaviest_conjunctions(task.support.view(), task.coef(), c, options, threads, observer);
}

bool same(const mine::Conjunction& one, const mine::Conjunction& other) {
  return one.ids == other.ids && one.output == other.output && one.raises == other.raises &&
         one.lowers == other.lowers && one.support == other.support;
}

// Every set of 1 to 3 features of every row.
std::vector<mine::Conjunction> enumerated(const Task& task) {
  std::map<std::pair<std::vector<FeatureId>, std::size_t>, mine::Conjunction> sums;
  const rows::Rows rows = task.support.view();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (unsigned set = 1; set < 1U << rows.length(row); ++set) {
      std::vector<FeatureId> ids;
      for (std::size_t at = 0; at < rows.length(row); ++at) {
        if ((set >> at & 1U) != 0) ids.push_back(rows[row][at]);
      }
      if (ids.size() >= c.size()) continue;
      for (std::size_t output = 0; output < task.outputs; ++output) {
        const double part = c[ids.size()] * task.values[row * task.outputs + output];
        mine::Conjunction& one = sums.try_emplace({ids, output}, mine::Conjunction{ids, output}).first->second;
        (part > 0 ? one.raises : one.lowers) += part;
        one.support += part != 0 ? 1 : 0;
      }
    }
  }
  std::vector<mine::Conjunction> all;
  for (const auto& [key, one] : sums) {
    if (one.weight() != 0) all.push_back(one);
  }
  std::ranges::sort(all, mine::heavier);
  return all;
}

void the_heaviest_are_those_of_an_enumeration() {
  for (const std::size_t outputs : {1, 4}) {
    const Task task = random_task(outputs, 30);
    const std::vector<mine::Conjunction> all = enumerated(task);
    CHECK(std::ranges::equal(found_in(task, {}, 1), all, same));
    for (const std::size_t top : {1, 10, 300}) {
      const std::span<const mine::Conjunction> wanted = std::span(all).first(top);
      for (const std::size_t threads : {1, 2, 5}) {
        CHECK(std::ranges::equal(found_in(task, {.top = top}, threads), wanted, same));
      }
    }
  }
}

void too_many_are_refused_by_any_thread() {
  const Task task = random_task(2, 30);
  for (const std::size_t threads : {1, 4}) {
    CHECK(throws<std::length_error>([&] { found_in(task, {.max_found = 100}, threads); }));
  }
}

void a_search_can_be_stopped() {
  const Task task = random_task(2, 30);
  StopAtOnce observer;
  CHECK(throws<Interrupted>(
      [&] { (void)mine::heaviest_conjunctions(task.support.view(), task.coef(), c, {.top = 5}, 2, observer); }));
}

}  // namespace

const TestFile heaviest_tests([] {
  the_heaviest_are_those_of_an_enumeration();
  too_many_are_refused_by_any_thread();
  a_search_can_be_stopped();
});

}  // namespace gristmill
