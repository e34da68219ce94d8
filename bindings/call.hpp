// SPDX-License-Identifier: BSD-3-Clause
// How Python calls the core: without the GIL, with somebody who watches, and with bytes in and out.
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "python_observer.hpp"

namespace gristmill::bindings {

namespace nb = nanobind;

// work(), without the GIL: neither it nor its result touches Python objects.
template <class Work>
auto without_gil(Work&& work) {
  static_assert(!std::is_base_of_v<nb::handle, std::invoke_result_t<Work>>);
  const nb::gil_scoped_release release;
  return std::forward<Work>(work)();
}

// work(observer), without the GIL; the observer reports to `progress`, a callable or None, and lets Ctrl-C through.
template <class Work>
auto watched(nb::object progress, Work&& work) {
  static_assert(!std::is_base_of_v<nb::handle, std::invoke_result_t<Work, Observer&>>);
  PythonObserver observer(std::move(progress));
  const nb::gil_scoped_release release;
  return std::forward<Work>(work)(static_cast<Observer&>(observer));
}

// For methods of the core that are bound as they are: they run without the GIL.
using Released = nb::call_guard<nb::gil_scoped_release>;

// The argument that watched() takes.
[[nodiscard]] inline auto progress_arg() { return nb::arg("progress").none() = nb::none(); }

// Nobody can change bytes, so the view can be read without the GIL.
[[nodiscard]] inline std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

[[nodiscard]] inline nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

[[nodiscard]] inline std::vector<nb::bytes> to_bytes(const std::vector<std::string>& texts) {
  std::vector<nb::bytes> list;
  for (const std::string& text : texts) list.push_back(to_bytes(text));
  return list;
}

}  // namespace gristmill::bindings
