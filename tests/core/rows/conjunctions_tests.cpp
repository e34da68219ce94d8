// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "base/errors.hpp"
#include "random_rows.hpp"
#include "rows/conjunctions.hpp"

namespace gristmill {
namespace {

void counting_conjunctions_can_be_stopped() {
  const OwnedRows data = skewed_rows(100, 10, 6);
  StopAfter observer(2);
  CHECK(throws<Interrupted>([&] { (void)rows::count_conjunctions(data.view(), 2, observer); }));
  CHECK(throws<std::invalid_argument>([&] { (void)rows::count_conjunctions(data.view(), 4, observer); }));
}

}  // namespace

const TestFile conjunctions_tests([] { counting_conjunctions_can_be_stopped(); });

}  // namespace gristmill
