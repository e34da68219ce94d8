// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "search/nearest_sets.hpp"

namespace gristmill::bindings::bind_search {

using namespace nb::literals;
using namespace search;

namespace {

using Lists = std::vector<std::vector<Neighbour>>;
using Arrays = std::tuple<NumpyArray<Offset>, NumpyArray<std::int64_t>, NumpyArray<double>>;

// Where each list starts, and all numbers and similarities one after the other.
Arrays arrays_of(const Lists& lists) {
  std::vector<Offset> offsets{0};
  for (const auto& list : lists) offsets.push_back(offsets.back() + static_cast<Offset>(list.size()));
  std::vector<std::int64_t> numbers;
  std::vector<double> similarities;
  numbers.reserve(static_cast<std::size_t>(offsets.back()));
  similarities.reserve(static_cast<std::size_t>(offsets.back()));
  for (const auto& list : lists) {
    for (const Neighbour& one : list) {
      numbers.push_back(one.number);
      similarities.push_back(one.similarity);
    }
  }
  return {to_numpy(std::move(offsets)), to_numpy(std::move(numbers)), to_numpy(std::move(similarities))};
}

Request request_of(std::optional<std::size_t> most, std::optional<double> threshold) {
  Request request;
  request.most = most.value_or(request.most);
  request.threshold = threshold.value_or(request.threshold);
  if (request.most == 0) throw std::invalid_argument("at least one neighbour must be asked for");
  return request;
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<NearestSets>(m, "NearestSets")
      .def(
          "__init__",
          [](NearestSets* self, const kernel::SetKernel& kernel, const Array<Offset>& offsets,
             const Array<FeatureId>& ids) {
            without_gil([&] { new (self) NearestSets(kernel, rows_of(offsets, ids)); });
          },
          "kernel"_a, "offsets"_a.noconvert(), "ids"_a.noconvert())
      .def("__len__", &NearestSets::size)
      .def_prop_ro("nbytes", &NearestSets::nbytes)
      .def(
          "find",
          [](const NearestSets& self, const Array<Offset>& offsets, const Array<FeatureId>& ids, bool are_the_rows,
             std::optional<std::size_t> most, std::optional<double> threshold, std::size_t threads,
             nb::object progress) {
            const Request request = request_of(most, threshold);
            return arrays_of(watched(std::move(progress), [&](Observer& observer) {
              return self.find(rows_of(offsets, ids), are_the_rows, request, threads, observer);
            }));
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "are_the_rows"_a, "most"_a.none(), "threshold"_a.none(),
          "threads"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_search
