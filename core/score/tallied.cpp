// SPDX-License-Identifier: BSD-3-Clause
#include "score/tallied.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"
#include "machine/some_rows.hpp"
#include "score/sums.hpp"

namespace gristmill::score {
namespace {

constexpr std::size_t fewest = 64;  // rows of a block: of fewer each is looked at

// What rows of a group have in common: coefficients, and lengths where the kernel looks at them.
using Key = std::vector<std::uint64_t>;

Key key_of(const machine::SetMachine& machine, std::size_t row) {
  Key key{machine.kernel.by_overlap() ? 0 : machine.support().length(row)};
  machine.coef.for_each_in_row(row, [&](std::size_t output, double value) {
    key.push_back(output);
    key.push_back(std::bit_cast<std::uint64_t>(value));
  });
  return key;
}

struct KeyHash {
  std::size_t operator()(const Key& key) const noexcept {
    return std::accumulate(key.begin(), key.end(), std::uint64_t{0}, mix);
  }
};

// Rows by key, in the order in which keys occur first.
Lists<RowId> rows_by_key(const machine::SetMachine& machine) {
  std::unordered_map<Key, std::size_t, KeyHash> numbers;
  std::vector<std::size_t> number_of(machine.support().size());
  for (std::size_t row = 0; row < number_of.size(); ++row) {
    number_of[row] = numbers.try_emplace(key_of(machine, row), numbers.size()).first->second;
  }
  return Lists<RowId>::grouped(
      numbers.size(), number_of.size(), [&](std::size_t row) { return number_of[row]; },
      [](std::size_t row) { return static_cast<RowId>(row); });
}

// Rows that fill a block, or enough of one.
std::size_t worth_a_block(std::size_t rows) {
  const std::size_t left = rows % rows::TallyIndex::block_rows;
  return left < fewest ? rows - left : rows;
}

machine::SetMachine first_rows(const machine::SetMachine& machine, const Lists<RowId>& groups) {
  std::vector<RowId> first;
  for (std::size_t group = 0; group < groups.size(); ++group) first.push_back(groups[group].front());
  return machine::some_rows(machine, first, std::vector<double>(machine.outputs(), 0.0));
}

// Whether a row like the support rows shares a feature with a good part of them.
bool share_features(const machine::SetMachine& machine) {
  const rows::FeatureMap features(machine.support());
  double shared = 0;
  for (std::size_t rank = 0; rank < features.size(); ++rank) {
    const auto count = static_cast<double>(features.count(static_cast<rows::Rank>(rank)));
    shared += count * count;
  }
  const auto rows = static_cast<double>(machine.support().size());
  return shared >= rows * rows / 4;
}

struct Grouped {
  Lists<RowId> groups;
  std::vector<RowId> rest;
};

// Nothing where groups are not worth it.
std::optional<Grouped> grouped_rows(const machine::SetMachine& machine) {
  if (machine.support().longest() > rows::TallyIndex::most_features) return std::nullopt;
  const Lists<RowId> by_key = rows_by_key(machine);
  Grouped found;
  for (std::size_t key = 0; key < by_key.size(); ++key) {
    const std::span<const RowId> rows = by_key[key];
    const std::size_t count = worth_a_block(rows.size());
    if (count > 0) found.groups.add(rows.first(count));
    found.rest.insert(found.rest.end(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end());
  }
  if (found.groups.empty() || !share_features(machine)) return std::nullopt;
  std::ranges::sort(found.rest);
  return found;
}

}  // namespace

std::unique_ptr<const TalliedRows> TalliedRows::of(const machine::SetMachine& machine) {
  const std::optional<Grouped> found = grouped_rows(machine);
  if (!found) return nullptr;
  return std::unique_ptr<const TalliedRows>(new TalliedRows(machine, found->groups, found->rest));
}

double TalliedRows::share(const machine::SetMachine& machine) {
  const std::optional<Grouped> found = grouped_rows(machine);
  if (!found) return 0;
  return 1 - static_cast<double>(found->rest.size()) / static_cast<double>(machine.support().size());
}

TalliedRows::TalliedRows(const machine::SetMachine& machine, const Lists<RowId>& groups, std::span<const RowId> rest)
    : first_(first_rows(machine, groups)),
      values_(machine.kernel, machine.kernel.by_overlap() ? machine.support() : first_.support()),
      index_(machine.support(), groups),
      rest_(std::make_shared<const machine::SetMachine>(machine::some_rows(machine, rest, machine.intercept))) {}

void TalliedRows::add(rows::Row x, std::span<double> out, Scratch& scratch) const {
  const std::size_t width = index_.tally(x, scratch);
  values_.with(x.size(), [&](auto value) {
    for (std::size_t group = 0; group < index_.groups(); ++group) {
      const std::span<const std::uint32_t> tallies = std::span(scratch.tallies).subspan(group * width, width);
      double sum = 0.0;
      for (std::size_t shared = 0; shared < width; ++shared) {
        if (tallies[shared] > 0) sum += tallies[shared] * value(group, shared);
      }
      first_.coef.add_row(group, sum, out);
    }
  });
}

std::size_t TalliedRows::occurrences(rows::Row x) const {
  std::size_t total = 0;
  for_each_known(index_.features(), x, [&](rows::Rank rank, std::size_t) { total += index_.features().count(rank); });
  return total;
}

std::size_t TalliedRows::nbytes() const noexcept {
  return first_.nbytes() + values_.nbytes() + index_.nbytes() + rest_->nbytes();
}

}  // namespace gristmill::score
