// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>

#include "arrays.hpp"
#include "base/checksum.hpp"
#include "bind_buffers.hpp"
#include "bind_scorer.hpp"
#include "call.hpp"
#include "module.hpp"
#include "score/expanded/given_costs.hpp"
#include "score/expanded/scorer.hpp"
#include "score/expanded/tables_io.hpp"

namespace gristmill::bindings::bind_expanded {

using namespace nb::literals;
using namespace score::expanded;

namespace {

using Numbers = nb::typed<nb::dict, nb::str, std::uint64_t>;
using OutClasses = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void make_scorer(ExpandedScorer* self, std::shared_ptr<machine::SetMachine> machine, double sigma, std::size_t xi,
                 std::optional<std::size_t> rare, std::optional<std::size_t> max_bytes,
                 const Array<Offset>& sample_offsets, const Array<FeatureId>& sample_ids, nb::object progress,
                 bool rare_may_grow) {
  const ExpandedOptions options{{sigma, xi}, rare, max_bytes, rows_of(sample_offsets, sample_ids), rare_may_grow};
  watched(std::move(progress),
          [&](Observer& observer) { new (self) ExpandedScorer(std::move(machine), options, observer); });
}

void make_given(ExpandedScorer* self, std::shared_ptr<machine::ConjunctionMachine> machine,
                std::optional<std::size_t> max_bytes, std::size_t reach_length, std::size_t common_limit,
                nb::object progress) {
  const auto limit = static_cast<rows::Rank>(std::min<std::size_t>(common_limit, most_common));
  watched(std::move(progress), [&](Observer& observer) {
    new (self) ExpandedScorer(std::move(machine), GivenOptions{max_bytes, reach_length, limit}, observer);
  });
}

score::EarlyStopStats decide_batch(const ExpandedScorer& self, const Array<Offset>& offsets,
                                   const Array<FeatureId>& ids, const score::DecisionPolicy& policy,
                                   const Array<double>& doubt, const OutClasses& out, std::size_t threads,
                                   nb::object progress) {
  if (!policy.fits(self.outputs())) throw std::invalid_argument("the outputs do not fit the decision policy");
  return watched(std::move(progress), [&](Observer& observer) {
    return score::decide_rows(self, rows_of(offsets, ids), policy, span_of(doubt),
                              std::span<std::int32_t>(out.data(), out.size()), threads, observer);
  });
}

// What a row is expected to cost with each engine.
Costs expected_costs(const machine::SetMachine& machine, std::optional<std::size_t> rare,
                     std::optional<std::size_t> max_bytes, const Array<Offset>& sample_offsets,
                     const Array<FeatureId>& sample_ids) {
  return without_gil([&] {
    const rows::RankedRows rows(machine.support());
    const ExpectedWork work(machine, rows, rows_of(sample_offsets, sample_ids));
    const std::size_t room = ExpandedScorer::room_beside(machine.nbytes(), max_bytes);
    return costs_of(work.at(choose_tiers(machine, rows, work, rare, room)), machine);
  });
}

// The same where conjunctions are given.
Costs expected_costs_of_given(const machine::ConjunctionMachine& machine, const Array<Offset>& sample_offsets,
                              const Array<FeatureId>& sample_ids) {
  return without_gil([&] {
    const rows::ConjunctionIndex index(machine.support());
    return costs_of_given(machine, index, rows_of(sample_offsets, sample_ids));
  });
}

NumpyArray<double> error_bounds(const ExpandedScorer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids) {
  std::vector<double> out(offsets.size() - 1);
  without_gil([&] { self.error_bounds(rows_of(offsets, ids), out); });
  return to_numpy(std::move(out));
}

Visits visits(const ExpandedScorer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids) {
  return without_gil([&] { return self.visits(rows_of(offsets, ids)); });
}

// What files call the tables for one output and for several. 1 and 3 had columns of 32 bits: whoever meets them builds
// the tables anew.
constexpr std::array<std::uint64_t, 2> kinds{0, 2};

Numbers numbers_of(const ExpandedScorer& self) {
  Numbers numbers;
  std::visit(
      [&](const auto& tables) {
        for_each_number(tables, [&](const char* name, std::uint64_t value) { numbers[name] = value; });
      },
      self.tables());
  numbers["kind"] = kinds[self.tables().index()];
  return numbers;
}

// The arrays as bytes, borrowed from the scorer.
Arrays arrays_of(nb::handle self) {
  Arrays arrays;
  std::visit(
      [&](const auto& tables) {
        for_each_array(tables, [&](const char* name, const auto& buffer) { arrays[name] = bytes_of(buffer, self); });
      },
      nb::cast<const ExpandedScorer&>(self).tables());
  return arrays;
}

std::size_t degree_of(const machine::SetMachine& machine) { return machine.kernel.polynomial().degree; }
std::size_t degree_of(const machine::ConjunctionMachine& machine) {
  return std::max<std::size_t>(machine.support().longest(), 1);
}

template <class Tables, class Machine>
ExpandedScorer restore(std::shared_ptr<const Machine> machine, const Numbers& numbers, const Arrays& arrays) {
  Tables tables;
  for_each_number(tables,
                  [&](const char* name, std::uint64_t& value) { value = nb::cast<std::uint64_t>(numbers[name]); });
  for_each_array(tables, [&](const char* name, auto& buffer) {
    buffer = borrow<std::remove_cvref_t<decltype(buffer[0])>>(arrays, name);
  });
  tables.rare.set_bits_for(tables.features);
  tables.rows.stride = is_single<Tables> ? 0 : padded_outputs(tables.outputs);
  tables.rows.coarse_stride = is_single<Tables> ? 0 : coarse_outputs(tables.outputs);
  const bool fits = tables.outputs == machine->outputs() && tables.degree == degree_of(*machine);
  if (!fits || !is_sound(tables, machine->support().size())) {
    throw std::invalid_argument("the arrays do not fit together");
  }
  return ExpandedScorer(machine, ExpandedScorer::AnyTables(std::move(tables)));
}

template <class Machine>
ExpandedScorer restore_any(std::shared_ptr<Machine> machine, const Numbers& numbers, const Arrays& arrays) {
  switch (nb::cast<std::uint64_t>(numbers["kind"])) {
    case kinds[0]:
      return restore<Tables<double>, Machine>(std::move(machine), numbers, arrays);
    case kinds[1]:
      return restore<Tables<RowRef>, Machine>(std::move(machine), numbers, arrays);
    default:
      throw std::invalid_argument("no such kind of tables");
  }
}

void register_results(nb::module_& m) {
  nb::class_<score::EarlyStopStats>(m, "EarlyStopStats")
      .def_ro("rows", &score::EarlyStopStats::rows)
      .def_ro("stopped", &score::EarlyStopStats::stopped)
      .def_ro("features", &score::EarlyStopStats::features)
      .def_ro("skipped", &score::EarlyStopStats::skipped);
  nb::class_<Visits>(m, "Visits")
      .def_ro("features", &Visits::features)
      .def_ro("entries", &Visits::entries)
      .def_ro("probes", &Visits::probes)
      .def_ro("lines", &Visits::lines);
  nb::class_<CostTerm>(m, "CostTerm")
      .def_prop_ro("name", [](const CostTerm& term) { return std::string(term.name); })
      .def_ro("each", &CostTerm::each)
      .def_ro("count", &CostTerm::count);
  nb::class_<Costs>(m, "Costs")
      .def_ro("direct", &Costs::direct)
      .def_ro("inverted", &Costs::inverted)
      .def_ro("bits", &Costs::bits)
      .def_ro("expanded", &Costs::expanded);
}

}  // namespace

void add_to(nb::module_& m) {
  register_results(m);
  auto scorer =
      nb::class_<ExpandedScorer>(m, "ExpandedScorer")
          .def("__init__", &make_scorer, "machine"_a, "sigma"_a, "xi"_a, "rare"_a.none(), "max_bytes"_a.none(),
               "sample_offsets"_a.noconvert(), "sample_ids"_a.noconvert(), progress_arg(), "rare_may_grow"_a = false)
          .def("__init__", &make_given, "machine"_a, "max_bytes"_a.none(), "reach_length"_a, "common_limit"_a,
               progress_arg())
          .def_prop_ro("conjunctions", &ExpandedScorer::conjunctions)
          .def("numbers", &numbers_of)
          .def("arrays", &arrays_of)
          .def_static("restore", &restore_any<machine::SetMachine>, "machine"_a, "numbers"_a, "arrays"_a)
          .def_static("restore", &restore_any<machine::ConjunctionMachine>, "machine"_a, "numbers"_a, "arrays"_a)
          .def("decide", &decide_batch, "offsets"_a.noconvert(), "ids"_a.noconvert(), "policy"_a, "doubt"_a.noconvert(),
               "out"_a.noconvert(), "threads"_a, progress_arg())
          .def("visits", &visits, "offsets"_a.noconvert(), "ids"_a.noconvert())
          .def("error_bounds", &error_bounds, "offsets"_a.noconvert(), "ids"_a.noconvert());
  bind_shape(scorer);
  bind_scoring(scorer);
  m.def(
      "checksum",
      [](const Array<std::uint8_t>& bytes) { return without_gil([&] { return checksum(span_of(bytes)); }); },
      "bytes"_a.noconvert());
  m.def("expected_costs", &expected_costs, "machine"_a, "rare"_a.none(), "max_bytes"_a.none(),
        "sample_offsets"_a.noconvert(), "sample_ids"_a.noconvert());
  m.def("expected_costs", &expected_costs_of_given, "machine"_a, "sample_offsets"_a.noconvert(),
        "sample_ids"_a.noconvert());
}

}  // namespace gristmill::bindings::bind_expanded
