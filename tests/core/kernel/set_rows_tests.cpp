// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "kernel/set_rows.hpp"
#include "random_rows.hpp"

namespace gristmill {
namespace {

void kernel_rows_are_shared_by_threads() {
  const OwnedRows data = skewed_rows(1500, 30, 4);
  const OwnedRows x = skewed_rows(50, 30, 5);
  const kernel::SetRows provider(kernel::PolynomialKernel{2, 1.0, 1.0}, data.view());
  std::vector<double> one(50 * 1500), many(50 * 1500);
  Silent observer;
  provider.fill(x.view(), one, 1, observer);
  provider.fill(x.view(), many, 4, observer);
  CHECK(one == many);
}

}  // namespace

const TestFile set_rows_tests([] { kernel_rows_are_shared_by_threads(); });

}  // namespace gristmill
