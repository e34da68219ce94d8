// SPDX-License-Identifier: BSD-3-Clause
// TreeRows by Delta vectors, for any family.
#pragma once
#include <optional>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "kernel/delta_cache.hpp"
#include "kernel/finish_row.hpp"
#include "kernel/tree_constants.hpp"
#include "kernel/tree_rows.hpp"

namespace gristmill {

template <class Deltas>
class DeltaRows final : public TreeRows {
 public:
  DeltaRows(const TreeKernel& kernel, std::shared_ptr<const SubtreeIndex> index, std::size_t max_bytes)
      : index_(std::move(index)), constants_(kernel, *index_), deltas_(kernel, *index_), max_bytes_(max_bytes) {
    for (const auto& production : index_->productions()) {
      all_.push_back(static_cast<std::uint32_t>(production.size()));
    }
    for (Rank rank = 0; rank < index_->size(); ++rank) {
      const std::span<const SubtreeIndex::Posting> postings = index_->postings(rank);
      first_.push_back({postings[0].tree, postings.size() == 1 ? static_cast<double>(postings[0].count) : many});
    }
  }

  [[nodiscard]] const SubtreeIndex& index() const noexcept override { return *index_; }
  [[nodiscard]] std::size_t nbytes() const noexcept override {
    return index_->nbytes() + constants_.nbytes() + deltas_.nbytes() + first_.size() * sizeof(First);
  }

  void fill(const TreeQueries& queries, std::span<const double> query_scales, std::span<const double> tree_scales,
            std::span<double> out, std::size_t threads, Observer& observer) const override {
    run(queries, 0, queries.set().trees(), threads, observer, [&](std::size_t query, Worker& worker) {
      const std::span<double> row = out.subspan(query * size(), size());
      fill_row(queries, query, row, all_, worker);
      finish_row(query, row, query_scales, tree_scales);
    });
  }

  void fill_lower(std::size_t begin, std::size_t end, std::span<const double> scales, std::span<double> out,
                  std::size_t threads, Observer& observer) const override {
    const TreeQueries queries(*index_);
    run(queries, begin, end, threads, observer, [&](std::size_t tree, Worker& worker) {
      const std::span<double> row = out.subspan((tree - begin) * size(), tree + 1);
      meet(tree, worker);
      fill_row(queries, tree, row, worker.known, worker);
      finish_row(tree, row, scales, scales);
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
    Worker(const DeltaRows& rows, const TreeQueries& queries, Stop& stopper, std::size_t id)
        : cache(rows.deltas_, queries, rows.max_bytes_), known(rows.all_.size(), 0), stop(stopper), number(id) {}

    DeltaCache<Deltas> cache;
    std::vector<std::uint32_t> known;  // per production, how many subtrees the trees met so far have
    std::size_t met = 0;               // trees
    TreeConstants::Scratch counts;
    Stop& stop;
    std::size_t number;
  };

  template <class Row>
  void run(const TreeQueries& queries, std::size_t begin, std::size_t end, std::size_t threads, Observer& observer,
           Row row) const {
    constexpr std::size_t grain = 1;
    Stop stop(observer);
    std::vector<std::optional<Worker>> workers(threads_for(end - begin, grain, threads));
    parallel_for(end - begin, grain, threads, stop, [&](std::size_t from, std::size_t to, std::size_t number) {
      if (!workers[number]) workers[number].emplace(*this, queries, stop, number);
      for (std::size_t at = from; at < to; ++at) row(begin + at, *workers[number]);
    });
  }

  void meet(std::size_t tree, Worker& worker) const {
    const TreeSet& set = index_->set();
    for (std::size_t id = set.arrived(worker.met); id < set.arrived(tree + 1); ++id) {
      ++worker.known[index_->production(static_cast<SubtreeId>(id))];
    }
    worker.met = tree + 1;
  }

  void fill_row(const TreeQueries& queries, std::size_t query, std::span<double> row,
                std::span<const std::uint32_t> known, Worker& worker) const {
    constants_.fill(queries, query, row, worker.counts);
    worker.cache.run(
        query, known,
        [&](SubtreeId v, std::uint32_t count, const typename Deltas::Vector& vector) {
          deltas_.visit(queries, v, vector, worker.cache.scratch(),
                        [&](Rank rank, double above) { scatter(rank, count * above, row); });
        },
        [&](std::size_t steps) { worker.stop.poll(worker.number, steps); });
  }

  void scatter(Rank rank, double weight, std::span<double> row) const {
    const First first = first_[rank];
    if (first.count != many) {
      row[first.tree] += weight * first.count;
      return;
    }
    for (const SubtreeIndex::Posting& posting : index_->postings(rank)) {
      if (posting.tree >= row.size()) return;
      row[posting.tree] += weight * posting.count;
    }
  }

  std::shared_ptr<const SubtreeIndex> index_;
  TreeConstants constants_;
  Deltas deltas_;
  std::size_t max_bytes_;
  std::vector<First> first_;
  std::vector<std::uint32_t> all_;  // subtrees of every production
};

}  // namespace gristmill
