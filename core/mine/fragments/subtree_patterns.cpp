// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/subtree_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <stdexcept>

#include "base/parallel.hpp"
#include "mine/fragments/fragment_search.hpp"
#include "mine/fragments/state_search.hpp"

namespace gristmill::mine::fragments {
namespace {

// The searches of all threads.
class Miners {
 public:
  Miners(const MiningTask& task, PairSet& malicious, PatternTable& patterns, std::size_t threads)
      : task_(task), threads_(threads) {
    for (std::size_t worker = 0; worker < threads; ++worker) {
      notes_.emplace_back(task, malicious, patterns, worker);
      fragments_.emplace_back(task, notes_[worker], worker);
      states_.emplace_back(task, notes_[worker], worker);
    }
  }

  void run() {
    if (StateSearch::suits(task_.options)) {
      share(parts(false), [&](const Placed& root, std::size_t worker) { states_[worker].run(root); });
    } else {
      if (task_.options.rules.precheck) search(true);
      search(false);
    }
  }

  // Fragments of one node, where symbols are productions.
  void note_single_nodes(const forest::SubtreeIndex& index) {
    std::vector<std::vector<Occurrence>> of_label(index.labels());
    for (TreeNode node = 0; node < task_.trees.size(); ++node) of_label[task_.trees.label(node)].push_back({node, 1});
    for (forest::LabelId label = 0; label < of_label.size(); ++label) {
      const std::vector<Occurrence>& found = of_label[label];
      if (task_.needs_mark && !index.is_marked(label)) continue;
      if (task_.trees.tree(found.front().node) != task_.trees.tree(found.back().node)) note_single_node(found);
    }
  }

  // How many fragments, or states of them, were looked at.
  std::size_t finish() {
    std::size_t searched = 0;
    for (FragmentNotes& notes : notes_) notes.hand_in();
    for (const FragmentSearch& search : fragments_) searched += search.searched();
    for (const StateSearch& search : states_) searched += search.searched();
    return searched;
  }

 private:
  static constexpr std::size_t parts_per_thread = 64;

  void search(bool precheck) {
    share(parts(precheck), [&](const Placed& root, std::size_t worker) { fragments_[worker].run(root, precheck); });
  }

  [[nodiscard]] std::vector<Placed> parts(bool precheck) {
    std::vector<Placed> roots = Growth::roots(task_);
    return threads_ > 1 ? cut(std::move(roots), precheck) : roots;
  }

  template <class Search>
  void share(std::vector<Placed> roots, Search search) {
    parallel_for(roots.size(), 1, threads_, task_.stop, [&](std::size_t begin, std::size_t end, std::size_t worker) {
      for (std::size_t at = begin; at < end; ++at) {
        search(roots[at], worker);
        roots[at] = {};
      }
    });
  }

  static bool is_less(const Placed& a, const Placed& b) { return a.occurrences.size() < b.occurrences.size(); }

  // Into parts that can be shared out: those that look like most work are split.
  [[nodiscard]] std::vector<Placed> cut(std::vector<Placed> roots, bool precheck) {
    std::priority_queue open(&is_less, std::move(roots));
    std::size_t room = parts_per_thread * threads_;
    while (!open.empty() && open.size() < parts_per_thread * threads_ && room-- > 0) {
      const Placed largest = open.top();
      open.pop();
      for (Placed& part : fragments_[0].split(largest, precheck)) open.push(std::move(part));
    }
    std::vector<Placed> parts;
    for (; !open.empty(); open.pop()) parts.push_back(open.top());
    return parts;
  }

  void note_single_node(std::span<const Occurrence> found) {
    const bool fails =
        is_too_large(task_.options, {0, 1, 0, false}) || is_too_rare(task_.options, notes_[0].trees_of(found).size());
    if (fails) return notes_[0].condemn(found);
    const PatternTable::Share itself{0, 1};
    notes_[0].note(found, {&itself, 1});
  }

