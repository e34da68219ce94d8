// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/pair_set.hpp"

#include <algorithm>
#include <bit>

namespace gristmill::mine::fragments {

// Two words of the filter for each tree, up to 8 MiB: a hundred malicious pairs a tree would make it say yes too often.
PairSet::PairSet(std::size_t trees)
    : filter_(std::bit_ceil(std::clamp<std::size_t>(2 * trees, 64, std::size_t{1} << 20U))), partners_(trees) {}

bool PairSet::contains(std::uint32_t a, std::uint32_t b) const {
  const std::uint64_t mix = mixed(a, b);
  if ((filter_[word_of(mix)].load(std::memory_order_relaxed) & bit_of(mix)) == 0) return false;
  const std::scoped_lock lock(locks_[b % locks]);
  return partners_[b].has(a);
}

std::size_t PairSet::add(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t mix = mixed(a, b);
  const std::scoped_lock lock(locks_[b % locks]);
  Partners& partners = partners_[b];
  const std::size_t before = partners.nbytes();
  if (!partners.add(a, b)) return 0;
  filter_[word_of(mix)].fetch_or(bit_of(mix), std::memory_order_relaxed);
  ++size_;
  return partners.nbytes() - std::min(before, partners.nbytes());
}

bool PairSet::contains_all(std::span<const std::uint32_t> trees) const {
  for (std::size_t j = trees.size(); j-- > 1;) {
    for (std::size_t i = 0; i < j; ++i) {
      if (!contains(trees[i], trees[j])) return false;
    }
  }
  return true;
}

std::size_t PairSet::nbytes() const noexcept {
  std::size_t sum = filter_.size() * sizeof(filter_[0]) + partners_.size() * sizeof(Partners);
  for (const Partners& partners : partners_) sum += partners.nbytes();
  return sum;
}

std::vector<std::uint32_t> PairSet::below(std::uint32_t b) const {
  const Partners& partners = partners_[b];
  std::vector<std::uint32_t> found;
  for (const std::uint32_t a : partners.slots) {
    if (a != empty) found.push_back(a);
  }
  for (std::size_t word = 0; word < partners.bits.size(); ++word) {
    for (std::uint64_t bits = partners.bits[word]; bits != 0; bits &= bits - 1) {
      found.push_back(static_cast<std::uint32_t>(64 * word + static_cast<std::size_t>(std::countr_zero(bits))));
    }
  }
  std::ranges::sort(found);
  return found;
}

bool PairSet::Partners::has(std::uint32_t a) const {
  if (!bits.empty()) return ((bits[a / 64] >> (a % 64)) & 1U) != 0;
  return !slots.empty() && slots[place_of(a)] == a;
}

bool PairSet::Partners::add(std::uint32_t a, std::uint32_t b) {
  if (has(a)) return false;
  if (bits.empty() && 2 * (held + std::size_t{1}) > slots.size()) grow(b);
  ++held;
  if (bits.empty()) {
    slots[place_of(a)] = a;
  } else {
    bits[a / 64] |= std::uint64_t{1} << (a % 64);
  }
  return true;
}

// Where the partner stands, or where it would be put.
std::size_t PairSet::Partners::place_of(std::uint32_t a) const {
  std::size_t at = (a * std::size_t{0x9E3779B1}) & (slots.size() - 1);
  while (slots[at] != empty && slots[at] != a) at = (at + 1) & (slots.size() - 1);
  return at;
}

// To a table of twice the size, or to bits where they are fewer bytes.
void PairSet::Partners::grow(std::uint32_t b) {
  const std::size_t size = std::max<std::size_t>(2 * slots.size(), 4);
  const std::vector<std::uint32_t> old = std::exchange(slots, {});
  if (b / 8 + 8 < 4 * size) {
    bits.assign(b / 64 + 1, 0);
    for (const std::uint32_t a : old) {
      if (a != empty) bits[a / 64] |= std::uint64_t{1} << (a % 64);
    }
    return;
  }
  slots.assign(size, empty);
  for (const std::uint32_t a : old) {
    if (a != empty) slots[place_of(a)] = a;
  }
}

}  // namespace gristmill::mine::fragments
