// SPDX-License-Identifier: BSD-3-Clause
// Greedy decoding: token after token, each with the labels of those before it. Several sentences are on their way at
// once, so that a scorer has several rows in flight; the answer does not depend on how many.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "score/labeller.hpp"
#include "tag/columns.hpp"
#include "tag/window.hpp"

namespace gristmill {

struct Decoder {
  const Window& window;
  const Strings& names;  // of the features
  const Labeller& labeller;
  bool backward = false;

  // The class of each token, in the order of the text.
  void decode(const Columns& columns, std::span<std::int32_t> out, std::size_t threads, Observer& observer) const;
};

}  // namespace gristmill
