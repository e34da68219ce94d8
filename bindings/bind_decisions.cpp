// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>

#include "arrays.hpp"
#include "call.hpp"
#include "explain/decisions/decisions.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_decisions {

using namespace nb::literals;
using namespace explain::decisions;

namespace {

// Answers one after the other.
struct Found {
  std::vector<std::int64_t> starts{0};
  std::vector<std::uint32_t> variables;
  std::vector<std::uint32_t> values;
  std::vector<double> costs;
  bool complete = false;
  double searched = 0;
  std::size_t nodes = 0;
};

Found found_in(const Outcome& outcome) {
  Found found;
  for (const Answer& answer : outcome.answers) {
    for (const Change& change : answer.changes) {
      found.variables.push_back(change.variable);
      found.values.push_back(change.value);
    }
    found.starts.push_back(static_cast<std::int64_t>(found.variables.size()));
    found.costs.push_back(answer.cost);
  }
  found.complete = outcome.complete;
  found.searched = outcome.searched;
  found.nodes = outcome.nodes;
  return found;
}

void check(const Decisions& self, const Choices& choices, const Request& request) {
  const bool fits = !choices.starts.empty() && choices.starts.back() == choices.features.size() &&
                    choices.features.size() == choices.costs.size();
  if (!fits) throw std::invalid_argument("the values of variables do not fit their starts");
  const bool scores = request.kind == Request::Kind::reach;
  if (scores && static_cast<std::size_t>(request.number) >= self.outputs())
    throw std::invalid_argument("no such output");
}

Found search(const Decisions& self, const Array<std::uint32_t>& starts, const Array<FeatureId>& features,
             const Array<double>& costs, const Array<FeatureId>& fixed, const Request& request, std::size_t answers,
             std::size_t changes, std::size_t nodes, nb::object progress) {
  const Choices choices{span_of(starts), span_of(features), span_of(costs), span_of(fixed)};
  check(self, choices, request);
  return watched(std::move(progress), [&](Observer& observer) {
    return found_in(self.search(choices, request, {answers, changes, no_cost_limit, nodes}, observer));
  });
}

template <class Machine>
void make(Decisions* self, std::shared_ptr<Machine> machine, const Array<FeatureId>& features,
          const Array<std::int32_t>& groups, const score::DecisionPolicy& policy, nb::object progress) {
  if (features.size() != groups.size()) throw std::invalid_argument("a group for each feature");
  const FeatureGroups given{span_of(features), span_of(groups)};
  watched(std::move(progress), [&](Observer& observer) {
    new (self) Decisions(std::shared_ptr<const Machine>(std::move(machine)), given, policy, observer);
  });
}

template <class Machine>
void bind_making(nb::class_<Decisions>& decisions) {
  decisions.def("__init__", &make<Machine>, "machine"_a, "features"_a.noconvert(), "groups"_a.noconvert(), "policy"_a,
                progress_arg());
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<Request>(m, "Request")
      .def_static(
          "become", [](std::int32_t number) { return Request{Request::Kind::become, number}; }, "number"_a)
      .def_static(
          "leave", [](std::int32_t number) { return Request{Request::Kind::leave, number}; }, "number"_a)
      .def_static(
          "reach",
          [](std::int32_t output, bool above, double threshold, bool inclusive) {
            return Request{Request::Kind::reach, output, above ? 1.0 : -1.0, threshold, inclusive};
          },
          "output"_a, "above"_a, "threshold"_a, "inclusive"_a);
  nb::class_<Found>(m, "FoundDecisions")
      .def_prop_ro("starts", array_in(&Found::starts))
      .def_prop_ro("variables", array_in(&Found::variables))
      .def_prop_ro("values", array_in(&Found::values))
      .def_prop_ro("costs", array_in(&Found::costs))
      .def_ro("complete", &Found::complete)
      .def_ro("searched", &Found::searched)
      .def_ro("nodes", &Found::nodes);
  auto decisions = nb::class_<Decisions>(m, "Decisions");
  bind_making<machine::SetMachine>(decisions);
  bind_making<machine::ConjunctionMachine>(decisions);
  decisions.def_prop_ro("nbytes", &Decisions::nbytes)
      .def("search", &search, "starts"_a.noconvert(), "features"_a.noconvert(), "costs"_a.noconvert(),
           "fixed"_a.noconvert(), "request"_a, "answers"_a, "changes"_a, "nodes"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_decisions
