// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "call.hpp"
#include "kernel/set_kernel.hpp"
#include "kernel/set_rows.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_kernel {

using namespace nb::literals;
using namespace kernel;

namespace {

// values(x, lengths) -> for each length l the values g(0, x, l), ..., g(l, x, l), asked from any thread.
GivenKernel given_kernel(const nb::object& values) {
  const std::shared_ptr<const nb::object> kept_values(new nb::object(values), [](const nb::object* one) {
    const nb::gil_scoped_acquire gil;
    delete one;
  });
  return {[kept_values](std::size_t x, std::span<const std::int32_t> lengths, std::span<double> out) {
    const nb::gil_scoped_acquire gil;
    const nb::object made = (*kept_values)(x, to_numpy(std::vector<std::int32_t>(lengths.begin(), lengths.end())));
    Array<double> found;
    if (!nb::try_cast(made, found, false) || found.size() != out.size()) {
      throw std::invalid_argument("the values of a kernel are a float64 array of " + std::to_string(out.size()));
    }
    std::copy_n(found.data(), out.size(), out.data());
  }};
}

void bind_set_kernel(nb::module_& m) {
  nb::class_<SetKernel>(m, "SetKernel")
      .def_static(
          "polynomial", [](const PolynomialKernel& kernel) { return SetKernel(kernel); }, "kernel"_a)
      .def_static(
          "rbf", [](double gamma) { return SetKernel(RbfKernel{gamma}); }, "gamma"_a)
      .def_static("tanimoto", [] { return SetKernel(TanimotoKernel{}); })
      .def_static(
          "sigmoid", [](double gamma, double coef0) { return SetKernel(SigmoidKernel{gamma, coef0}); }, "gamma"_a,
          "coef0"_a)
      .def_static("cosine", [] { return SetKernel(CosineKernel{}); })
      .def_static("dice", [] { return SetKernel(DiceKernel{}); })
      .def_static(
          "given", [](const nb::object& values) { return SetKernel(given_kernel(values)); }, "values"_a)
      .def("__call__", &SetKernel::operator(), "dot"_a, "x"_a, "s"_a);
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<PolynomialKernel>(m, "PolynomialKernel")
      .def(nb::init<unsigned, double, double>(), "degree"_a, "gamma"_a, "coef0"_a)
      .def("__call__", &PolynomialKernel::operator(), "dot"_a)
      .def(
          "values",
          [](const PolynomialKernel& kernel, std::size_t largest) { return to_numpy(kernel.values(largest)); },
          "largest"_a)
      .def("subset_weights", [](const PolynomialKernel& kernel) { return to_numpy(kernel.subset_weights()); });

  bind_set_kernel(m);
  nb::class_<SetRows>(m, "SetRows")
      .def(
          "__init__",
          [](SetRows* self, const SetKernel& kernel, const Array<Offset>& offsets, const Array<FeatureId>& ids) {
            new (self) SetRows(kernel, rows_of(offsets, ids));
          },
          "kernel"_a, "offsets"_a.noconvert(), "ids"_a.noconvert())
      .def("__len__", &SetRows::size)
      .def(
          "fill",
          [](const SetRows& self, const Array<Offset>& offsets, const Array<FeatureId>& ids, const OutMatrix& out,
             std::size_t threads, nb::object progress) {
            watched(std::move(progress),
                    [&](Observer& observer) { self.fill(rows_of(offsets, ids), span_of(out), threads, observer); });
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_kernel
