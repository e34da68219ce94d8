// SPDX-License-Identifier: BSD-3-Clause
// Cutting planes over the variables of a problem. An exact plane is a bit for each variable: it counts with its share
// of all costs or not at all. A sampled plane names its variables and what each counts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace gristmill::solve::cutting_plane {

class PlaneSet {
 public:
  using Bits = std::vector<std::uint64_t>;  // variable v is bit v % 64 of word v / 64
  struct Sample {
    std::vector<std::uint32_t> variables;
    std::vector<double> weights;
  };

  explicit PlaneSet(std::vector<double> shares) : shares_(std::move(shares)) {}

  [[nodiscard]] std::size_t size() const noexcept { return planes_.size(); }
  [[nodiscard]] std::span<const double> shares() const noexcept { return shares_; }

  void add(Bits bits) { planes_.emplace_back(std::move(bits)); }
  void add(Sample sample) { planes_.emplace_back(std::move(sample)); }
  // Planes to keep, ascending.
  void keep(std::span<const std::uint32_t> planes);
  // New variables, in none of the planes.
  void extend(std::span<const double> shares) { shares_.insert(shares_.end(), shares.begin(), shares.end()); }

  // For each plane the sum of what each variable counts in it, times its value.
  [[nodiscard]] std::vector<double> dots(std::span<const double> values) const;
  // Of the last plane: what all variables count, and what they count with their signs.
  [[nodiscard]] std::pair<double, double> sums_of_last(std::span<const std::int8_t> signs) const;
  // out += sum over the planes of factor times what each variable counts; factors of 0 cost nothing.
  void accumulate(std::span<const double> factors, std::span<double> out) const;

  [[nodiscard]] std::size_t nbytes() const;

 private:
  std::vector<double> shares_;
  std::vector<std::variant<Bits, Sample>> planes_;
};

// One bit for each of these that is true.
[[nodiscard]] PlaneSet::Bits bits_of(std::span<const bool> chosen);

// visit(v) for each bit that is set, ascending.
template <class Visit>
void for_each_bit(const PlaneSet::Bits& bits, Visit visit) {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
      visit(64 * word + static_cast<std::size_t>(__builtin_ctzll(left)));
    }
  }
}

}  // namespace gristmill::solve::cutting_plane
