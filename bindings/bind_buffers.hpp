// SPDX-License-Identifier: BSD-3-Clause
// Buffers across the border, as bytes with names: to be saved, and to be mapped again.
#pragma once
#include <string>

#include "arrays.hpp"
#include "base/buffer.hpp"

namespace gristmill::bindings {

using Arrays = nb::typed<nb::dict, nb::str, nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>>;

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
  // Kept alive for as long as any copy of the buffer lives; let go with the GIL held.
  auto* kept = new Array<std::uint8_t>(bytes);
  const std::shared_ptr<const void> owner(kept, [](Array<std::uint8_t>* array) {
    const nb::gil_scoped_acquire gil;
    delete array;
  });
  return {std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)), owner};
}

}  // namespace gristmill::bindings
