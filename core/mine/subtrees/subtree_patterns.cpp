// SPDX-License-Identifier: BSD-3-Clause
#include "mine/subtrees/subtree_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <stdexcept>

#include "base/parallel.hpp"
#include "mine/subtrees/fragment_search.hpp"

namespace gristmill {
namespace {

struct LessWork {
  bool operator()(const FragmentTask& a, const FragmentTask& b) const {
    return a.occurrences.size() < b.occurrences.size();
  }
};

// The searches of all threads.
class Miners {
 public:
  Miners(const Mine& mine, std::size_t threads) : mine_(mine), threads_(threads) {
    for (std::size_t worker = 0; worker < threads; ++worker) searches_.emplace_back(mine, worker);
  }

  void run(bool precheck) {
    std::vector<FragmentTask> tasks = FragmentSearch::roots(mine_);
    if (threads_ > 1) tasks = cut(std::move(tasks), precheck);
    parallel_for(tasks.size(), 1, threads_, mine_.stop, [&](std::size_t begin, std::size_t end, std::size_t worker) {
      for (std::size_t at = begin; at < end; ++at) {
        searches_[worker].run(tasks[at], precheck);
        tasks[at] = {};
      }
    });
  }

  // Fragments of one node, where symbols are productions.
  void note_single_nodes(const SubtreeIndex& index) {
    std::vector<std::vector<Occurrence>> of_label(index.labels());
    for (TreeNode node = 0; node < mine_.trees.size(); ++node) of_label[mine_.trees.label(node)].push_back({node, 1});
    for (LabelId label = 0; label < of_label.size(); ++label) {
      const std::vector<Occurrence>& found = of_label[label];
      if (mine_.needs_mark && !index.is_marked(label)) continue;
      if (mine_.trees[found.front().node].tree != mine_.trees[found.back().node].tree) note_single_node(found);
    }
  }

  // How many fragments were looked at.
  std::size_t finish() {
    std::size_t searched = 0;
    for (FragmentSearch& search : searches_) {
      search.hand_in();
      searched += search.searched();
    }
    return searched;
  }

 private:
  static constexpr std::size_t tasks_per_thread = 64;

  // Into tasks that can be shared out, the largest first: those that look like most work are split.
  [[nodiscard]] std::vector<FragmentTask> cut(std::vector<FragmentTask> roots, bool precheck) {
    std::priority_queue<FragmentTask, std::vector<FragmentTask>, LessWork> open(LessWork{}, std::move(roots));
    std::size_t room = tasks_per_thread * threads_;
    while (!open.empty() && open.size() < tasks_per_thread * threads_ && room-- > 0) {
      const FragmentTask largest = open.top();
      open.pop();
      for (FragmentTask& task : searches_[0].split(largest, precheck)) open.push(std::move(task));
    }
    std::vector<FragmentTask> tasks;
    for (; !open.empty(); open.pop()) tasks.push_back(open.top());
    return tasks;
  }

  void note_single_node(std::span<const Occurrence> found) {
    const MiningOptions& options = mine_.options;
    if (options.rules.size_limit && options.max_size <= 1) return searches_[0].condemn(found);
    searches_[0].note(found, 0);
  }

  const Mine& mine_;
  std::size_t threads_;
  std::vector<FragmentSearch> searches_;
};

void check(const TreeKernel& kernel, const MiningOptions& options) {
  if (!supports_mining(kernel))
    throw std::invalid_argument("only K_lo and K_c, with marks or without, can be converted");
  if (options.max_size == 0) throw std::invalid_argument("max_size must be 1 or more");
  if (!(options.max_embeddings > 0)) throw std::invalid_argument("max_embeddings must be above 0");
}

}  // namespace

SubtreePatterns::SubtreePatterns(const TreeKernel& kernel, const SubtreeIndex& index, const MiningOptions& options,
                                 std::size_t threads, Observer& observer)
    : kernel_(kernel), malicious_(std::make_unique<PairSet>(index.trees())) {
  check(kernel, options);
  const MinedTrees trees(kernel, index);
  Budget budget(options.max_bytes, "the subtrees that trees share",
                "; lower max_size, or compare the trees without a conversion (convert=False)");
  budget.take(malicious_->nbytes());
  PatternTable table(options.compress, budget);
  Stop stop(observer);
  const Mine mine{trees, options, kernel.marked, *malicious_, table, budget, stop};
  Miners miners(mine, std::max<std::size_t>(threads, 1));
  if (options.rules.precheck) miners.run(true);
  miners.run(false);
  if (kernel.single_nodes != 0) miners.note_single_nodes(index);
  searched_ = miners.finish();
  collect(table, threads, stop);
}

// Patterns of malicious pairs alone say nothing. The others are put down shard by shard, so that their order depends on
// nothing but themselves.
void SubtreePatterns::collect(PatternTable& table, std::size_t threads, Observer& observer) {
  struct Part {
    std::vector<std::size_t> starts{0};
    std::vector<std::uint32_t> words;
    std::vector<std::uint32_t> polynomial_of;
    SequenceTable<std::uint32_t> polynomials;
    std::size_t entries = 0;
    std::size_t features = 0;
  };
  std::vector<Part> parts(PatternTable::shards);
  parallel_for(parts.size(), 1, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t) {
    std::vector<std::uint32_t> trees;
    std::vector<std::uint32_t> polynomial;
    for (std::size_t shard = begin; shard < end; ++shard) {
      Part& part = parts[shard];
      table.for_each(shard, [&](std::span<const std::uint32_t> words, std::span<const PatternTable::Share> shares) {
        trees.clear();
        pattern_words::for_each(words, [&](std::uint32_t tree, std::uint32_t) { trees.push_back(tree); });
        if (malicious_->contains_all(trees)) return;
        polynomial.clear();
        for (const PatternTable::Share& share : shares) {
          polynomial.insert(polynomial.end(), {share.size, share.fragments});
          part.features += share.fragments;
        }
        part.words.insert(part.words.end(), words.begin(), words.end());
        part.starts.push_back(part.words.size());
        part.polynomial_of.push_back(part.polynomials.intern(polynomial));
        part.entries += trees.size();
      });
      table.clear(shard);
    }
  });
  for (Part& part : parts) {
    const std::size_t shift = words_.size();
    words_.insert(words_.end(), part.words.begin(), part.words.end());
    for (std::size_t at = 1; at < part.starts.size(); ++at) starts_.push_back(shift + part.starts[at]);
    for (const std::uint32_t id : part.polynomial_of)
      polynomial_of_.push_back(polynomials_.intern(part.polynomials[id]));
    entries_ += part.entries;
    features_ += part.features;
    part = {};
  }
}

std::vector<double> SubtreePatterns::weights(double decay) const {
  std::vector<double> values(polynomials_.size(), 0);
  for (std::uint32_t id = 0; id < values.size(); ++id) {
    const std::span<const std::uint32_t> terms = polynomials_[id];
    for (std::size_t at = 0; at < terms.size(); at += 2) values[id] += std::pow(decay, terms[at]) * terms[at + 1];
  }
  std::vector<double> weights;
  weights.reserve(size());
  for (const std::uint32_t id : polynomial_of_) weights.push_back(values[id]);
  return weights;
}

std::size_t SubtreePatterns::nbytes() const noexcept {
  return starts_.size() * sizeof(std::size_t) + polynomials_.nbytes() + malicious_->nbytes() +
         (words_.size() + polynomial_of_.size()) * sizeof(std::uint32_t);
}

}  // namespace gristmill
