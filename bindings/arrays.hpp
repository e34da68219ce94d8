// SPDX-License-Identifier: BSD-3-Clause
// Arrays across the border: borrowed on the way in (never converted), owned by numpy on the way out.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "rows/rows.hpp"

namespace gristmill::bindings {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutVector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
[[nodiscard]] std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), array.size()};
}

[[nodiscard]] inline std::span<const double> span_of(const Matrix& matrix) { return {matrix.data(), matrix.size()}; }
[[nodiscard]] inline std::span<double> span_of(const OutVector& vector) { return {vector.data(), vector.size()}; }
[[nodiscard]] inline std::span<double> span_of(const OutMatrix& matrix) { return {matrix.data(), matrix.size()}; }

template <class T>
[[nodiscard]] std::vector<T> copy_of(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

[[nodiscard]] inline rows::Rows rows_of(const Array<Offset>& offsets, const Array<FeatureId>& ids) {
  return {span_of(offsets), span_of(ids)};
}

// A Python object that lives as long as its owners; it is let go with the GIL held.
template <class Held>
[[nodiscard]] std::shared_ptr<const void> kept(const Held& held) {
  return std::shared_ptr<const Held>(new Held(held), [](const Held* one) {
    const nb::gil_scoped_acquire gil;
    delete one;
  });
}

template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
[[nodiscard]] NumpyArray<T> to_numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumpyArray<T>(kept->data(), {kept->size()}, owner);
}

// The getter of a list of a bound object: an array that looks into the object and keeps it.
template <class Self, class T>
[[nodiscard]] auto array_in(std::vector<T> Self::* member) {
  return [member](nb::handle self) {
    std::vector<T>& values = nb::cast<Self&>(self).*member;
    return NumpyArray<T>(values.data(), {values.size()}, self);
  };
}

// A copy, of numbers of the same type or another.
template <class T = void, class Range>
[[nodiscard]] auto copied(const Range& values) {
  using Own = typename Range::value_type;
  using Value = std::conditional_t<std::is_void_v<T>, Own, T>;
  return to_numpy(std::vector<Value>(values.begin(), values.end()));
}

}  // namespace gristmill::bindings
