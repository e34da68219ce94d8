// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "call.hpp"
#include "machine/machine.hpp"
#include "mine/given_conjunctions.hpp"
#include "mine/heaviest_conjunctions.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_rules {

using namespace nb::literals;
using namespace mine;

namespace {

// Offsets and ids of the conjunctions as rows, then for each its output, what raises and lowers it, and its support.
using Table = std::tuple<NumpyArray<Offset>, NumpyArray<FeatureId>, NumpyArray<std::int32_t>, NumpyArray<double>,
                         NumpyArray<double>, NumpyArray<std::int64_t>>;

Table table_of(const std::vector<Conjunction>& conjunctions) {
  std::vector<Offset> offsets{0};
  std::vector<FeatureId> ids;
  std::vector<std::int32_t> outputs;
  std::vector<double> raises;
  std::vector<double> lowers;
  std::vector<std::int64_t> support;
  for (const Conjunction& one : conjunctions) {
    ids.insert(ids.end(), one.ids.begin(), one.ids.end());
    offsets.push_back(static_cast<Offset>(ids.size()));
    outputs.push_back(static_cast<std::int32_t>(one.output));
    raises.push_back(one.raises);
    lowers.push_back(one.lowers);
    support.push_back(static_cast<std::int64_t>(one.support));
  }
  return {to_numpy(std::move(offsets)), to_numpy(std::move(ids)),    to_numpy(std::move(outputs)),
          to_numpy(std::move(raises)),  to_numpy(std::move(lowers)), to_numpy(std::move(support))};
}

Table find_heaviest(const machine::SetMachine& machine, const Array<double>& weights, std::optional<std::size_t> top,
                    double sigma, std::size_t min_support, std::optional<std::size_t> output, std::size_t max_found,
                    std::size_t threads, nb::object progress) {
  const HeaviestOptions options{top, sigma, min_support, output, max_found};
  return table_of(watched(std::move(progress), [&](Observer& observer) {
    return heaviest_conjunctions(machine.support(), machine.coef, span_of(weights), options, threads, observer);
  }));
}

Table find_given(const machine::ConjunctionMachine& machine, std::size_t max_size, std::optional<std::size_t> top,
                 double sigma, std::size_t min_support, std::optional<std::size_t> output, std::size_t max_found) {
  const HeaviestOptions options{top, sigma, min_support, output, max_found};
  return table_of(without_gil([&] { return given_conjunctions(machine, max_size, options); }));
}

}  // namespace

void add_to(nb::module_& m) {
  m.def("heaviest_conjunctions", &find_heaviest, "machine"_a, "weights"_a.noconvert(), "top"_a.none(), "sigma"_a,
        "min_support"_a, "output"_a.none(), "max_found"_a, "threads"_a, progress_arg());
  m.def("given_conjunctions", &find_given, "machine"_a, "max_size"_a, "top"_a.none(), "sigma"_a, "min_support"_a,
        "output"_a.none(), "max_found"_a);
}

}  // namespace gristmill::bindings::bind_rules
