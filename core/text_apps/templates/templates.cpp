// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/templates/templates.hpp"

#include <algorithm>
#include <stdexcept>

namespace gristmill::text_apps::templates {

void check(const Templates& templates) {
  for (const TemplateItem& item : templates.items) {
    for (const Piece& piece : item.pieces) {
      if (piece.place >= (piece.is_fact() ? templates.facts : templates.places)) {
        throw std::invalid_argument("a piece of an item has an unknown place");
      }
      if (!piece.is_fixed()) continue;
      if (piece.sight >= templates.sights.size())
        throw std::invalid_argument("a piece of an item has an unknown sight");
      if (templates.sights[piece.sight].view.is_bag() && item.pieces.size() > 1) {
        throw std::invalid_argument("a view with several values must be the only piece of its item");
      }
    }
  }
}

std::uint32_t columns_of(const Templates& templates) {
  std::uint32_t columns = 0;
  for (const Sight& sight : templates.sights) columns = std::max(columns, sight.column + 1);
  return columns;
}

}  // namespace gristmill::text_apps::templates
