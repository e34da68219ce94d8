// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/set_values.hpp"

#include <algorithm>
#include <cmath>

namespace gristmill::kernel {
namespace {

std::vector<std::int32_t> lengths_of(rows::Rows rows) {
  std::vector<std::int32_t> lengths(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) lengths[row] = static_cast<std::int32_t>(rows.length(row));
  return lengths;
}

std::vector<std::int32_t> different_of(std::vector<std::int32_t> lengths) {
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());  // that of ranges is beyond clang 14
  return lengths;
}

}  // namespace

SetValues::SetValues(SetKernel kernel, rows::Rows rows)
    : kernel_(std::move(kernel)), lengths_(lengths_of(rows)), different_(different_of(lengths_)) {
  const std::size_t longest = different_.empty() ? 0 : static_cast<std::size_t>(different_.back());
  if (kernel_.by_overlap()) table_ = kernel_.values(longest);
  if (std::holds_alternative<RbfKernel>(kernel_.form())) {
    table_.resize(2 * longest + 1);
    table_ = distances_from(0);
  }
  least_apart_ = is_least_apart();
  if (std::holds_alternative<CosineKernel>(kernel_.form())) {
    for (const std::int32_t length : lengths_) places_.push_back(static_cast<std::uint32_t>(place_of(length)));
  }
  if (!std::holds_alternative<GivenKernel>(kernel_.form())) return;
  std::vector<std::size_t> begins;
  for (const std::int32_t length : different_) {
    begins.push_back(entries_);
    entries_ += static_cast<std::size_t>(length) + 1;
  }
  first_.resize(size());
  for (std::size_t row = 0; row < size(); ++row) first_[row] = begins[place_of(lengths_[row])];
}

bool SetValues::by_formula() const noexcept {
  const SetKernel::Form& form = kernel_.form();
  return !kernel_.by_overlap() && !std::holds_alternative<RbfKernel>(form) &&
         !std::holds_alternative<GivenKernel>(form);
}

std::size_t SetValues::place_of(std::int32_t length) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(different_, length) - different_.begin());
}

bool SetValues::is_least_apart() const {
  if (std::holds_alternative<GivenKernel>(kernel_.form())) return false;
  if (!kernel_.by_overlap()) return true;
  return std::ranges::all_of(table_, [&](double value) { return std::abs(value) >= std::abs(table_[0]); });
}

SetValues::Table SetValues::distances_from(std::size_t nearest) const {
  const auto& kernel = std::get<RbfKernel>(kernel_.form());
  Table table(table_.size());
  for (std::size_t at = 0; at < table.size(); ++at) table[at] = kernel(0.0, static_cast<double>(nearest + at), 0.0);
  return table;
}

// Threads may make the same table twice; they are equal.
std::shared_ptr<const std::vector<double>> SetValues::given(std::size_t x) const {
  {
    const std::scoped_lock lock(memo_->mutex);
    if (const auto found = memo_->tables.find(x); found != memo_->tables.end()) return found->second;
  }
  auto table = std::make_shared<Table>(entries_);
  std::get<GivenKernel>(kernel_.form()).fill(x, different_, *table);
  const std::scoped_lock lock(memo_->mutex);
  if ((memo_->tables.size() + 1) * entries_ > most_remembered) memo_->tables.clear();
  memo_->tables.emplace(x, table);
  return table;
}

std::vector<double> SetValues::diagonal() const {
  std::vector<double> values;
  for (const auto length : different_) values.push_back(kernel_(length, length, length));
  std::vector<double> diagonal(size());
  for (std::size_t row = 0; row < size(); ++row) diagonal[row] = values[place_of(lengths_[row])];
  return diagonal;
}

std::size_t SetValues::nbytes() const noexcept {
  return (lengths_.size() + different_.size()) * sizeof(std::int32_t) + table_.size() * sizeof(double) +
         first_.size() * sizeof(std::size_t) + places_.size() * sizeof(std::uint32_t) +
         (entries_ > 0 ? std::max(entries_, most_remembered) * sizeof(double) : 0);
}

}  // namespace gristmill::kernel
