// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/overlap_rows.hpp"

#include <algorithm>

#include "base/pool.hpp"
#include "kernel/set_values.hpp"
#include "rows/overlap_index.hpp"
#include "solve/batch/pick.hpp"
#include "solve/batch/row_cache.hpp"

namespace gristmill::solve::batch {
namespace {

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
        cache_(size(), max_bytes) {}

  void load(RowId number, const Columns& columns, double* out) override {
    typename RowCache<Counter>::Row row = cache_.find(number);
    if (!row) row = compute(number);
    values_.with(rows()[number].size(), [&](auto value) { pick(row.get(), columns, out, value); });
  }

  [[nodiscard]] bool holds(RowId number) const override { return cache_.holds(number); }

  [[nodiscard]] std::size_t group() const noexcept override { return std::min<std::size_t>(64, cache_.capacity() - 1); }

  void prepare(std::span<const RowId> numbers, Crew& crew) override {
    crew.run(numbers.size(), [&](std::size_t piece, std::size_t) {
      if (!holds(numbers[piece])) static_cast<void>(compute(numbers[piece]));
    });
  }

  [[nodiscard]] std::size_t nbytes() const override { return cache_.nbytes() + index_.nbytes() + values_.nbytes(); }
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
    typename RowCache<Counter>::Row row = cache_.add(number, scratch->counts);
    scratches_.give_back(std::move(scratch));
    return row;
  }

  [[nodiscard]] rows::Rows rows() const { return {offsets_.span(), ids_.span()}; }

  Buffer<Offset> offsets_;
  Buffer<FeatureId> ids_;
  rows::OverlapIndex index_;
  kernel::SetValues values_;
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

}  // namespace

std::unique_ptr<SolverRows> make_counted_rows(const kernel::SetKernel& kernel, Buffer<Offset> offsets,
                                              Buffer<FeatureId> ids, std::size_t max_bytes) {
  rows::OverlapIndex index(rows::Rows{offsets.span(), ids.span()});
  return std::visit(
      [&]<class Counter>(const std::vector<Counter>&) {
        return made<Counter>(kernel, std::move(offsets), std::move(ids), std::move(index), max_bytes);
      },
      index.make_counters());
}

}  // namespace gristmill::solve::batch
