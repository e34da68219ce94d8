// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/overlap_rows.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/pool.hpp"
#include "base/variants.hpp"
#include "kernel/product_values.hpp"
#include "kernel/set_values.hpp"
#include "rows/overlap_index.hpp"
#include "solve/batch/pick.hpp"
#include "solve/batch/row_cache.hpp"

namespace gristmill::solve::batch {
namespace {

// counts[i] = x + lengths[i] - 2 counts[i], which fits.
template <class Counter>
GRISTMILL_INLINE void subtract_twice(std::span<Counter> counts, const Counter* lengths, std::size_t x) {
  for (std::size_t at = 0; at < counts.size(); ++at) {
    counts[at] = static_cast<Counter>(static_cast<Counter>(x) + lengths[at] - 2U * counts[at]);
  }
}

// One function per width: variants cannot be templates.
GRISTMILL_VARIANTS void to_distances(std::span<std::uint8_t> counts, const std::uint8_t* lengths, std::size_t x) {
  subtract_twice(counts, lengths, x);
}
GRISTMILL_VARIANTS void to_distances(std::span<std::uint16_t> counts, const std::uint16_t* lengths, std::size_t x) {
  subtract_twice(counts, lengths, x);
}
GRISTMILL_VARIANTS void to_distances(std::span<std::uint32_t> counts, const std::uint32_t* lengths, std::size_t x) {
  subtract_twice(counts, lengths, x);
}

template <class Counter>
class OverlapRows final : public SolverRows {
 public:
  OverlapRows(kernel::SetValues values, Buffer<Offset> offsets, Buffer<FeatureId> ids, rows::OverlapIndex index,
              std::size_t max_bytes)
      : SolverRows(values.diagonal()),
        offsets_(std::move(offsets)),
        ids_(std::move(ids)),
        index_(std::move(index)),
        values_(std::move(values)),
        cache_(size(), max_bytes) {
    const std::span<const std::int32_t> lengths = values_.lengths();
    if (!values_.by_distance().empty()) lengths_.assign(lengths.begin(), lengths.end());
    if (values_.by_formula()) squares_.assign(lengths.begin(), lengths.end());
  }

  void load(RowId number, const Columns& columns, double* out) override {
    typename RowCache<Counter>::Row row = cache_.find(number);
    if (!row) row = compute(number);
    const std::size_t x = rows().length(number);
    if (values_.by_formula()) {
      compute_values(row.get(), columns, x, out);
    } else if (!lengths_.empty()) {
      pick(row.get(), columns, out,
           [table = values_.by_distance().data()](std::size_t, Counter at) { return table[at]; });
    } else {
      values_.with(x, [&](auto value) { pick(row.get(), columns, out, value); });
    }
  }

  [[nodiscard]] bool holds(RowId number) const override { return cache_.holds(number); }

  [[nodiscard]] std::size_t group() const noexcept override { return std::min<std::size_t>(64, cache_.capacity() - 1); }

  void prepare(std::span<const RowId> numbers, Crew& crew) override {
    crew.run(numbers.size(), [&](std::size_t piece, std::size_t) {
      if (!holds(numbers[piece])) static_cast<void>(compute(numbers[piece]));
    });
  }

  [[nodiscard]] std::size_t nbytes() const override {
    return cache_.nbytes() + index_.nbytes() + values_.nbytes() + lengths_.size() * sizeof(Counter) +
           squares_.size() * sizeof(double);
  }
  [[nodiscard]] std::size_t rows_computed() const override { return cache_.computed(); }

 private:
  struct Scratch {
    rows::OverlapIndex::Query query;
    std::vector<Counter> counts;
  };

  typename RowCache<Counter>::Row compute(RowId number) {
    std::unique_ptr<Scratch> scratch = scratches_.take();
    index_.look_up(rows()[number], scratch->query);
    scratch->counts.assign(size(), 0);
    index_.count(scratch->query, scratch->counts);
    if (!lengths_.empty()) to_distances(scratch->counts, lengths_.data(), rows().length(number));
    typename RowCache<Counter>::Row row = cache_.add(number, scratch->counts);
    scratches_.give_back(std::move(scratch));
    return row;
  }

  // The formula for some columns at a time, with what it needs of them side by side.
  void compute_values(const Counter* counts, const Columns& columns, std::size_t x, double* out) const {
    constexpr std::size_t some = 512;
    std::array<double, some> squares;
    for (std::size_t begin = 0; begin < columns.numbers.size(); begin += some) {
      const std::size_t count = std::min(some, columns.numbers.size() - begin);
      const Columns part{columns.numbers.subspan(begin, count), columns.consecutive};
      pick(counts, part, out + begin, [](std::size_t, Counter shared) { return static_cast<double>(shared); });
      pick(squares_.data(), part, squares.data());
      kernel::values_of_products(values_.kernel(), static_cast<double>(x), std::span(squares).first(count),
                                 {out + begin, count});
    }
  }

  [[nodiscard]] rows::Rows rows() const { return {offsets_.span(), ids_.span()}; }

  Buffer<Offset> offsets_;
  Buffer<FeatureId> ids_;
  rows::OverlapIndex index_;
  kernel::SetValues values_;
  std::vector<Counter> lengths_;  // where distances are kept in place of counts
  std::vector<double> squares_;   // the lengths again, where values are computed by the formula
  RowCache<Counter> cache_;
  Pool<Scratch> scratches_;
};

template <class Counter>
std::unique_ptr<SolverRows> made(const kernel::SetKernel& kernel, Buffer<Offset> offsets, Buffer<FeatureId> ids,
                                 rows::OverlapIndex index, std::size_t max_bytes) {
  kernel::SetValues values(kernel, {offsets.span(), ids.span()});
  return std::make_unique<OverlapRows<Counter>>(std::move(values), std::move(offsets), std::move(ids), std::move(index),
                                                max_bytes);
}

template <class Number>
constexpr bool fits(std::size_t largest) {
  return largest <= std::numeric_limits<Number>::max();
}

}  // namespace

std::unique_ptr<SolverRows> make_counted_rows(const kernel::SetKernel& kernel, Buffer<Offset> offsets,
                                              Buffer<FeatureId> ids, std::size_t max_bytes) {
  rows::OverlapIndex index(rows::Rows{offsets.span(), ids.span()});
  const bool keeps_distances = std::holds_alternative<kernel::RbfKernel>(kernel.form());
  const std::size_t largest = keeps_distances ? 2 * index.longest() : index.longest();
  const auto make = fits<std::uint8_t>(largest)    ? &made<std::uint8_t>
                    : fits<std::uint16_t>(largest) ? &made<std::uint16_t>
                                                   : &made<std::uint32_t>;
  return make(kernel, std::move(offsets), std::move(ids), std::move(index), max_bytes);
}

}  // namespace gristmill::solve::batch
