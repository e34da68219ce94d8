// SPDX-License-Identifier: BSD-3-Clause
// The observer that Python code sees: lets Ctrl-C through and reports to an optional callable, some twenty times a
// second.
#pragma once
#include <nanobind/nanobind.h>

#include <chrono>

#include "base/observer.hpp"

namespace gristmill::bindings {

class PythonObserver final : public Observer {
 public:
  // callback(done, total) or None.
  explicit PythonObserver(nanobind::object callback) : callback_(std::move(callback)) {}

  bool advance(std::size_t done, std::size_t total) override {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_ && done < total) return true;
    next_ = now + std::chrono::milliseconds(50);
    const nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (!callback_.is_none()) callback_(done, total);
    return true;
  }

 private:
  nanobind::object callback_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
};

}  // namespace gristmill::bindings
