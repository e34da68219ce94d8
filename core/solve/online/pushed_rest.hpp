// SPDX-License-Identifier: BSD-3-Clause
// One number per example and output, kept up to date by pushing: a step changes those of the examples that share one of
// its rarer features, and of no others. Pushes to different examples may run at once.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "solve/online/coloured_records.hpp"
#include "solve/online/margins.hpp"

namespace gristmill::solve::online {

template <class Number>
class PushedRest {
 public:
  PushedRest() = default;
  // examples: outlive this. No row of a step has more features than `longest`, or one from `features` on.
  PushedRest(const kernel::PolynomialKernel& kernel, const RankRows& examples, std::size_t longest,
             std::size_t features, std::size_t outputs, std::size_t threads);

  [[nodiscard]] const Postings& postings() const noexcept { return postings_; }
  [[nodiscard]] std::span<Number> of(std::size_t example) {
    return std::span(rest_).subspan(example * outputs_, outputs_);
  }

  [[nodiscard]] std::vector<Number> all() const { return {rest_.begin(), rest_.end()}; }
  void restore(std::span<const Number> all) { std::ranges::copy(all, rest_.begin()); }

  // Examples from `begin` to `end`.
  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  // Everything that a step is worth to examples in a range, except for the conjunctions of the first `dense` features
  // of its row alone.
  void push(const Step<Number>& step, std::span<const rows::Rank> ranks, std::size_t dense, Range range,
            std::size_t worker);

  // Adds all that a step is worth to these examples to their scores, examples x outputs.
  void add_kernel(const Step<Number>& step, std::span<const rows::Rank> ranks, std::span<const RowId> examples,
                  std::span<Number> scores);

  [[nodiscard]] std::uint64_t postings_read() const noexcept {
    std::uint64_t all = 0;
    for (const Comparison& row : comparisons_) all += row.postings_read;
    return all;
  }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return postings_.nbytes() + rest_.size() * sizeof(Number) + records_.nbytes();
  }

 private:
  static constexpr std::size_t batch = 256;  // examples at once

  // What examples are compared with, and how many of its features they have.
  struct Comparison {
    ColouredRecords::Probe probe;
    std::vector<rows::Rank> colourless;
    std::array<std::uint32_t, batch> overlaps;
    std::uint64_t postings_read = 0;
  };

  [[nodiscard]] std::span<const RowId> postings_in(rows::Rank rank, Range range) const;
  void insert(rows::Rank rank, Comparison& row) const;
  void compare(std::span<const RowId> examples, Comparison& row) const;

  const RankRows* examples_ = nullptr;
  std::size_t outputs_ = 1;
  std::vector<Number> values_;             // of the kernel, by overlap
  std::vector<Number> kernel_increments_;  // k(m + 1) - k(m)
  Postings postings_;
  ColouredRecords records_;
  LargeVector<Number> rest_;             // examples x outputs
  std::vector<Comparison> comparisons_;  // by worker
};

}  // namespace gristmill::solve::online
