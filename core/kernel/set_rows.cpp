// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/set_rows.hpp"

#include "base/parallel.hpp"

namespace gristmill::kernel {

SetRows::SetRows(SetKernel kernel, rows::Rows rows) : index_(rows), values_(std::move(kernel), rows) {}

void SetRows::fill_row(rows::Row x, std::span<double> out, rows::OverlapIndex::Query& query,
                       rows::OverlapIndex::Counters& counters) const {
  index_.look_up(x, query);
  std::visit(
      [&](auto& counts) {
        index_.count(query, counts);
        values_.with(x.size(), [&](auto value) {
          for (std::size_t row = 0; row < out.size(); ++row) out[row] = value(row, counts[row]);
        });
        std::ranges::fill(counts, 0);
      },
      counters);
}

void SetRows::fill(rows::Rows queries, std::span<double> out, std::size_t threads, Observer& observer) const {
  constexpr std::size_t grain = 16;
  struct Scratch {
    rows::OverlapIndex::Query query;
    rows::OverlapIndex::Counters counters;
  };
  std::vector<Scratch> scratch(threads_for(queries.size(), grain, threads), {{}, index_.make_counters()});
  parallel_for(queries.size(), grain, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    for (std::size_t row = begin; row < end; ++row) {
      fill_row(queries[row], out.subspan(row * size(), size()), scratch[worker].query, scratch[worker].counters);
    }
  });
}

}  // namespace gristmill::kernel
