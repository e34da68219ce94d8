// SPDX-License-Identifier: BSD-3-Clause
// Tables as named arrays: to count, save and map them. One list serves all three.
#pragma once
#include <type_traits>

#include "score/expanded/tables.hpp"

namespace gristmill::score::expanded {

template <class Tables>
constexpr bool is_single = std::is_same_v<typename std::remove_cvref_t<Tables>::Weight, double>;

// visit(name, buffer) for every array of the tables, which may be const.
template <class Tables, class Visit>
void for_each_array(Tables& tables, Visit visit) {
  visit("base", tables.base);
  visit("kernel_increment", tables.kernel_increment);
  visit("rank_keys", tables.ranks.keys());
  visit("ranks", tables.ranks.values());
  visit("records", tables.records);
  visit("block", tables.block);
  visit("inner_check", tables.inner_check);
  visit("inner", tables.inner);
  visit("leaf_check", tables.leaf_check);
  visit("leaf", tables.leaf);
  visit("row_dense", tables.rows.dense);
  visit("row_starts", tables.rows.starts);
  visit("row_lists", tables.rows.lists);
  visit("row_coarse", tables.rows.coarse);
  visit("row_grain", tables.rows.grain);
  visit("rare", tables.rare.words());
  visit("reach", tables.reach);
  visit("dropped", tables.dropped);
}

// visit(name, number) for every number.
template <class Tables, class Visit>
void for_each_number(Tables& tables, Visit visit) {
  visit("degree", tables.degree);
  visit("outputs", tables.outputs);
  visit("strip", tables.strip);
  visit("dense", tables.dense);
  visit("common", tables.common);
  visit("features", tables.features);
  visit("reach_length", tables.reach_length);
  visit("conjunctions", tables.conjunctions);
}

template <class Tables>
[[nodiscard]] std::size_t nbytes_of(const Tables& tables) {
  std::size_t total = 0;
  for_each_array(tables, [&](const char*, const auto& buffer) { total += buffer.nbytes(); });
  return total;
}

// True when no row can make a scorer read outside of the arrays. Cost: one pass over all but the weights.
template <class Tables>
[[nodiscard]] bool is_sound(const Tables& tables, std::size_t support_rows);

}  // namespace gristmill::score::expanded
