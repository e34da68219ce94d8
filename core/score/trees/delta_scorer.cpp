// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/parallel.hpp"
#include "base/pool.hpp"
#include "base/stop.hpp"
#include "forest/tree_queries.hpp"
#include "kernel/trees/delta_cache.hpp"
#include "kernel/trees/deltas_of.hpp"
#include "kernel/trees/finish_row.hpp"
#include "kernel/trees/tree_constants.hpp"
#include "score/trees/scorer.hpp"

namespace gristmill::score::trees {
namespace {

constexpr std::size_t cache_bytes = std::size_t{64} << 20U;  // a thread's memory of Delta
constexpr std::size_t grain = 64;  // trees handed to a thread at once: neighbours may share subtrees

template <class Deltas>
class DeltaScorer final : public ForestScorer {
 public:
  explicit DeltaScorer(const ForestMachine& machine)
      : index_(std::make_unique<forest::SubtreeIndex>(machine.forest, machine.roots)),
        deltas_(machine.kernel, *index_),
        outputs_(machine.outputs),
        knows_equals_(machine.kernel.knows_equals()) {
    fold(machine.coef);
    fold_constants(kernel::trees::TreeConstants(machine.kernel, *index_));
    for (const auto& production : index_->productions()) {
      known_.push_back(static_cast<std::uint32_t>(production.size()));
    }
  }

  [[nodiscard]] std::size_t outputs() const noexcept override { return outputs_; }
  [[nodiscard]] std::size_t nbytes() const noexcept override {
    return index_->nbytes() + deltas_.nbytes() +
           (weights_.size() + by_production_.size() + by_label_.size() + by_inner_.size()) * sizeof(double);
  }

  [[nodiscard]] std::unique_ptr<Queries> prepare(const forest::Forest& forest,
                                                 std::span<const forest::NodeId> roots) const override {
    return std::make_unique<Prepared>(*index_, forest, roots, knows_equals_);
  }

  void score(const Queries& prepared, std::span<double> out, std::size_t threads, Observer& observer) const override {
    const forest::TreeQueries& queries = static_cast<const Prepared&>(prepared).queries;
    const std::size_t trees = queries.set().trees();
    Stop stop(observer);
    std::vector<std::unique_ptr<Worker>> workers(threads_for(trees, grain, threads));
    for (std::unique_ptr<Worker>& worker : workers) {
      worker = pool_.take([&] { return std::make_unique<Worker>(deltas_); });
      worker->start(queries.set().subtrees(), outputs_);
    }
    parallel_for(trees, grain, threads, stop, [&](std::size_t begin, std::size_t end, std::size_t number) {
      Pulse pulse(stop, number);
      for (std::size_t tree = begin; tree < end; ++tree) {
        const std::span<double> scores = out.subspan(tree * outputs_, outputs_);
        score_tree(queries, tree, scores, *workers[number], pulse);
        check_range(tree, scores);
      }
    });
    pool_.give_back(std::move(workers));
  }

 private:
  struct Prepared final : Queries {
    Prepared(const forest::SubtreeIndex& index, const forest::Forest& forest, std::span<const forest::NodeId> roots,
             bool find_known)
        : queries(index, forest, roots, find_known) {}
    forest::TreeQueries queries;
  };
  struct Worker {
    explicit Worker(const Deltas& deltas) : cache(deltas) { cache.limit(cache_bytes); }

    void start(std::size_t subtrees, std::size_t outputs) {
      cache.forget();
      known.assign(subtrees, false);
      contributions.assign(subtrees * outputs, 0.0);
    }

    kernel::trees::DeltaCache<Deltas> cache;
    std::vector<bool> known;            // per subtree of the queries: whether its contribution is
    std::vector<double> contributions;  // beyond the constant part
  };

  static void check_range(std::size_t tree, std::span<const double> scores) {
    if (std::ranges::all_of(scores, [](double score) { return std::isfinite(score); })) return;
    kernel::trees::fail_range(tree);
  }

