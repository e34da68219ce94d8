// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/pushed_margins.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gristmill::solve::online {
namespace {

constexpr double first_share = 0.1;  // of the examples are expected to need a step in the first pass
constexpr double fall = 0.6;         // of the steps of a pass are expected in the next

// Relative to an entry of the tables.
constexpr double per_push = 6;
constexpr double per_byte = 0.1;      // of tables that are made
constexpr double per_comparison = 3;  // when a block is corrected
constexpr double per_call = 45'000;   // of the crew, from sleep to sleep
constexpr double per_visit = 20;      // whatever the example

constexpr std::size_t largest_tables = std::size_t{128} << 20;  // bytes
constexpr std::size_t sample_size = 512;
constexpr std::size_t smallest_block = 256;
constexpr std::size_t largest_block = 8192;
constexpr std::size_t piece_size = 64;  // of a block, for one thread

// Conjunctions of a feature with the `before` ones before it.
double entries_of(unsigned degree, double before) {
  return 1 + (degree >= 2 ? before : 0) + (degree >= 3 ? before * (before - 1) / 2 : 0);
}

// What an entry of a table costs that is so large: caches are found by trial.
double cost_of_entry(std::size_t bytes) {
  constexpr std::size_t near = std::size_t{1} << 20;
  constexpr std::size_t far = std::size_t{16} << 20;
  return bytes <= near ? 1 : bytes <= far ? 2 : 4;
}

// How long rows are, and how many features they may have between them.
struct Extent {
  std::size_t longest = 0;
  std::size_t features = 0;
};

Extent extent_of(const RankRows& rows) {
  Extent extent;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].empty()) continue;
    extent.longest = std::max(extent.longest, rows[row].size());
    extent.features = std::max(extent.features, rows[row].back() + std::size_t{1});
  }
  return extent;
}

// How many features come before a rank.
std::size_t part_below(std::span<const rows::Rank> ranks, std::size_t limit) {
  return static_cast<std::size_t>(std::ranges::lower_bound(ranks, static_cast<rows::Rank>(limit)) - ranks.begin());
}

}  // namespace

template <class Number>
PushedMargins<Number>::PushedMargins(const kernel::PolynomialKernel& kernel, std::size_t outputs,
                                     std::optional<std::size_t> block)
    : kernel_(kernel),
      outputs_(outputs),
      wanted_block_(block),
      empty_value_(kernel_values<Number>(kernel, 0)[0]),
      common_(kernel, 0, outputs),
      total_(outputs, Number{0}) {}

template <class Number>
void PushedMargins<Number>::expect(const RankRows& examples, const SupportLog<Number>& log, Crew& crew) {
  examples_ = &examples;
  crew_ = &crew;
  checksum_ = examples.checksum();
  const Extent here = extent_of(examples);
  const Extent before = extent_of(log.rows);
  const Extent extent{std::max(here.longest, before.longest), std::max(here.features, before.features)};
  rest_ = PushedRest<Number>(kernel_, examples, extent.longest, extent.features, outputs_, crew.size());
  std::ranges::fill(total_, Number{0});
  expected_steps_ = first_share * static_cast<double>(examples.size());
  steps_ = 0;
  final_ = false;
  first_ = 0;
  pushed_ = 0;
  block_ = {};
  common_ = DenseConjunctions<Number>(kernel_, 0, outputs_);
  plan_pass();
  const KeptScores<Number> kept = std::exchange(offered_, {});
  if (is_usable(kept, log)) continue_with(kept, log);
  common_ = DenseConjunctions<Number>(kernel_, line_, outputs_);
  dense_parts_.resize(examples.size());  // searching at every visit would cost as much as the rest of it
  for (std::size_t example = 0; example < examples.size(); ++example) {
    dense_parts_[example] = static_cast<std::uint32_t>(part_below(examples[example], line_));
  }
  for (const Step<Number>& step : log.steps) take_in(log, step);
  push_all(log);
}

template <class Number>
KeptScores<Number> PushedMargins<Number>::kept() const {
  return {checksum_, first_, common_.size(), pushed_, rest_.all()};
}

