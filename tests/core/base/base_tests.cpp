// SPDX-License-Identifier: BSD-3-Clause
// Lists of lists, the ways to stop long work, elementary functions.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/exponential.hpp"
#include "base/lists.hpp"
#include "base/stop.hpp"
#include "checks.hpp"

namespace gristmill {
namespace {

using Numbers = Lists<int>;

bool holds(std::span<const int> list, const std::vector<int>& expected) { return std::ranges::equal(list, expected); }

// --- lists -----------------------------------------------------------------------------------------------------------

void lists_are_added_one_after_the_other() {
  Numbers lists;
  CHECK(lists.empty());
  lists.add(std::vector{3, 1});
  lists.close();
  lists.push(7);
  lists.close();
  CHECK(lists.size() == 3);
  CHECK(holds(lists[0], {3, 1}) && lists[1].empty() && holds(lists[2], {7}));
  CHECK(lists.nbytes() == 4 * sizeof(std::size_t) + 3 * sizeof(int));
  Numbers twice = lists;
  twice.append(lists);
  CHECK(twice.size() == 6 && holds(twice[3], {3, 1}) && twice[4].empty() && holds(twice[5], {7}));
  twice.clear();
  CHECK(twice.empty() && twice.items().empty());
}

void groups_keep_the_order_of_their_values() {
  const std::vector<std::size_t> keys{2, 0, 9, 2, 0, 2};  // 9 is no group
  const auto lists = Numbers::grouped(
      4, keys.size(), [&](std::size_t at) { return keys[at]; }, [](std::size_t at) { return static_cast<int>(at); });
  CHECK(lists.size() == 4);
  CHECK(holds(lists[0], {1, 4}) && lists[1].empty() && holds(lists[2], {0, 3, 5}) && lists[3].empty());
  CHECK(Numbers::grouped(0, 0, [](std::size_t) { return 0U; }, [](std::size_t) { return 0; }).empty());
}

void starts_may_be_narrow() {
  auto lists = Lists<int, std::uint32_t>::of_lengths(3, [](std::size_t list) { return list; });
  lists[2][1] = 5;
  CHECK(holds(lists[1], {0}) && holds(lists[2], {0, 5}));
  CHECK(lists.nbytes() == 4 * sizeof(std::uint32_t) + 3 * sizeof(int));
}

// --- stopping --------------------------------------------------------------------------------------------------------

struct Heard final : Observer {
  std::vector<std::pair<std::size_t, std::size_t>> reports;
  bool go_on = true;
  bool advance(std::size_t done, std::size_t total) override {
    reports.emplace_back(done, total);
    return go_on;
  }
};

void a_part_of_the_work_is_reported_as_one() {
  Heard heard;
  Scaled part(heard, 10, 20, 40);
  for (const std::size_t done : {0, 1, 3, 6}) CHECK(part.advance(done, 6));
  part.set_part(20, 20);
  CHECK(part.advance(1, 2));
  CHECK(part.advance(0, 0));
  const std::vector<std::pair<std::size_t, std::size_t>> expected{{10, 40}, {12, 40}, {15, 40},
                                                                  {20, 40}, {20, 40}, {20, 40}};
  CHECK(heard.reports == expected);
  heard.go_on = false;
  CHECK(throws<Interrupted>([&] { require(part, 0, 1); }));
}

void every_worker_hears_that_the_work_is_to_end() {
  Heard heard;
  Stop stop(heard);
  Pulse caller(stop, 0);
  Pulse other(stop, 1);
  Pulse nobody;
  heard.go_on = false;
  caller(Stop::patience - 1);
  CHECK(heard.reports.empty());
  CHECK(throws<Interrupted>([&] { caller(1); }));
  other(1);
  CHECK(throws<Interrupted>([&] { other(Stop::patience); }));
  nobody(2 * Stop::patience);
  CHECK(heard.reports.size() == 1);
}

// --- elementary functions
// ----------------------------------------------------------------------------------------------

void elementary_functions_are_near_those_of_the_library() {
  for (double x = 0; x < 700; x = x * 1.01 + 1e-9) {
    CHECK(std::abs(exp_of_minus(x) - std::exp(-x)) <= 4e-16 * std::exp(-x));
    CHECK(std::abs(log_of_1_plus_any(x) - std::log1p(x)) <= 6e-16 * std::log1p(x));
    if (x <= 1) CHECK(std::abs(log_of_1_plus(x) - std::log1p(x)) <= 4e-16 * std::log1p(x));
  }
  CHECK(exp_of_minus(0) == 1 && exp_of_minus(1e300) > 0 && log_of_1_plus(0) == 0);
}

}  // namespace

const TestFile base_tests([] {
  lists_are_added_one_after_the_other();
  groups_keep_the_order_of_their_values();
  starts_may_be_narrow();
  a_part_of_the_work_is_reported_as_one();
  every_worker_hears_that_the_work_is_to_end();
  elementary_functions_are_near_those_of_the_library();
});

}  // namespace gristmill
