// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/vector.h>

#include <cmath>
#include <stdexcept>

#include "arrays.hpp"
#include "call.hpp"
#include "code_arrays.hpp"
#include "module.hpp"
#include "solve/tables/table_scores.hpp"
#include "solve/tables/table_solver.hpp"

namespace gristmill::bindings::bind_tables {

using namespace nb::literals;
using namespace solve::tables;

namespace {

using Columns = std::vector<std::vector<std::uint32_t>>;

std::vector<Term> terms_of(const Columns& columns, const Columns& factors, const Array<double>& scales) {
  if (factors.size() != columns.size() || scales.size() != columns.size()) {
    throw std::invalid_argument("terms have columns, factors and a scale each");
  }
  std::vector<Term> terms;
  for (std::size_t at = 0; at < columns.size(); ++at) terms.push_back({columns[at], factors[at], scales.data()[at]});
  return terms;
}

// Everything but the codes, which come in two types.
template <class Code>
void make_solver(TableSolver* self, const CodeArray<Code>& codes, const Array<std::uint32_t>& bins,
                 const std::vector<Similarity>& factors, const Columns& columns, const Columns& used,
                 const Array<double>& scales, Loss loss, std::size_t outputs, const Array<double>& targets,
                 const Array<double>& weights, std::size_t threads) {
  Codes table = codes_of(codes, span_of(bins));
  std::vector<Term> terms = terms_of(columns, used, scales);
  Targets wanted{loss, outputs, copy_of(targets), copy_of(weights)};
  without_gil([&] {
    std::vector<Factor> made;
    for (const Similarity& similarity : factors) made.emplace_back(similarity);
    Terms placed(std::move(terms), std::move(made), table.bins, outputs);
    new (self) TableSolver(std::move(table), std::move(placed), std::move(wanted), threads);
  });
}

template <class Code>
void define_init(nb::class_<TableSolver>& solver) {
  solver.def("__init__", &make_solver<Code>, "codes"_a.noconvert(), "bins"_a.noconvert(), "factors"_a, "columns"_a,
             "column_factors"_a, "scales"_a.noconvert(), "loss"_a, "outputs"_a, "targets"_a.noconvert(),
             "weights"_a.noconvert(), "n_jobs"_a, nb::keep_alive<1, 2>());
}

void solve(TableSolver& self, double C, double tol, std::size_t max_iter, nb::object progress) {
  if (!(C > 0) || !std::isfinite(C) || !(tol >= 0)) throw std::invalid_argument("C is above 0, tol from 0 on");
  watched(std::move(progress), [&](Observer& observer) { self.solve(C, tol, max_iter, observer); });
}

template <class Code>
void score(const TableScores& self, const CodeArray<Code>& codes, const OutMatrix& out, std::size_t threads,
           nb::object progress) {
  const Codes table = codes_of(codes, self.bins());
  watched(std::move(progress), [&](Observer& observer) { self.score(table, span_of(out), threads, observer); });
}

void register_factors(nb::module_& m) {
  nb::enum_<Loss>(m, "TableLoss")
      .value("LOGISTIC", Loss::logistic)
      .value("SOFTMAX", Loss::softmax)
      .value("SQUARED", Loss::squared);

  nb::class_<Similarity>(m, "BinSimilarity")
      .def(
          "__init__",
          [](Similarity* self, std::uint32_t bins, std::uint32_t ordered, double onehot, double thermometer,
             int monotone,
             bool nonnegative) { new (self) Similarity{bins, ordered, onehot, thermometer, monotone, nonnegative}; },
          "bins"_a, "ordered"_a, "onehot"_a, "thermometer"_a, "monotone"_a = 0, "nonnegative"_a = false);
}

void register_solver(nb::module_& m) {
  nb::class_<TableSolver> solver(m, "TableSolver");
  define_init<std::uint8_t>(solver);
  define_init<std::uint16_t>(solver);
  solver.def("solve", &solve, "C"_a, "tol"_a, "max_iter"_a, progress_arg())
      .def(
          "set_scales", [](TableSolver& self, const Array<double>& scales) { self.set_scales(span_of(scales)); },
          "scales"_a.noconvert())
      .def(
          "set_weights", [](TableSolver& self, const Array<double>& weights) { self.set_weights(span_of(weights)); },
          "weights"_a.noconvert())
      .def("tables", [](TableSolver& self) { return to_numpy(without_gil([&] { return self.tables(); })); })
      .def("norms", [](const TableSolver& self) { return to_numpy(self.norms()); })
      .def("gradient_norms", [](const TableSolver& self) { return to_numpy(self.gradient_norms()); })
      .def_prop_ro(
          "weights", [](const TableSolver& self) { return copied(self.weights()); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "intercepts", [](const TableSolver& self) { return to_numpy(self.intercepts()); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "cells", [](const TableSolver& self) { return copied<std::int64_t>(self.terms().cells()); },
          nb::rv_policy::automatic)
      .def_prop_ro("objective", &TableSolver::objective)
      .def_prop_ro("gap", &TableSolver::gap)
      .def_prop_ro("iterations", &TableSolver::iterations)
      .def_prop_ro("converged", &TableSolver::converged);
}

}  // namespace

void add_to(nb::module_& m) {
  register_factors(m);
  register_solver(m);
  nb::class_<TableScores>(m, "TableScores")
      .def(
          "__init__",
          [](TableScores* self, const Array<std::uint32_t>& bins, Columns columns, const Array<double>& tables,
             const Array<double>& intercepts) {
            new (self) TableScores(copy_of(bins), std::move(columns), copy_of(tables), copy_of(intercepts));
          },
          "bins"_a.noconvert(), "columns"_a, "tables"_a.noconvert(), "intercepts"_a.noconvert())
      .def_prop_ro("outputs", &TableScores::outputs)
      .def_prop_ro("nbytes", &TableScores::nbytes)
      .def("score", &score<std::uint8_t>, "codes"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a, progress_arg())
      .def("score", &score<std::uint16_t>, "codes"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_tables
