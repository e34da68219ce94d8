// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/templates/memo.hpp"

#include <algorithm>
#include <stdexcept>

namespace gristmill::text_apps::templates {
namespace {

constexpr std::size_t most_cells = std::size_t{1} << 20U;  // of a column
constexpr std::size_t most_chains = std::size_t{1} << 22U;

template <class T>
void keep_at(std::vector<T>& list, std::size_t at, T value, T filling) {
  if (at >= list.size()) list.resize(std::max(at + 1, 2 * list.size()), filling);
  list[at] = value;
}

}  // namespace

FeatureId NewFeatures::number_of(std::string_view name) {
  const Strings::Id id = names_.intern(name);
  if (id > static_cast<Strings::Id>(std::numeric_limits<FeatureId>::max())) {
    throw std::length_error("more than 2^31 features");
  }
  return static_cast<FeatureId>(id);
}

Memo::Memo(const Templates& templates, std::vector<std::uint32_t> widths)
    : templates_(templates), widths_(std::move(widths)) {
  begin();
}

void Memo::begin() {
  columns_.assign(columns_of(templates_), {});
  sights_.assign(templates_.sights.size(), {});
  singles_.assign(widths_.size(), {});
  chains_ = EdgeMap();
  nodes_.clear();
  outside_.clear();
  const Outside& names = templates_.outside;
  for (std::uint32_t sight = 0; sight < sights_.size(); ++sight) {
    columns_[templates_.sights[sight].column].sights.push_back(sight);
    for (std::uint32_t i = 1; i <= templates_.reach; ++i) {
      outside_.push_back(see_outside(sight, names.left_before + std::to_string(i) + names.left_after));
    }
    for (std::uint32_t i = 1; i <= templates_.reach; ++i) {
      outside_.push_back(see_outside(sight, names.right_before + std::to_string(i) + names.right_after));
    }
  }
}

void Memo::see_new(ColumnMemo& memo, std::string_view cell) {
  for (const std::uint32_t sight : memo.sights) memo.seen.push_back(see_one(sight, cell));
}

Memo::Value Memo::see_one(std::uint32_t sight, std::string_view cell) {
  SightMemo& memo = sights_[sight];
  const View view = templates_.sights[sight].view;
  Value found = nothing;
  if (templates_.silent && cell.empty()) return view.is_bag() ? new_bag(memo) : nothing;
  see(view, cell, buffers_, [&](std::string_view value) {
    found = memo.values.intern(value);
    if (view.is_bag()) memo.bags.push(found);
  });
  return view.is_bag() ? new_bag(memo) : found;
}

Memo::Value Memo::see_outside(std::uint32_t sight, std::string_view text) {
  SightMemo& memo = sights_[sight];
  const Value value = templates_.silent ? nothing : memo.values.intern(text);
  if (!templates_.sights[sight].view.is_bag()) return value;
  if (value != nothing) memo.bags.push(value);
  return new_bag(memo);
}

Memo::Value Memo::new_bag(SightMemo& memo) {
  memo.bags.close();
  return static_cast<Value>(memo.bags.size() - 1);
}

std::string_view Memo::text(std::uint32_t sight, Value value) const {
  const std::span<const char> found = sights_[sight].values[value];
  return {found.data(), found.size()};
}

void Memo::keep_single(Place place, Value value, FeatureId feature) {
  keep_at(singles_[place.table], std::size_t{value} * widths_[place.table] + place.slot, feature, unknown);
}

EdgeMap::Node Memo::node_of(std::uint32_t item, std::span<const Value> values) {
  EdgeMap::Node node = chains_.make(0, item);
  for (const Value value : values) node = chains_.make(node, value);
  return node;
}

void Memo::keep_node(EdgeMap::Node node, FeatureId feature) { keep_at(nodes_, node, feature, unknown); }

bool Memo::is_full() const noexcept {
  const auto large = [](const ColumnMemo& memo) { return memo.cells.size() > most_cells; };
  const auto heavy = [](const SightMemo& memo) { return memo.bags.items().size() > 8 * most_cells; };
  return chains_.size() > most_chains || std::ranges::any_of(columns_, large) || std::ranges::any_of(sights_, heavy);
}

}  // namespace gristmill::text_apps::templates