template <class Number>
bool PushedMargins<Number>::is_usable(const KeptScores<Number>& kept, const SupportLog<Number>& log) const {
  return kept.examples == checksum_ && kept.rest.size() == examples_->size() * outputs_ &&
         kept.steps <= log.steps.size() && kept.line <= rest_.postings().size() &&
         DenseConjunctions<Number>::nbytes_for(kernel_.degree, kept.line, outputs_) <= largest_tables;
}

// As many steps are expected as there were in the last round of all examples.
template <class Number>
void PushedMargins<Number>::continue_with(const KeptScores<Number>& kept, const SupportLog<Number>& log) {
  line_ = kept.line;
  pushed_ = kept.steps;
  rest_.restore(kept.rest);
  if (log.steps.empty()) return;
  const std::uint64_t round = examples_->size();
  const std::uint64_t now = log.steps.back().time;
  steps_ = static_cast<std::size_t>(
      std::ranges::count_if(log.steps, [&](const Step<Number>& step) { return step.time + round > now; }));
}

// Weighs visits, which add up tables, against pushes. Features of a step's row are as frequent as in the examples.
template <class Number>
void PushedMargins<Number>::plan_pass() {
  const auto examples = static_cast<double>(examples_->size());
  const Postings& postings = rest_.postings();
  std::vector<double> pushes(postings.size() + 1, 0);  // per step, if the line is at a rank
  for (std::size_t rank = postings.size(); rank-- > 0;) {
    const auto count = static_cast<double>(postings[rank].size());
    pushes[rank] = pushes[rank + 1] + count * count / examples;
  }
  const std::size_t stride = std::max<std::size_t>(1, examples_->size() / sample_size);
  const auto table_bytes = [&](std::size_t line) {
    return DenseConjunctions<Number>::nbytes_for(kernel_.degree, line, outputs_);
  };
  const auto cost_at = [&](std::size_t line) {
    double entries = 0;
    double taken = 0;
    for (std::size_t example = 0; example < examples_->size(); example += stride, ++taken) {
      double before = 0;
      for (const rows::Rank rank : (*examples_)[example]) {
        if (rank >= line) break;
        entries += cost_of_entry(table_bytes(rank)) * entries_of(kernel_.degree, before++);
      }
    }
    const double visits = examples * entries / std::max(taken, 1.0);
    const double clearing = common_.size() > 0 ? 0 : per_byte * static_cast<double>(table_bytes(line));
    return visits + clearing + expected_steps_ * per_push * pushes[line];
  };
  const bool tables = kernel_.degree <= DenseConjunctions<Number>::largest_degree;
  line_ = 0;
  double least = cost_at(0);
  for (std::size_t line = 8; tables && line <= postings.size(); line += line / 4) {
    if (table_bytes(line) > largest_tables) break;
    if (const double cost = cost_at(line); cost < least) line_ = line, least = cost;
  }
  block_size_ = wanted_block_.value_or(plan_blocks(least));
}

// The size at which calling the crew costs as much as correcting the blocks; none where both cost more than is saved.
template <class Number>
std::size_t PushedMargins<Number>::plan_blocks(double work) const {
  const auto threads = static_cast<double>(crew_->size());
  const auto examples = static_cast<double>(examples_->size());
  const double size = std::sqrt(2 * per_call / per_comparison * examples / std::max(expected_steps_, 1.0));
  const double extra = examples * (2 * per_call / size + per_visit);
  if (work * (1 - 1 / threads) <= extra) return 0;
  return std::clamp(static_cast<std::size_t>(size), smallest_block, largest_block);
}

template <class Number>
void PushedMargins<Number>::begin_pass(bool final, const SupportLog<Number>& log) {
  push_all(log);
  final_ = final;
  if constexpr (is_integer<Number>) {
    if (steps_ > 0) expected_steps_ = fall * static_cast<double>(steps_);
    steps_ = 0;
    plan_pass();
    if (line_ < common_.size()) move_line(line_);
  }
}

// What the tables say of features that are dense no longer goes to the examples.
template <class Number>
void PushedMargins<Number>::move_line(std::size_t dense) {
  for (std::size_t example = 0; example < examples_->size(); ++example) {
    const std::span<const rows::Rank> before = (*examples_)[example].first(dense_parts_[example]);
    const std::size_t from = part_below(before, dense);
    if (from == before.size()) continue;
    common_.add_slices(before, from, rest_.of(example));
    dense_parts_[example] = static_cast<std::uint32_t>(from);
  }
  common_.shrink(dense);
}

