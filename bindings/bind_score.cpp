// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>

#include "arrays.hpp"
#include "bind_scorer.hpp"
#include "call.hpp"
#include "module.hpp"
#include "score/bits.hpp"
#include "score/decision_policy.hpp"
#include "score/direct.hpp"
#include "score/inverted.hpp"
#include "score/real.hpp"

namespace gristmill::bindings::bind_score {

using namespace nb::literals;
using namespace score;

namespace {

using MachinePtr = std::shared_ptr<const machine::SetMachine>;

std::shared_ptr<machine::SetMachine> make_machine(const kernel::SetKernel& kernel, const Array<Offset>& offsets,
                                                  const Array<FeatureId>& ids, const Array<double>& values,
                                                  const Array<double>& coef, const Array<Offset>& coef_offsets,
                                                  const Array<std::int32_t>& coef_columns,
                                                  const Array<double>& intercept) {
  machine::Coefficients coefficients =
      coefficients_of(offsets.size() - 1, intercept.size(), coef, coef_offsets, coef_columns);
  return std::make_shared<machine::SetMachine>(machine::SetMachine{
      kernel, copy_of(offsets), copy_of(ids), copy_of(values), std::move(coefficients), copy_of(intercept)});
}

DecisionPolicy make_policy(DecisionRule rule, std::int32_t classes, std::int32_t zero_class) {
  if (classes < 1) throw std::invalid_argument("there must be a class at least");
  if (zero_class != 0 && zero_class != 1) throw std::invalid_argument("zero_class must be 0 or 1");
  return {rule, classes, zero_class};
}

void check_scores(const DecisionPolicy& policy, const Matrix& scores) {
  if (!policy.fits(scores.shape(1))) throw std::invalid_argument("the outputs do not fit the decision policy");
}

// allowed: a mark for each class; empty: all.
NumpyArray<std::int32_t> classes_of(const DecisionPolicy& policy, const Matrix& scores,
                                    const Array<std::uint8_t>& allowed) {
  check_scores(policy, scores);
  const std::span<const std::uint8_t> marks = span_of(allowed);
  const bool fits = marks.empty() || marks.size() == static_cast<std::size_t>(policy.classes);
  if (!fits || std::ranges::all_of(marks, [](std::uint8_t mark) { return mark == 0; }) != marks.empty()) {
    throw std::invalid_argument("allowed needs a mark for each class, and one that is set");
  }
  std::vector<std::int32_t> classes(scores.shape(0));
  without_gil([&] { decide_all(policy, span_of(scores), marks, classes); });
  return to_numpy(std::move(classes));
}

NumpyArray<std::uint8_t> undecided_rows(const DecisionPolicy& policy, const Matrix& scores, const Matrix& bounds) {
  check_scores(policy, scores);
  if (bounds.shape(0) != scores.shape(0) || bounds.shape(1) != scores.shape(1)) {
    throw std::invalid_argument("each score needs a bound");
  }
  std::vector<std::uint8_t> found(scores.shape(0));
  without_gil([&] { find_undecided(policy, span_of(scores), span_of(bounds), found); });
  return to_numpy(std::move(found));
}

void bind_policy(nb::module_& m) {
  nb::enum_<DecisionRule>(m, "DecisionRule")
      .value("sign", DecisionRule::sign)
      .value("largest", DecisionRule::largest)
      .value("votes", DecisionRule::votes);
  nb::class_<DecisionPolicy>(m, "DecisionPolicy")
      .def(nb::new_(&make_policy), "rule"_a, "classes"_a, "zero_class"_a)
      .def("classes", &classes_of, "scores"_a.noconvert(), "allowed"_a.noconvert())
      .def("undecided", &undecided_rows, "scores"_a.noconvert(), "bounds"_a.noconvert());
}

template <class Scorer>
nb::class_<Scorer> bind_scorer(nb::module_& m, const char* name) {
  auto scorer = nb::class_<Scorer>(m, name).def(
      "__init__",
      [](Scorer* self, std::shared_ptr<machine::SetMachine> machine) {
        without_gil([&] { new (self) Scorer(MachinePtr(std::move(machine))); });
      },
      "machine"_a);
  bind_shape(scorer);
  return scorer;
}

template <class Scorer>
nb::class_<Scorer> bind_binary_scorer(nb::module_& m, const char* name) {
  auto scorer = bind_scorer<Scorer>(m, name);
  bind_scoring(scorer);
  return scorer;
}

}  // namespace

void add_to(nb::module_& m) {
  bind_policy(m);
  nb::class_<machine::SetMachine>(m, "SetMachine")
      .def(nb::new_(&make_machine), "kernel"_a, "offsets"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
           "coef"_a.noconvert(), "coef_offsets"_a.noconvert(), "coef_columns"_a.noconvert(), "intercept"_a.noconvert());
  bind_binary_scorer<DirectScorer>(m, "DirectScorer");
  bind_binary_scorer<InvertedScorer>(m, "InvertedScorer")
      .def(
          "occurrences",
          [](const InvertedScorer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids) {
            std::size_t total = 0;
            const rows::Rows rows = rows_of(offsets, ids);
            for (std::size_t row = 0; row < rows.size(); ++row) total += self.occurrences(rows[row]);
            return total;
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert());
  bind_binary_scorer<BitsScorer>(m, "BitsScorer");
  bind_scorer<RealScorer>(m, "RealScorer")
      .def(
          "score",
          [](const RealScorer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
             const Array<double>& values, const OutMatrix& out, std::size_t threads, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              score_real_rows(self, {rows_of(offsets, ids), span_of(values)}, span_of(out), threads, observer);
            });
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "out"_a.noconvert(), "threads"_a,
          progress_arg());
}

}  // namespace gristmill::bindings::bind_score
