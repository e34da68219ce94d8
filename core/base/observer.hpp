// SPDX-License-Identifier: BSD-3-Clause
// Long work reports to an observer, which may stop it.
#pragma once
#include <cstddef>

namespace gristmill::inline base {

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // Called often, always from the thread that started the work; returning false stops it with Interrupted.
  virtual bool advance(std::size_t done, std::size_t total) = 0;
};

}  // namespace gristmill::inline base