template <class Number>
std::size_t PushedMargins<Number>::look_ahead(std::span<const RowId> next, const SupportLog<Number>& log) {
  if (block_size_ == 0) return next.size();
  block_.examples = next.first(std::min(block_size_, next.size()));
  block_.scores.resize(block_.examples.size() * outputs_);
  block_.at = 0;
  const std::size_t pushes = pushed_ < log.steps.size() ? 2 * crew_->size() : 0;
  const std::size_t pieces = (block_.examples.size() + piece_size - 1) / piece_size;
  crew_->run(pushes + pieces, [&](std::size_t piece, std::size_t worker) {
    if (piece < pushes) return push(log, piece, pushes, worker);
    const std::size_t begin = (piece - pushes) * piece_size;
    const std::size_t end = std::min(begin + piece_size, block_.examples.size());
    for (std::size_t at = begin; at < end; ++at) write_common(block_.examples[at], block_score(at));
  });
  pushed_ = log.steps.size();
  return block_.examples.size();
}

template <class Number>
void PushedMargins<Number>::write_common(std::size_t example, std::span<Number> out) const {
  for (std::size_t o = 0; o < outputs_; ++o) out[o] = total_[o] * empty_value_;
  common_.add_slices((*examples_)[example].first(dense_parts_[example]), 0, out);
}

template <class Number>
bool PushedMargins<Number>::scores(const Example& x, Sign, const SupportLog<Number>&, std::span<Number> out) {
  if (final_) first_ = x.number + 1;
  if (block_size_ > 0) {
    while (block_.examples[block_.at] != x.number) ++block_.at;
    std::ranges::copy(block_score(block_.at++), out.begin());
  } else {
    write_common(x.number, out);
  }
  const std::span<const Number> pushed = rest_.of(x.number);
  for (std::size_t o = 0; o < outputs_; ++o) out[o] += pushed[o];
  return true;
}

template <class Number>
void PushedMargins<Number>::add(const SupportLog<Number>& log) {
  if (examples_ == nullptr) return;  // expect() will take in the whole log
  const Step<Number>& step = log.steps.back();
  ++steps_;
  take_in(log, step);
  if (block_size_ > 0) {
    rest_.add_kernel(step, log.rows[step.row], block_.examples.subspan(block_.at),
                     std::span(block_.scores).subspan(block_.at * outputs_));
  } else {
    push_all(log);
  }
}

template <class Number>
void PushedMargins<Number>::take_in(const SupportLog<Number>& log, const Step<Number>& step) {
  const std::span<const rows::Rank> ranks = log.rows[step.row];
  add_step(step, Number{1}, std::span(total_));
  common_.add(ranks.first(part_below(ranks, common_.size())), step);
}

// The steps that are still to be pushed, to one of several parts of the examples.
template <class Number>
void PushedMargins<Number>::push(const SupportLog<Number>& log, std::size_t part, std::size_t parts,
                                 std::size_t worker) {
  const std::size_t wanted = examples_->size() - first_;
  const typename PushedRest<Number>::Range range{first_ + wanted * part / parts, first_ + wanted * (part + 1) / parts};
  for (std::size_t at = pushed_; at < log.steps.size(); ++at) {
    const std::span<const rows::Rank> ranks = log.rows[log.steps[at].row];
    rest_.push(log.steps[at], ranks, part_below(ranks, common_.size()), range, worker);
  }
}

template <class Number>
void PushedMargins<Number>::push_all(const SupportLog<Number>& log) {
  const bool many = log.steps.size() - pushed_ > 64;  // as when a log is taken in
  const std::size_t parts = many ? crew_->size() : 1;
  if (parts == 1) {
    push(log, 0, 1, 0);
  } else {
    crew_->run(parts, [&](std::size_t part, std::size_t worker) { push(log, part, parts, worker); });
  }
  pushed_ = log.steps.size();
}

template <class Number>
std::size_t PushedMargins<Number>::nbytes() const {
  return common_.nbytes() + rest_.nbytes() + dense_parts_.size() * sizeof(dense_parts_[0]) +
         block_.scores.size() * sizeof(Number);
}

template class PushedMargins<std::int64_t>;
template class PushedMargins<Wide>;
template class PushedMargins<double>;

}  // namespace gristmill::solve::online
