// SPDX-License-Identifier: BSD-3-Clause
// k(x, s) for many rows s, once it is known how many features each shares with x.
//
// What a value is read off depends on the kernel: a table by overlap, a table by distance (RBF), a table by length and
// overlap (given kernels), or the formula where that is as fast. All give the bits of the formula.
// Memory: a length of each row; tables as long as the longest row, but of given kernels an entry for each overlap with
// each different length, for the lengths of x that were asked for last.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/set_kernel.hpp"
#include "rows/rows.hpp"

namespace gristmill::kernel {

class SetValues {
 public:
  SetValues(SetKernel kernel, rows::Rows rows);

  [[nodiscard]] const SetKernel& kernel() const noexcept { return kernel_; }
  [[nodiscard]] std::size_t size() const noexcept { return lengths_.size(); }
  [[nodiscard]] std::span<const std::int32_t> lengths() const noexcept { return lengths_; }      // of rows
  [[nodiscard]] std::span<const std::int32_t> different() const noexcept { return different_; }  // lengths, ascending
  [[nodiscard]] std::size_t nbytes() const noexcept;

  // k(0), k(1), ..., of a kernel that depends on nothing else; or empty.
  [[nodiscard]] std::span<const double> by_overlap() const noexcept { return kernel_.by_overlap() ? table_ : empty_; }

  // Whether |k| is nowhere below |k| at overlap 0, for the same lengths.
  [[nodiscard]] bool least_apart() const noexcept { return least_apart_; }

  // k(x, s) by how many features are in one of them alone, of a kernel that depends on nothing else; or empty.
  [[nodiscard]] std::span<const double> by_distance() const noexcept {
    return std::holds_alternative<RbfKernel>(kernel_.form()) ? table_ : empty_;
  }
  // Whether values are computed each time, by the formula.
  [[nodiscard]] bool by_formula() const noexcept;

  // use(value) once, for a row of x features: value(row, count) = k(x, row) where they share `count`.
  template <class Use>
  void with(std::size_t x, Use use) const {
    std::visit([&](const auto& kernel) { use_form(kernel, x, use); }, kernel_.form());
  }

  // The same for one row alone: value(count). `x_lengths`: how many different x it will be asked for, so that given
  // kernels do not remember more than they have room for.
  template <class Use>
  void with_row(std::size_t row, std::size_t x, std::size_t x_lengths, Use use) const {
    const auto* given = std::get_if<GivenKernel>(&kernel_.form());
    if (given == nullptr || remembers(x_lengths)) {
      with(x, [&](const auto& value) { use([&](std::size_t count) { return value(row, count); }); });
    } else {
      Table own(static_cast<std::size_t>(lengths_[row]) + 1);
      given->fill(x, {&lengths_[row], 1}, own);
      use([&](std::size_t count) { return own[count]; });
    }
  }

  // Of a given kernel: g(0, x, l), ..., g(l, x, l) for the different lengths l in turn; 0 beyond g(x, x, l).
  [[nodiscard]] std::shared_ptr<const std::vector<double>> given(std::size_t x) const;

  // Whether these would still be known after as many different x.
  [[nodiscard]] bool remembers(std::size_t x_lengths) const noexcept { return x_lengths * entries_ <= most_remembered; }

  // The place of a length among the different ones.
  [[nodiscard]] std::size_t place_of(std::int32_t length) const;

  // k(s, s) of all rows.
  [[nodiscard]] std::vector<double> diagonal() const;

 private:
  using Table = std::vector<double>;
  struct Memo {
    std::mutex mutex;
    std::unordered_map<std::size_t, std::shared_ptr<const Table>> tables;  // by length of x
  };
  static constexpr std::size_t most_remembered = std::size_t{8} << 20;  // entries of tables

  template <class Kernel, class Use>
  void use_form(const Kernel& kernel, std::size_t x, Use& use) const {
    if constexpr (std::invocable<const Kernel&, double>) {
      use([table = table_.data()](std::size_t, std::size_t count) { return table[count]; });
    } else if constexpr (std::is_same_v<Kernel, RbfKernel>) {
      use_distances(x, use);
    } else if constexpr (std::is_same_v<Kernel, GivenKernel>) {
      const std::shared_ptr<const Table> values = given(x);
      use([table = values->data(), first = first_.data()](std::size_t row, std::size_t count) {
        return table[first[row] + count];
      });
    } else if constexpr (std::is_same_v<Kernel, CosineKernel>) {
      use_roots(x, use);
    } else {
      use([kernel, all = static_cast<double>(x), lengths = lengths_.data()](std::size_t row, std::size_t count) {
        return kernel(static_cast<double>(static_cast<std::int32_t>(count)), all, static_cast<double>(lengths[row]));
      });
    }
  }

  // Distances from 0 to twice the longest row are in the table; those from a longer x lie in a window of that size.
  template <class Use>
  void use_distances(std::size_t x, Use& use) const {
    const std::size_t longest = table_.size() / 2;
    const std::size_t nearest = x > longest ? x - longest : 0;
    const Table window = nearest > 0 ? distances_from(nearest) : Table();
    const double* table = nearest > 0 ? window.data() : table_.data();
    use([table, lengths = lengths_.data(), shift = static_cast<std::ptrdiff_t>(x - nearest)](std::size_t row,
                                                                                             std::size_t count) {
      return table[shift + lengths[row] - 2 * static_cast<std::ptrdiff_t>(count)];
    });
  }

  [[nodiscard]] bool is_least_apart() const;
  // A root for each different length takes less than one for each row.
  template <class Use>
  void use_roots(std::size_t x, Use& use) const {
    Table roots;
    for (const std::int32_t length : different_) {
      roots.push_back(std::sqrt(static_cast<double>(x) * static_cast<double>(length)));
    }
    use([roots = roots.data(), places = places_.data()](std::size_t row, std::size_t count) {
      const double root = roots[places[row]];
      return root > 0 ? static_cast<double>(static_cast<std::int32_t>(count)) / root : 0.0;
    });
  }

  [[nodiscard]] Table distances_from(std::size_t nearest) const;

  SetKernel kernel_;
  std::vector<std::int32_t> lengths_;
  std::vector<std::int32_t> different_;
  Table table_;  // by overlap, or by distance
  Table empty_;
  bool least_apart_ = false;
  std::vector<std::uint32_t> places_;  // per row: of its length among the different ones, for the cosine
  std::vector<std::size_t> first_;     // per row: where its length begins in the tables of a given kernel
  std::size_t entries_ = 0;            // of each of those
  std::unique_ptr<Memo> memo_ = std::make_unique<Memo>();
};

}  // namespace gristmill::kernel
