// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "random_rows.hpp"
#include "search/nearest_sets.hpp"

namespace gristmill {
namespace {

using search::NearestSets;
using search::Neighbour;

std::vector<Neighbour> by_definition(const kernel::SetKernel& kernel, rows::Rows data, rows::Row x,
                                     const search::Request& request) {
  std::vector<Neighbour> all;
  for (std::size_t row = 0; row < data.size(); ++row) {
    std::vector<FeatureId> shared;
    std::ranges::set_intersection(x, data[row], std::back_inserter(shared));
    const double value = kernel(static_cast<double>(shared.size()), static_cast<double>(x.size()),
                                static_cast<double>(data[row].size()));
    if (value >= request.threshold) all.push_back({value, static_cast<RowId>(row)});
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), request.most));
  return all;
}

bool are_same(const std::vector<Neighbour>& a, const std::vector<Neighbour>& b) {
  return std::ranges::equal(a, b, [](const Neighbour& one, const Neighbour& other) {
    return one.number == other.number && one.similarity == other.similarity;
  });
}

void neighbours_are_those_of_the_definition() {
  const OwnedRows data = skewed_rows(3000, 60, 4);
  const OwnedRows queries = skewed_rows(12, 11, 5);
  Silent observer;
  for (const kernel::SetKernel& kernel :
       {kernel::SetKernel(kernel::TanimotoKernel{}), kernel::SetKernel(kernel::RbfKernel{0.1}),
        kernel::SetKernel(kernel::PolynomialKernel{2, 1.0, -3.0})}) {
    const NearestSets index(kernel, data.view());
    for (const search::Request& request : {search::Request{.most = 9}, search::Request{.threshold = 0.4}}) {
      const auto found = index.find(queries.view(), false, request, 1, observer);
      for (std::size_t x = 0; x < found.size(); ++x) {
        CHECK(are_same(found[x], by_definition(kernel, data.view(), queries.view()[x], request)));
      }
      const auto again = index.find(queries.view(), false, request, 3, observer);
      CHECK(std::ranges::equal(found, again, are_same));
    }
  }
}

}  // namespace

const TestFile nearest_sets_tests([] { neighbours_are_those_of_the_definition(); });

}  // namespace gristmill
