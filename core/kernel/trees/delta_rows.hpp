// SPDX-License-Identifier: BSD-3-Clause
// TreeRows by Delta vectors, for any family.
#pragma once
#include <algorithm>
#include <memory>
#include <utility>

#include "base/parallel.hpp"
#include "base/pool.hpp"
#include "base/stop.hpp"
#include "kernel/trees/delta_cache.hpp"
#include "kernel/trees/finish_row.hpp"
#include "kernel/trees/symmetric_block.hpp"
#include "kernel/trees/tree_constants.hpp"
#include "kernel/trees/tree_rows.hpp"

namespace gristmill::kernel::trees {

template <class Deltas>
class DeltaRows final : public TreeRows {
 public:
  DeltaRows(const TreeKernel& kernel, std::shared_ptr<const forest::SubtreeIndex> index, std::size_t max_bytes)
      : index_(std::move(index)),
        own_(*index_),
        constants_(kernel, *index_),
        deltas_(kernel, *index_),
        max_bytes_(Deltas::worth_keeping ? max_bytes : 0) {
    for (const auto& production : index_->productions()) {
      all_.push_back(static_cast<std::uint32_t>(production.size()));
    }
    for (forest::SubtreeRank rank = 0; rank < index_->size(); ++rank) {
      const std::span<const forest::SubtreeIndex::Posting> postings = index_->postings(rank);
      first_.push_back({postings[0].tree, postings.size() == 1 ? static_cast<double>(postings[0].count) : many});
    }
  }

  [[nodiscard]] const forest::SubtreeIndex& index() const noexcept override { return *index_; }
  [[nodiscard]] std::size_t nbytes() const noexcept override {
    return index_->nbytes() + constants_.nbytes() + deltas_.nbytes() + first_.size() * sizeof(First);
  }

  void fill(const forest::TreeQueries& queries, std::span<const double> query_scales,
            std::span<const double> tree_scales, std::span<double> out, std::size_t threads,
            Observer& observer) const override {
    run(&queries, queries.set().trees(), 1, threads, observer, [&](std::size_t query, std::size_t, Worker& worker) {
      const std::span<double> row = out.subspan(query * size(), size());
      fill_row(queries, query, row, all_, worker);
      finish_row(query, row, query_scales, tree_scales);
    });
  }

  void fill_own(std::span<const std::uint32_t> numbers, std::span<const double> scales, std::span<double> out,
                std::size_t threads, Observer& observer) const override {
    run(&own_, numbers.size(), 1, threads, observer, [&](std::size_t at, std::size_t, Worker& worker) {
      const std::span<double> row = out.subspan(at * size(), size());
      fill_row(own_, numbers[at], row, all_, worker);
      finish_row(numbers[at], row, scales, scales);
    });
  }

  void fill_lower(std::size_t begin, std::size_t end, std::span<const double> scales, std::span<double> out,
                  std::size_t threads, Observer& observer) const override {
    run(nullptr, end - begin, 1, threads, observer, [&](std::size_t at, std::size_t, Worker& worker) {
      fill_lower_row(begin + at, scales, out.subspan(at * size(), begin + at + 1), worker);
    });
  }

  void fill_symmetric(std::span<const double> scales, std::span<double> out, std::size_t threads,
                      Observer& observer) const override {
    const std::size_t grain = std::clamp<std::size_t>(size() / 64, 1, 64);  // rows that stay in the cache
    run(nullptr, size(), grain, threads, observer, [&](std::size_t tree, std::size_t last, Worker& worker) {
      const std::size_t first = tree / grain * grain;
      worker.block.resize(grain * size());
      const std::span<double> rows(worker.block);
      fill_lower_row(tree, scales, rows.subspan((tree - first) * size(), tree + 1), worker);
      if (tree == last) write_symmetric(rows, first, last + 1, out, size());
    });
  }

 private:
  static constexpr double many = 0;

  // The tree that has a subtree, and how often: most subtrees are in no other.
  struct First {
    std::uint32_t tree;
    double count;  // or many
  };

