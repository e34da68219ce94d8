// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/product_rows.hpp"

#include <algorithm>
#include <iterator>

#include "kernel/dense_rows.hpp"
#include "kernel/product_values.hpp"
#include "solve/batch/pick.hpp"
#include "solve/batch/row_cache.hpp"

namespace gristmill::solve::batch {
namespace {

constexpr std::size_t panels_at_once = 64;  // of which a thread computes a piece of all rows of a block
constexpr std::size_t rows_at_once = 16;    // of larger blocks too many are not used

std::vector<double> squares_of(rows::RealRows rows) {
  std::vector<double> squares(rows.rows.size(), 0.0);
  for (std::size_t row = 0; row < squares.size(); ++row) {
    for (const double value : rows.values_of(row)) squares[row] += value * value;
  }
  return squares;
}

std::vector<double> diagonal_of(const kernel::SetKernel& kernel, const std::vector<double>& squares) {
  std::vector<double> diagonal;
  for (const double square : squares) diagonal.push_back(kernel(square, square, square));
  return diagonal;
}

class ProductRows final : public SolverRows {
 public:
  ProductRows(kernel::SetKernel kernel, rows::RealRows rows, std::vector<double> squares, std::size_t max_bytes)
      : SolverRows(diagonal_of(kernel, squares)),
        kernel_(std::move(kernel)),
        squares_(std::move(squares)),
        rows_(rows),
        cache_(size(), max_bytes) {}

  void load(RowId number, const Columns& columns, double* out) override {
    RowCache<double>::Row row = cache_.find(number);
    if (!row) {
      Crew alone;
      row = compute({&number, 1}, alone);
    }
    pick(row.get(), columns, out);
  }

  [[nodiscard]] bool holds(RowId number) const override { return cache_.holds(number); }
  [[nodiscard]] std::size_t block() const noexcept override { return std::min(rows_at_once, cache_.capacity() - 1); }
  [[nodiscard]] std::size_t group() const noexcept override { return block(); }

  void prepare(std::span<const RowId> numbers, Crew& crew) override {
    std::vector<RowId> missing;
    std::ranges::copy_if(numbers, std::back_inserter(missing), [&](RowId number) { return !holds(number); });
    std::ranges::sort(missing);
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    if (!missing.empty()) static_cast<void>(compute(missing, crew));
  }

  [[nodiscard]] std::size_t nbytes() const override { return cache_.nbytes() + rows_.nbytes(); }
  [[nodiscard]] std::size_t rows_computed() const override { return cache_.computed(); }

 private:
  // Keeps these rows and returns the last of them.
  [[nodiscard]] RowCache<double>::Row compute(std::span<const RowId> numbers, Crew& crew) {
    std::vector<double> queries(numbers.size() * rows_.features());
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      rows_.spread(numbers[at], std::span(queries).subspan(at * rows_.features(), rows_.features()));
    }
    std::vector<double> values(numbers.size() * rows_.padded_size());
    crew.run((rows_.panels() + panels_at_once - 1) / panels_at_once, [&](std::size_t piece, std::size_t) {
      const std::size_t first = piece * panels_at_once;
      fill(numbers, queries, first, std::min(rows_.panels(), first + panels_at_once), values);
    });
    RowCache<double>::Row last;
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      last = cache_.add(numbers[at], std::span(values).subspan(at * rows_.padded_size(), size()));
    }
    return last;
  }

  void fill(std::span<const RowId> numbers, std::span<const double> queries, std::size_t first_panel,
            std::size_t end_panel, std::span<double> values) const {
    const std::size_t first = first_panel * kernel::DenseRows::panel_rows;
    const std::size_t count = std::min(size(), end_panel * kernel::DenseRows::panel_rows) - first;
    rows_.multiply(queries, first_panel, end_panel, values.data() + first, rows_.padded_size());
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      kernel::values_of_products(kernel_, squares_[numbers[at]], std::span(squares_).subspan(first, count),
                                 values.subspan(at * rows_.padded_size() + first, count));
    }
  }

  kernel::SetKernel kernel_;
  std::vector<double> squares_;
  kernel::DenseRows rows_;
  RowCache<double> cache_;
};

}  // namespace

std::unique_ptr<SolverRows> make_product_rows(const kernel::SetKernel& kernel, rows::RealRows rows,
                                              std::size_t max_bytes) {
  if (!kernel::DenseRows::are_dense(rows.rows, rows::FeatureMap(rows.rows).size())) return nullptr;
  return std::make_unique<ProductRows>(kernel, rows, squares_of(rows), max_bytes);
}

}  // namespace gristmill::solve::batch