  const MiningTask& task_;
  std::size_t threads_;
  std::deque<FragmentNotes> notes_;  // searches refer to them
  std::deque<FragmentSearch> fragments_;
  std::deque<StateSearch> states_;
};

void check(const kernel::trees::TreeKernel& kernel, const MiningOptions& options) {
  if (!supports_mining(kernel))
    throw std::invalid_argument("only K_lo and K_c, with marks or without, can be converted");
  if (options.max_size == 0) throw std::invalid_argument("max_size must be 1 or more");
  if (options.min_support < 2) throw std::invalid_argument("min_support must be 2 or more");
  if (!(options.max_embeddings > 0)) throw std::invalid_argument("max_embeddings must be above 0");
}

}  // namespace

SubtreePatterns::SubtreePatterns(const kernel::trees::TreeKernel& kernel, const forest::SubtreeIndex& index,
                                 const MiningOptions& options, std::size_t threads, Observer& observer)
    : kernel_(kernel), malicious_(std::make_unique<PairSet>(index.trees())) {
  check(kernel, options);
  const MinedTrees trees(kernel, index);
  MemoryBudget budget(options.max_bytes, "the subtrees that trees share",
                      "; lower max_size, or compare the trees without a conversion (convert=False)");
  budget.take(malicious_->nbytes());
  PatternTable table(options.compress, budget);
  Scaled part(observer, 0, 900, 1000);
  Stop stop(part);
  const MiningTask task{trees, options, kernel.marked, budget, stop};
  Miners miners(task, *malicious_, table, std::max<std::size_t>(threads, 1));
  miners.run();
  if (kernel.single_nodes != 0) miners.note_single_nodes(index);
  searched_ = miners.finish();
  part.set_part(900, 1000);
  collect(table, threads, stop);
}

// Patterns of malicious pairs alone say nothing. The others are put down shard by shard, so that their order depends on
// nothing but themselves.
void SubtreePatterns::collect(PatternTable& table, std::size_t threads, Observer& observer) {
  struct Part {
    Lists<std::uint32_t> words;
    std::vector<std::uint32_t> polynomial_of;
    SequenceTable<double> polynomials;
    std::size_t entries = 0;
    double features = 0;
  };
  std::vector<Part> parts(PatternTable::shards);
  parallel_for(parts.size(), 1, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t) {
    std::vector<std::uint32_t> trees;
    std::vector<double> polynomial;
    for (std::size_t shard = begin; shard < end; ++shard) {
      Part& part = parts[shard];
      table.for_each(shard, [&](std::span<const std::uint32_t> words, std::span<const PatternTable::Share> shares) {
        trees.clear();
        pattern_words::for_each(words, [&](std::uint32_t tree, std::uint32_t) { trees.push_back(tree); });
        if (malicious_->contains_all(trees)) return;
        polynomial.clear();
        for (const PatternTable::Share& share : shares) {
          polynomial.insert(polynomial.end(), {static_cast<double>(share.size), share.fragments});
          part.features += share.fragments;
        }
        part.words.add(words);
        part.polynomial_of.push_back(part.polynomials.intern(polynomial));
        part.entries += trees.size();
      });
      table.clear(shard);
    }
  });
  for (Part& part : parts) {
    words_.append(part.words);
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
    const std::span<const double> terms = polynomials_[id];
    for (std::size_t at = 0; at < terms.size(); at += 2) values[id] += std::pow(decay, terms[at]) * terms[at + 1];
  }
  std::vector<double> weights;
  weights.reserve(size());
  for (const std::uint32_t id : polynomial_of_) weights.push_back(values[id]);
  return weights;
}

std::size_t SubtreePatterns::nbytes() const noexcept {
  return words_.nbytes() + polynomials_.nbytes() + malicious_->nbytes() + polynomial_of_.size() * sizeof(std::uint32_t);
}

}  // namespace gristmill::mine::fragments