  void fold(std::span<const double> coef) {
    weights_.assign(index_->size() * outputs_, 0.0);
    for (forest::SubtreeRank rank = 0; rank < index_->size(); ++rank) {
      for (const forest::SubtreeIndex::Posting& posting : index_->postings(rank)) {
        for (std::size_t output = 0; output < outputs_; ++output) {
          weights_[rank * outputs_ + output] += posting.count * coef[posting.tree * outputs_ + output];
        }
      }
    }
  }

  void fold_constants(const kernel::trees::TreeConstants& constants) {
    by_production_.assign(index_->productions().size() * outputs_, 0.0);
    by_label_.assign(index_->labels() * outputs_, 0.0);
    if (constants.tells_inner()) by_inner_.assign(by_label_.size(), 0.0);
    for (forest::ProductionId p = 0; p < index_->productions().size(); ++p) {
      const auto& production = index_->productions()[p];
      for (forest::SubtreeRank rank = production.begin; rank < production.end; ++rank) {
        for (std::size_t output = 0; output < outputs_; ++output) {
          const double weight = weights_[rank * outputs_ + output];
          by_production_[p * outputs_ + output] += constants.production_weight(p) * weight;
          by_label_[production.label * outputs_ + output] += constants.label_weight(production.label) * weight;
          if (by_inner_.empty() || production.is_leaf()) continue;
          by_inner_[production.label * outputs_ + output] += constants.inner_weight(production.label) * weight;
        }
      }
    }
  }

  void score_tree(const forest::TreeQueries& queries, std::size_t tree, std::span<double> out, Worker& worker,
                  Pulse& pulse) const {
    std::ranges::fill(out, 0.0);
    for (const forest::TreeSet::Part& part : queries.set().parts(tree)) {
      const forest::LabelId label = queries.label(part.subtree);
      const forest::ProductionId production = queries.production(part.subtree);
      if (label != forest::TreeQueries::none) {
        add(part.count, by_label_.data() + label * outputs_, out);
        const bool is_inner = !by_inner_.empty() && !queries.set().is_leaf(part.subtree);
        if (is_inner) add(part.count, by_inner_.data() + label * outputs_, out);
      }
      if (production != forest::TreeQueries::none) add(part.count, by_production_.data() + production * outputs_, out);
    }
    worker.cache.run(queries, tree, known_, pulse,
                     [&](forest::SubtreeId v, std::uint32_t count, const typename Deltas::Vector& vector) {
                       const std::span<double> contribution(worker.contributions.data() + v * outputs_, outputs_);
                       if (!worker.known[v]) contribute(queries, v, vector, worker, contribution);
                       add(count, contribution.data(), out);
                     });
  }

  void contribute(const forest::TreeQueries& queries, forest::SubtreeId v, const typename Deltas::Vector& vector,
                  Worker& worker, std::span<double> contribution) const {
    worker.known[v] = true;
    if (outputs_ == 1) {
      contribution[0] = deltas_.dot(queries, v, vector, worker.cache.scratch(), weights_);
      return;
    }
    deltas_.visit(queries, v, vector, worker.cache.scratch(), [&](forest::SubtreeRank rank, double above) {
      add(above, weights_.data() + rank * outputs_, contribution);
    });
  }

  static void add(double times, const double* weights, std::span<double> out) {
    for (std::size_t output = 0; output < out.size(); ++output) out[output] += times * weights[output];
  }

  std::unique_ptr<const forest::SubtreeIndex> index_;
  Deltas deltas_;
  std::size_t outputs_;
  bool knows_equals_;
  std::vector<double> weights_;        // by rank and output
  std::vector<double> by_production_;  // the constant part of a subtree's contribution
  std::vector<double> by_label_;
  std::vector<double> by_inner_;      // beyond that, of nodes with children; empty where terminals weigh like others
  std::vector<std::uint32_t> known_;  // subtrees of every production: all of them
  mutable Pool<Worker> pool_;
};

}  // namespace

std::unique_ptr<ForestScorer> make_delta_scorer(const ForestMachine& machine) {
  return kernel::trees::with_family(machine.kernel, [&]<class Family>(Family) -> std::unique_ptr<ForestScorer> {
    return std::make_unique<DeltaScorer<kernel::trees::DeltasOf<Family>>>(machine);
  });
}

}  // namespace gristmill::score::trees
