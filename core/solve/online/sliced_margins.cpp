// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/sliced_margins.hpp"

#include <algorithm>

namespace gristmill::solve::online {
namespace {

constexpr double rounding = 1e-10;  // of everything that is added up, far more than doubles lose

// Conjunctions of up to `degree` features that have one given feature and some of `before` others.
double conjunctions_with(std::size_t before, unsigned degree) {
  double all = 0;
  double choices = 1;
  for (unsigned more = 0; more < degree && more <= before; ++more) {
    all += choices;
    choices *= static_cast<double>(before - more) / static_cast<double>(more + 1);
  }
  return all;
}

}  // namespace

bool kernel_is_shorter(std::size_t before, std::size_t steps, unsigned degree) {
  if (before == 0) return steps <= 1;
  return 1 + static_cast<double>(steps) * static_cast<double>(before) <= conjunctions_with(before, degree);
}

template <class Number>
SlicedMargins<Number>::SlicedMargins(const kernel::PolynomialKernel& kernel, std::size_t outputs,
                                     const SliceOptions& options, const Rule<Number>& rule)
    : kernel_(kernel),
      outputs_(outputs),
      options_(options),
      rule_(rule),
      values_(kernel_values<Number>(kernel, 1)),
      trie_(kernel, outputs),
      total_(outputs, Number{0}),
      memory_{std::vector<std::uint32_t>(1, 0), std::vector<Number>(outputs, Number{0})},
      slice_(outputs) {
  options_.terminate = options.terminate && outputs == 1;
}

template <class Number>
void SlicedMargins<Number>::make_room(std::span<const rows::Rank> ranks) {
  if (ranks.size() + 1 >= values_.size()) values_ = kernel_values<Number>(kernel_, 2 * ranks.size() + 2);
  if (!ranks.empty() && ranks.back() >= features_.size()) {
    features_.resize(ranks.back() + std::size_t{1});
    marks_.resize(features_.size(), 0);
  }
  if (rest_.size() < ranks.size() + 1) rest_.resize(2 * ranks.size() + 1);
}

template <class Number>
bool SlicedMargins<Number>::scores(const Example& x, Sign sign, const SupportLog<Number>& log, std::span<Number> out) {
  make_room(x.ranks);
  for (std::size_t o = 0; o < outputs_; ++o) out[o] = total_[o] * values_[0];
  if (options_.terminate) bound_rest(x.ranks, sign);
  EdgeMap::Node prefix = 0;
  std::size_t at = 0;
  bool needed = true;
  for (; at < x.ranks.size() && needed; ++at) {
    needed = !options_.terminate || !rule_.is_fine(static_cast<Number>(sign) * out[0] + rest_[at]);
    if (!needed) break;
    prefix = add_slice(prefix, x.ranks.first(at + 1), log, out);
    marks_[x.ranks[at]] = 1;
  }
  for (const rows::Rank rank : x.ranks.first(at)) marks_[rank] = 0;
  return needed;
}

// Formulas (8) and (9), summed up from the rarest feature: the least that can still come, of the wanted sign.
template <class Number>
void SlicedMargins<Number>::bound_rest(std::span<const rows::Rank> ranks, Sign sign) {
  rest_[ranks.size()] = 0;
  for (std::size_t at = ranks.size(); at-- > 0;) {
    const Feature& feature = features_[ranks[at]];
    const std::size_t most = std::min<std::size_t>(at, feature.more_frequent);
    const Number least_rise = values_[1] - values_[0];
    const Number most_rise = values_[most + 1] - values_[most];
    const Number helping = sign > 0 ? feature.sums.positive : -feature.sums.negative;
    const Number hindering = sign > 0 ? feature.sums.negative : -feature.sums.positive;
    rest_[at] = rest_[at + 1] + least_rise * helping + most_rise * hindering;
    if constexpr (!is_integer<Number>)
      rest_[at] -= rounding * most_rise * (feature.sums.positive - feature.sums.negative);
  }
}

template <class Number>
bool SlicedMargins<Number>::by_kernel(rows::Rank rank, std::size_t before, std::size_t postings) const {
  if (rank >= options_.expanded) return true;
  if (!options_.choose) return false;
  return kernel_is_shorter(before, postings, kernel_.degree);
}

// Adds the slice of the last of these features; before: the node of the others.
template <class Number>
EdgeMap::Node SlicedMargins<Number>::add_slice(EdgeMap::Node before, std::span<const rows::Rank> ranks,
                                               const SupportLog<Number>& log, std::span<Number> out) {
  const rows::Rank rank = ranks.back();
  const std::span<const Posting> postings = features_[rank].postings;
  EdgeMap::Node prefix = 0;
  std::span<Number> slice = slice_;
  std::size_t seen = 0;
  if (options_.reuse) {
    prefix = prefixes_.make(before, rank);
    if (memory_.seen.size() < prefixes_.size()) {
      memory_.seen.resize(prefixes_.size(), 0);
      memory_.slices.resize(prefixes_.size() * outputs_, Number{0});
    }
    slice = std::span(memory_.slices).subspan(prefix * outputs_, outputs_);
    seen = memory_.seen[prefix];
  } else {
    std::ranges::fill(slice, Number{0});
  }
  if (by_kernel(rank, ranks.size() - 1, postings.size() - seen) || !expand(rank, log)) {
    add_postings(postings.subspan(seen), log, slice);
  } else {
    std::ranges::fill(slice, Number{0});
    trie_.add_slice(ranks, slice);
  }
  if (options_.reuse) memory_.seen[prefix] = static_cast<std::uint32_t>(postings.size());
  for (std::size_t o = 0; o < outputs_; ++o) out[o] += slice[o];
  return prefix;
}

template <class Number>
auto SlicedMargins<Number>::remembered(std::span<const rows::Rank> ranks) const -> std::optional<Remembered> {
  EdgeMap::Node node = 0;
  for (const rows::Rank rank : ranks) {
    node = prefixes_.find(node, rank);
    if (node == EdgeMap::none) return std::nullopt;
  }
  return Remembered{memory_.seen[node], std::span(memory_.slices).subspan(node * outputs_, outputs_)};
}

template <class Number>
void SlicedMargins<Number>::add_postings(std::span<const Posting> postings, const SupportLog<Number>& log,
                                         std::span<Number> slice) {
  postings_read_ += postings.size();
  for (const Posting posting : postings) {
    const Step<Number>& step = log.steps[posting.step];
    std::size_t overlap = 0;
    for (const rows::Rank rank : log.rows[step.row].first(posting.at)) overlap += marks_[rank];
    add_step(step, values_[overlap + 1] - values_[overlap], slice);
  }
}

template <class Number>
void SlicedMargins<Number>::add(const SupportLog<Number>& log) {
  const Step<Number>& step = log.steps.back();
  const std::span<const rows::Rank> ranks = log.rows[step.row];
  make_room(ranks);
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    Feature& feature = features_[ranks[at]];
    feature.postings.push_back({static_cast<std::uint32_t>(log.steps.size() - 1), static_cast<std::uint32_t>(at)});
    feature.more_frequent = std::max(feature.more_frequent, static_cast<std::uint32_t>(at));
    if (step.up >= 0) feature.sums.positive += step.size;
    if (step.down >= 0) feature.sums.negative -= step.size;
  }
  posting_count_ += ranks.size();
  add_step(step, Number{1}, std::span(total_));
  if constexpr (!is_integer<Number>) {
    for (const rows::Rank rank : ranks) expand(rank, log);
  }
}

