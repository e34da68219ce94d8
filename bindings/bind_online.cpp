// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "solve/online/trainer.hpp"

namespace gristmill::bindings::bind_online {

using namespace nb::literals;
using namespace solve::online;

namespace {

void learn(OnlineTrainer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
           const Array<std::int32_t>& labels, const Array<double>& weights, std::size_t passes,
           std::optional<std::uint64_t> seed, std::size_t visited, nb::object progress, std::size_t threads) {
  const OnlineCall call{rows_of(offsets, ids), span_of(labels), span_of(weights), passes, seed, visited, threads};
  watched(std::move(progress), [&](Observer& observer) { self.learn(call, observer); });
}

nb::typed<nb::dict, nb::str, double> stats(const OnlineTrainer& self) {
  const LearnerStats stats = self.stats();
  nb::typed<nb::dict, nb::str, double> made;
  made["examples"] = static_cast<double>(stats.examples);
  made["updates"] = static_cast<double>(stats.updates);
  made["mistakes"] = static_cast<double>(stats.mistakes);
  made["cut_short"] = static_cast<double>(stats.cut_short);
  made["loss"] = stats.loss;
  made["support"] = static_cast<double>(self.support_rows());
  return made;
}

std::tuple<NumpyArray<Offset>, NumpyArray<FeatureId>, NumpyArray<double>> support(const OnlineTrainer& self,
                                                                                  bool averaged) {
  OnlineTrainer::Support made = self.support(averaged);
  return {to_numpy(std::move(made.offsets)), to_numpy(std::move(made.ids)), to_numpy(std::move(made.coef))};
}

// A size of 128 bits is two numbers of 64, the lower half first.
std::vector<std::int64_t> halves_of(const std::vector<Wide>& units) {
  std::vector<std::int64_t> halves;
  halves.reserve(2 * units.size());
  for (const Wide size : units) {
    halves.push_back(static_cast<std::int64_t>(size));
    halves.push_back(static_cast<std::int64_t>(size >> 64));
  }
  return halves;
}

std::vector<Wide> joined(std::span<const std::int64_t> halves) {
  std::vector<Wide> units(halves.size() / 2);
  for (std::size_t step = 0; step < units.size(); ++step) {
    const auto lower = static_cast<std::uint64_t>(halves[2 * step]);
    units[step] = static_cast<Wide>(halves[2 * step + 1]) << 64 | static_cast<Wide>(lower);
  }
  return units;
}

// Everything that was learned, as arrays (see OnlineTrainer::State).
using StateArrays = std::tuple<NumpyArray<FeatureId>, NumpyArray<Offset>, NumpyArray<rows::Rank>, NumpyArray<RowId>,
                               NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<std::int64_t>,
                               NumpyArray<double>, NumpyArray<std::uint64_t>, NumpyArray<double>>;

StateArrays state(const OnlineTrainer& self) {
  OnlineTrainer::State state = self.state();
  const LearnerStats& stats = state.stats;
  std::vector<double> numbers{static_cast<double>(stats.examples), static_cast<double>(stats.updates),
                              static_cast<double>(stats.mistakes), static_cast<double>(stats.cut_short), stats.loss};
  return {to_numpy(std::move(state.features)), to_numpy(std::move(state.offsets)), to_numpy(std::move(state.ranks)),
          to_numpy(std::move(state.rows)),     to_numpy(std::move(state.up)),      to_numpy(std::move(state.down)),
          to_numpy(halves_of(state.units)),    to_numpy(std::move(state.sizes)),   to_numpy(std::move(state.times)),
          to_numpy(std::move(numbers))};
}

void check_size(std::size_t numbers) {
  if (numbers != 5) throw std::invalid_argument("the numbers of a learner are five");
}

void restore(OnlineTrainer& self, const Array<FeatureId>& features, const Array<Offset>& offsets,
             const Array<rows::Rank>& ranks, const Array<RowId>& rows, const Array<std::int32_t>& up,
             const Array<std::int32_t>& down, const Array<std::int64_t>& units, const Array<double>& sizes,
             const Array<std::uint64_t>& times, const Array<double>& numbers) {
  const std::span<const double> stats = span_of(numbers);
  check_size(stats.size());
  const auto count = [&](std::size_t at) { return static_cast<std::uint64_t>(stats[at]); };
  self.restore({copy_of(features),
                copy_of(offsets),
                copy_of(ranks),
                copy_of(rows),
                copy_of(up),
                copy_of(down),
                joined(span_of(units)),
                copy_of(sizes),
                copy_of(times),
                {count(0), count(1), count(2), count(3), stats[4]}});
}

// See OnlineTrainer::Kept: the examples, the first of them, the line, the steps and whether a score takes two numbers
// of 64 bits; then the scores.
using KeptArrays = std::tuple<NumpyArray<std::uint64_t>, NumpyArray<std::int64_t>, NumpyArray<double>>;

KeptArrays kept(const OnlineTrainer& self) {
  OnlineTrainer::Kept kept = self.kept();
  const bool narrow =
      std::ranges::all_of(kept.units, [](Wide number) { return static_cast<std::int64_t>(number) == number; });
  std::vector<std::int64_t> units;
  if (narrow) {
    units.assign(kept.units.begin(), kept.units.end());
  } else {
    units = halves_of(kept.units);
  }
  return {to_numpy(std::vector<std::uint64_t>{kept.examples, kept.first, kept.line, kept.steps, narrow ? 0U : 1U}),
          to_numpy(std::move(units)), to_numpy(std::move(kept.sizes))};
}

void offer(OnlineTrainer& self, const Array<std::uint64_t>& numbers, const Array<std::int64_t>& units,
           const Array<double>& sizes) {
  const std::span<const std::uint64_t> how = span_of(numbers);
  check_size(how.size());
  const std::span<const std::int64_t> narrow = span_of(units);
  const bool wide = how[4] != 0;
  self.offer({how[0], how[1], how[2], how[3], wide ? joined(narrow) : std::vector<Wide>(narrow.begin(), narrow.end()),
              copy_of(sizes)});
}

}  // namespace

void add_to(nb::module_& m) {
  nb::enum_<Update>(m, "Update")
      .value("perceptron", Update::perceptron)
      .value("pa", Update::pa)
      .value("pa1", Update::pa1)
      .value("pa2", Update::pa2);
  nb::enum_<StepNorm>(m, "StepNorm").value("input", StepNorm::input).value("kernel", StepNorm::kernel);
  nb::enum_<OnlineEngine>(m, "OnlineEngine")
      .value("kernel", OnlineEngine::kernel)
      .value("sliced", OnlineEngine::sliced)
      .value("pushed", OnlineEngine::pushed);
  nb::class_<OnlineTrainer>(m, "OnlineTrainer")
      .def(
          "__init__",
          [](OnlineTrainer* self, unsigned degree, double gamma, double coef0, Update update, StepNorm norm,
             double cost, std::size_t outputs, std::optional<int> exponent, OnlineEngine engine, std::size_t expanded,
             bool choose, bool reuse, bool terminate, std::optional<std::size_t> max_bytes, bool by_frequency,
             std::size_t budget, std::optional<std::size_t> block, std::vector<int> exponents) {
            new (self) OnlineTrainer({.kernel = {degree, gamma, coef0},
                                      .rule = {update, norm, cost, budget, std::move(exponents)},
                                      .outputs = outputs,
                                      .exponent = exponent,
                                      .engine = engine,
                                      .slices = {expanded, choose, reuse, terminate, max_bytes},
                                      .block = block,
                                      .by_frequency = by_frequency});
          },
          "degree"_a, "gamma"_a, "coef0"_a, "update"_a, "norm"_a, "cost"_a, "outputs"_a, "exponent"_a.none(),
          "engine"_a, "expanded"_a, "choose"_a, "reuse"_a, "terminate"_a, "max_bytes"_a.none(), "by_frequency"_a,
          "budget"_a = 0, "block"_a.none() = nb::none(), "exponents"_a = std::vector<int>())
      .def("learn", &learn, "offsets"_a.noconvert(), "ids"_a.noconvert(), "labels"_a.noconvert(),
           "weights"_a.noconvert(), "passes"_a, "seed"_a.none(), "visited"_a, progress_arg(), "threads"_a = 1)
      .def_prop_ro("visited", &OnlineTrainer::visited)
      .def("stats", &stats)
      .def("state", &state)
      .def("restore", &restore, "features"_a.noconvert(), "offsets"_a.noconvert(), "ranks"_a.noconvert(),
           "rows"_a.noconvert(), "up"_a.noconvert(), "down"_a.noconvert(), "units"_a.noconvert(), "sizes"_a.noconvert(),
           "times"_a.noconvert(), "numbers"_a.noconvert())
      .def("kept", &kept)
      .def("offer", &offer, "numbers"_a.noconvert(), "units"_a.noconvert(), "sizes"_a.noconvert())
      .def_prop_ro("exponent", &OnlineTrainer::exponent)
      .def(
          "start_from",
          [](OnlineTrainer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
             const Array<double>& coef) { self.start_from(rows_of(offsets, ids), span_of(coef)); },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "coef"_a.noconvert())
      .def_prop_ro("nbytes", &OnlineTrainer::nbytes)
      .def_prop_ro("postings_read", &OnlineTrainer::postings_read)
      .def("support", &support, "averaged"_a);
}

}  // namespace gristmill::bindings::bind_online
