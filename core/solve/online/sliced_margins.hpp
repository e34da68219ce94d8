// SPDX-License-Identifier: BSD-3-Clause
// Kernel slicing (Yoshinaga and Kitsuregawa 2010; docs/formulas.md B2, B3). A margin is a sum of slices, one per
// feature of x from the most frequent to the rarest; a slice is what the feature adds to those before it. Each slice is
// found
//
//   - by expansion: the weights of the conjunctions that end in the feature, if it is one of the `expanded` first
//   ranks;
//   - or by the kernel: the steps whose rows have the feature, compared with x; of those only the ones taken since the
//     same features were last seen, if slices are reused.
//
// The paper's methods are settings of this one: see `SliceOptions`.
#pragma once
#include <limits>
#include <memory>
#include <optional>

#include "solve/online/conjunction_trie.hpp"

namespace gristmill::solve::online {

struct SliceOptions {
  std::size_t expanded = std::numeric_limits<std::size_t>::max();  // N: ranks below it are expanded
  bool choose = false;                   // for expanded features, whichever way touches less (B2 (7))
  bool reuse = false;                    // slices of prefixes seen before (B2 (6))
  bool terminate = false;                // stop when a step is certain not to be needed (B2 (8), (9)); with one output
  std::optional<std::size_t> max_bytes;  // of the expansion: `expanded` is halved when it is reached
};

// Whether the kernel touches no more than the expansion for the slice of a feature with `before` others before it, when
// so many steps have it (B2 (7)).
[[nodiscard]] bool kernel_is_shorter(std::size_t before, std::size_t steps, unsigned degree);

template <class Number>
class SlicedMargins final : public Margins<Number> {
 public:
  SlicedMargins(const kernel::PolynomialKernel& kernel, std::size_t outputs, const SliceOptions& options,
                const Rule<Number>& rule);

  bool scores(const Example& x, Sign sign, const SupportLog<Number>& log, std::span<Number> out) override;
  void add(const SupportLog<Number>& log) override;
  [[nodiscard]] std::size_t nbytes() const override;

  [[nodiscard]] std::uint64_t postings_read() const override { return postings_read_; }
  [[nodiscard]] std::size_t expansion_nbytes() const noexcept { return trie_.nbytes(); }
  [[nodiscard]] std::size_t expanded() const noexcept { return options_.expanded; }

  // What is remembered of the slice of the last of these features: as it was when so many steps with that feature had
  // been taken in.
  struct Remembered {
    std::size_t steps;
    std::span<const Number> slice;
  };
  [[nodiscard]] std::optional<Remembered> remembered(std::span<const rows::Rank> ranks) const;

  // With one output: the coefficients of the steps that have a feature, those above zero and those below.
  struct Sums {
    Number positive{0};
    Number negative{0};
  };
  [[nodiscard]] Sums sums(rows::Rank rank) const { return rank < features_.size() ? features_[rank].sums : Sums{}; }

 private:
  // A step whose row has the feature, and where in the row it stands.
  struct Posting {
    std::uint32_t step;
    std::uint32_t at;
  };
  // The steps that have a feature, and what bounds on its slices need.
  struct Feature {
    std::vector<Posting> postings;
    Sums sums;
    std::uint32_t more_frequent = 0;  // the most features before it in a row
    std::uint32_t expanded = 0;       // postings whose conjunctions with it as the rarest one are in the trie
  };
  // A slice as it was when so many postings of its last feature had been taken in.
  struct Memory {
    std::vector<std::uint32_t> seen;  // by node of the tree of prefixes
    std::vector<Number> slices;       // nodes x outputs
  };

  void make_room(std::span<const rows::Rank> ranks);
  void bound_rest(std::span<const rows::Rank> ranks, Sign sign);
  EdgeMap::Node add_slice(EdgeMap::Node before, std::span<const rows::Rank> ranks, const SupportLog<Number>& log,
                          std::span<Number> out);
  void add_postings(std::span<const Posting> postings, const SupportLog<Number>& log, std::span<Number> slice);
  [[nodiscard]] bool by_kernel(rows::Rank rank, std::size_t before, std::size_t postings) const;
  bool expand(rows::Rank rank, const SupportLog<Number>& log);
  void shrink(const SupportLog<Number>& log);

  kernel::PolynomialKernel kernel_;
  std::size_t outputs_;
  SliceOptions options_;
  Rule<Number> rule_;
  std::vector<Number> values_;  // of the kernel, by overlap
  ConjunctionTrie<Number> trie_;
  std::vector<Feature> features_;
  std::vector<Number> total_;
  EdgeMap prefixes_;
  Memory memory_;
  std::vector<std::uint8_t> marks_;  // by rank: x has it, among the features already passed
  std::vector<Number> rest_;         // at least this much of the wanted sign comes from here on
  std::vector<Number> slice_;
  std::size_t posting_count_ = 0;
  std::uint64_t postings_read_ = 0;
};

}  // namespace gristmill::solve::online
