// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"
#include "module.hpp"
#include "python_observer.hpp"
#include "solve/loglinear/loglinear.hpp"

namespace gristmill::bindings::bind_loglinear {

using namespace nb::literals;
using namespace solve::loglinear;

namespace {

void learn(LogLinearTrainer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
           const Array<std::int32_t>& labels, std::size_t passes, nb::object progress) {
  PythonObserver observer(std::move(progress));
  const nb::gil_scoped_release release;
  self.learn(rows_of(offsets, ids), span_of(labels), passes, observer);
}

NumpyArray<double> score(const LogLinearTrainer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids) {
  std::vector<double> out(offsets.size() - 1);
  self.score(rows_of(offsets, ids), out);
  return to_numpy(std::move(out));
}

double objective(const LogLinearTrainer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
                 const Array<std::int32_t>& labels) {
  return self.objective(rows_of(offsets, ids), span_of(labels));
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<LogLinearTrainer>(m, "LogLinearTrainer")
      .def(
          "__init__",
          [](LogLinearTrainer* self, unsigned degree, double penalty, double rate, double decay, bool keep_expanded) {
            new (self) LogLinearTrainer({degree, penalty, rate, decay, keep_expanded});
          },
          "degree"_a, "penalty"_a, "rate"_a, "decay"_a, "keep_expanded"_a)
      .def("learn", &learn, "offsets"_a.noconvert(), "ids"_a.noconvert(), "labels"_a.noconvert(), "passes"_a,
           "progress"_a.none())
      .def("score", &score, "offsets"_a.noconvert(), "ids"_a.noconvert())
      .def("objective", &objective, "offsets"_a.noconvert(), "ids"_a.noconvert(), "labels"_a.noconvert())
      .def_prop_ro("conjunctions", &LogLinearTrainer::conjunctions)
      .def_prop_ro("used", &LogLinearTrainer::used)
      .def_prop_ro("nbytes", &LogLinearTrainer::nbytes);
}

}  // namespace gristmill::bindings::bind_loglinear
