// SPDX-License-Identifier: BSD-3-Clause
// Actions of parsers as Python has them: (move, relation).
#pragma once
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <tuple>
#include <vector>

#include "text_apps/parsing/system.hpp"

namespace gristmill::bindings {

using ActionParts = std::tuple<text_apps::parsing::Move, std::int32_t>;

[[nodiscard]] inline std::vector<ActionParts> parts_of(std::span<const text_apps::parsing::Action> actions) {
  std::vector<ActionParts> parts;
  for (const text_apps::parsing::Action& action : actions) parts.emplace_back(action.move, action.relation);
  return parts;
}

}  // namespace gristmill::bindings
