// SPDX-License-Identifier: BSD-3-Clause
// Buffers across the border: of arrays that live as long as they do, and as bytes with names, to be saved and mapped.
#pragma once
#include <string>

#include "arrays.hpp"
#include "base/buffer.hpp"

namespace gristmill::bindings {

using Arrays = nb::typed<nb::dict, nb::str, nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>>;

// Lives as long as any copy of the buffer.
template <class T, class... Shape>
[[nodiscard]] Buffer<T> borrowed(const nb::ndarray<const T, Shape...>& array) {
  return {std::span(array.data(), array.size()), kept(array)};
}

// Borrowed from an owner.
template <class T>
[[nodiscard]] auto bytes_of(const Buffer<T>& buffer, nb::handle owner) {
  return nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(reinterpret_cast<const std::uint8_t*>(buffer.data()),
                                                                 {buffer.nbytes()}, owner);
}

template <class T>
Buffer<T> borrow(const Arrays& arrays, const char* name) {
  const auto bytes = nb::cast<Array<std::uint8_t>>(arrays[name]);
  if (bytes.size() % sizeof(T) != 0 || reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T) != 0) {
    throw std::invalid_argument(std::string("array ") + name + " has an odd size or place");
  }
  return {std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)), kept(bytes)};
}

}  // namespace gristmill::bindings