  struct Worker {
    explicit Worker(const DeltaRows& rows) : cache(rows.deltas_), known(rows.all_.size(), 0) {}

    // What was kept serves the same queries again.
    void start(const forest::TreeQueries* queries, std::size_t max_bytes) {
      if (queries != served) cache.forget();
      cache.limit(max_bytes);
      served = queries;
      std::ranges::fill(known, 0U);
      met = 0;
    }

    // Before the queries go.
    void finish() {
      cache.forget();
      served = nullptr;
    }

    DeltaCache<Deltas> cache;
    std::vector<std::uint32_t> known;  // per production, how many subtrees the trees met so far have
    std::size_t met = 0;               // trees
    TreeConstants::Scratch counts;
    std::vector<double> block;  // of rows
    Pulse* pulse = nullptr;     // of the piece at hand
    const forest::TreeQueries* served = nullptr;
  };

  // row(at, last of the piece, worker). Delta is remembered from row to row for one set of queries, if any: where rows
  // grow it would have to be extended every time, which takes longer than to start anew.
  template <class Row>
  void run(const forest::TreeQueries* kept_for, std::size_t n, std::size_t grain, std::size_t threads,
           Observer& observer, Row row) const {
    Stop stop(observer);
    std::vector<std::unique_ptr<Worker>> workers(threads_for(n, grain, threads));
    for (std::unique_ptr<Worker>& worker : workers) {
      worker = pool_.take([&] { return std::make_unique<Worker>(*this); });
      worker->start(kept_for, kept_for == nullptr ? 0 : max_bytes_);
    }
    parallel_for(n, grain, threads, stop, [&](std::size_t from, std::size_t to, std::size_t number) {
      Pulse pulse(stop, number);
      workers[number]->pulse = &pulse;
      for (std::size_t at = from; at < to; ++at) row(at, to - 1, *workers[number]);
    });
    for (std::unique_ptr<Worker>& worker : workers) {
      if (kept_for != &own_) worker->finish();
      pool_.give_back(std::move(worker));
    }
  }

  void fill_lower_row(std::size_t tree, std::span<const double> scales, std::span<double> row, Worker& worker) const {
    meet(tree, worker);
    fill_row(own_, tree, row, worker.known, worker);
    finish_row(tree, row, scales, scales);
  }

  void meet(std::size_t tree, Worker& worker) const {
    const forest::TreeSet& set = index_->set();
    for (std::size_t id = set.arrived(worker.met); id < set.arrived(tree + 1); ++id) {
      ++worker.known[index_->production(static_cast<forest::SubtreeId>(id))];
    }
    worker.met = tree + 1;
  }

  void fill_row(const forest::TreeQueries& queries, std::size_t query, std::span<double> row,
                std::span<const std::uint32_t> known, Worker& worker) const {
    constants_.fill(queries, query, row, worker.counts);
    worker.cache.run(queries, query, known, *worker.pulse,
                     [&](forest::SubtreeId v, std::uint32_t count, const typename Deltas::Vector& vector) {
                       deltas_.visit(
                           queries, v, vector, worker.cache.scratch(),
                           [&](forest::SubtreeRank rank, double above) { scatter(rank, count * above, row); });
                     });
  }

  void scatter(forest::SubtreeRank rank, double weight, std::span<double> row) const {
    const First first = first_[rank];
    if (first.count != many) {
      row[first.tree] += weight * first.count;
      return;
    }
    for (const forest::SubtreeIndex::Posting& posting : index_->postings(rank)) {
      if (posting.tree >= row.size()) return;
      row[posting.tree] += weight * posting.count;
    }
  }

  std::shared_ptr<const forest::SubtreeIndex> index_;
  forest::TreeQueries own_;  // the trees of the index
  TreeConstants constants_;
  Deltas deltas_;
  std::size_t max_bytes_;
  std::vector<First> first_;
  std::vector<std::uint32_t> all_;  // subtrees of every production
  mutable Pool<Worker> pool_;
};

}  // namespace gristmill::kernel::trees