// Takes in the conjunctions with this feature as the rarest one; false where there is no room for them. Integers have
// it done when one of them is asked for: those of most rare features never are. In doubles the last bits show when
// memory has run out, so that is to depend on the steps alone: there all conjunctions are in at any time.
template <class Number>
bool SlicedMargins<Number>::expand(rows::Rank rank, const SupportLog<Number>& log) {
  Feature& feature = features_[rank];
  while (rank < options_.expanded && feature.expanded < feature.postings.size()) {
    const Posting posting = feature.postings[feature.expanded++];
    const Step<Number>& step = log.steps[posting.step];
    trie_.add(log.rows[step.row].first(posting.at + std::size_t{1}), step);
    if (options_.max_bytes && trie_.nbytes() > *options_.max_bytes) shrink(log);
  }
  return rank < options_.expanded;
}

// Conjunctions with the rarer half of the expanded features are dropped; their slices come from the kernel from now on.
// The others come back when they are asked for.
template <class Number>
void SlicedMargins<Number>::shrink(const SupportLog<Number>& log) {
  options_.expanded = std::min(options_.expanded, features_.size()) / 2;
  trie_ = ConjunctionTrie<Number>(kernel_, outputs_);
  for (Feature& feature : features_) feature.expanded = 0;
  if constexpr (!is_integer<Number>) {
    for (std::size_t rank = 0; rank < options_.expanded; ++rank) expand(static_cast<rows::Rank>(rank), log);
  }
}

template <class Number>
std::size_t SlicedMargins<Number>::nbytes() const {
  return trie_.nbytes() + posting_count_ * sizeof(Posting) + features_.size() * sizeof(Feature) + prefixes_.nbytes() +
         memory_.seen.size() * sizeof(std::uint32_t) + memory_.slices.size() * sizeof(Number);
}

template class SlicedMargins<std::int64_t>;
template class SlicedMargins<Wide>;
template class SlicedMargins<double>;

}  // namespace gristmill::solve::online
