// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/converted_rows.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/parallel.hpp"
#include "kernel/trees/finish_row.hpp"
#include "kernel/trees/symmetric_block.hpp"
#include "kernel/trees/tree_direct.hpp"

namespace gristmill::mine::fragments {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

void check(const SubtreePatterns& patterns, const kernel::trees::TreeKernel& kernel, const forest::SubtreeIndex& index,
           std::span<const std::uint32_t> columns) {
  if (!same_fragments(patterns.kernel(), kernel))
    throw std::invalid_argument("these trees were converted for another kernel");
  if (index.trees() != patterns.trees()) throw std::invalid_argument("these are not the trees that were converted");
  if (std::ranges::any_of(columns, [&](std::uint32_t tree) { return tree >= patterns.trees(); })) {
    throw std::invalid_argument("no such tree");
  }
}

}  // namespace

ConvertedRows::ConvertedRows(const SubtreePatterns& patterns, const kernel::trees::TreeKernel& kernel,
                             const forest::SubtreeIndex& index, std::span<const std::uint32_t> columns,
                             std::size_t threads, Observer& observer)
    : columns_(columns.begin(), columns.end()), diagonal_(patterns.trees()) {
  check(patterns, kernel, index, columns);
  set_lists(patterns, patterns.weights(kernel.factor));
  set_parts(patterns);
  Scaled muted(observer, 0, 0, 1);  // a small part of the work
  kernel::trees::direct_diagonal(kernel, index, diagonal_, threads, muted);
  set_known(patterns, kernel, index, threads, observer);
}

// Of every tree its column, or none.
std::vector<std::uint32_t> ConvertedRows::places() const {
  std::vector<std::uint32_t> places(diagonal_.size(), none);
  for (std::uint32_t column = 0; column < columns_.size(); ++column) {
    if (places[columns_[column]] != none) throw std::invalid_argument("a tree is a column twice");
    places[columns_[column]] = column;
  }
  return places;
}

void ConvertedRows::set_lists(const SubtreePatterns& patterns, std::span<const double> weights) {
  const std::vector<std::uint32_t> places = this->places();
  const bool ascend = std::ranges::is_sorted(columns_);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> repeated;
  kept_.assign(patterns.size(), none);
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
    const std::size_t begin = entries_.size();
    repeated.clear();
    patterns.for_each_tree(pattern, [&](std::uint32_t tree, std::uint32_t count) {
      if (places[tree] == none) return;
      if (count == 1) {
        entries_.push_back(places[tree]);
      } else {
        repeated.emplace_back(places[tree], count);
      }
    });
    if (entries_.size() == begin && repeated.empty()) continue;
    if (!ascend) {
      std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(begin), entries_.end());
      std::ranges::sort(repeated);
    }
    kept_[pattern] = static_cast<std::uint32_t>(lists_.size());
    lists_.push_back({weights[pattern], begin, static_cast<std::uint32_t>(entries_.size() - begin),
                      static_cast<std::uint32_t>(repeated.size()), counts_.size()});
    for (const auto& [column, count] : repeated) {
      entries_.push_back(column);
      counts_.push_back(count);
    }
  }
}

void ConvertedRows::set_parts(const SubtreePatterns& patterns) {
  parts_ = decltype(parts_)::grouped(patterns.trees(), [&](auto visit) {
    for (std::size_t pattern = 0; pattern < kept_.size(); ++pattern) {
      if (kept_[pattern] == none) continue;
      patterns.for_each_tree(
          pattern, [&](std::uint32_t tree, std::uint32_t count) { visit(tree, Part{kept_[pattern], count}); });
    }
  });
  kept_ = {};
}

void ConvertedRows::set_known(const SubtreePatterns& patterns, const kernel::trees::TreeKernel& kernel,
                              const forest::SubtreeIndex& index, std::size_t threads, Observer& observer) {
  const std::vector<std::uint32_t> places = this->places();
  std::vector<std::size_t> starts{0};
  std::vector<std::uint32_t> others;
  for (std::uint32_t tree = 0; tree < patterns.trees(); ++tree) {
    for (const std::uint32_t other : patterns.malicious().below(tree)) {
      if (places[tree] != none || places[other] != none) others.push_back(other);
    }
    starts.push_back(others.size());
  }
  std::vector<double> values(others.size());
  kernel::trees::direct_pairs(kernel, index, starts, others, values, threads, observer);

  known_ = Lists<Known>::grouped(patterns.trees(), [&](auto visit) {
    for (std::uint32_t tree = 0; tree < patterns.trees(); ++tree) {
      if (places[tree] != none) visit(tree, Known{places[tree], diagonal_[tree]});
      for (std::size_t at = starts[tree]; at < starts[tree + 1]; ++at) {
        if (places[tree] != none) visit(others[at], Known{places[tree], values[at]});
        if (places[others[at]] != none) visit(tree, Known{places[others[at]], values[at]});
      }
    }
  });
}

void ConvertedRows::fill(std::span<const std::uint32_t> queries, std::span<const double> query_scales,
                         std::span<const double> column_scales, std::span<double> out, std::size_t threads,
                         Observer& observer) const {
  parallel_for(queries.size(), 1, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t query = begin; query < end; ++query) {
      const std::span<double> row = out.subspan(query * size(), size());
      fill_row(queries[query], row);
      kernel::trees::finish_row(query, row, query_scales, column_scales);
    }
  });
}

void ConvertedRows::fill_own(std::size_t column, std::span<const double> scales, std::span<double> out) const {
  fill_row(columns_[column], out);
  kernel::trees::finish_row(column, out, scales, scales);
}

std::vector<double> ConvertedRows::column_diagonal(std::span<const double> scales) const {
  std::vector<double> values;
  for (std::size_t column = 0; column < size(); ++column) {
    const double scale = scales.empty() ? 1 : scales[column];
    values.push_back(diagonal_[columns_[column]] * scale * scale);
  }
  return values;
}

void ConvertedRows::fill_symmetric(std::span<const double> scales, std::span<double> out, std::size_t threads,
                                   Observer& observer) const {
  const std::size_t grain = std::clamp<std::size_t>(size() / 64, 1, 64);
  std::vector<std::vector<double>> blocks(threads_for(size(), grain, threads));
  parallel_for(size(), grain, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    blocks[worker].resize(grain * size());
    for (std::size_t at = begin; at < end; ++at) {
      const std::span<double> row = std::span(blocks[worker]).subspan((at - begin) * size(), at + 1);
      fill_row(columns_[at], row);
      kernel::trees::finish_row(at, row, scales, scales);
    }
    kernel::trees::write_symmetric(blocks[worker], begin, end, out, size());
  });
}

// Of the first columns, as many as the row is long.
void ConvertedRows::fill_row(std::uint32_t tree, std::span<double> row) const {
  std::ranges::fill(row, 0.0);
  const std::span<const Part> parts = parts_[tree];
  constexpr std::size_t far = 16;  // lists are short and lie anywhere: they are asked for in good time
  constexpr std::size_t near = 8;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    if (at + far < parts.size()) __builtin_prefetch(&lists_[parts[at + far].pattern]);
    if (at + near < parts.size()) __builtin_prefetch(&entries_[lists_[parts[at + near].pattern].begin]);
    add_list(lists_[parts[at].pattern], parts[at].count, row);
  }
  for (const Known& known : known_[tree]) {
    if (known.column < row.size()) row[known.column] = known.value;
  }
}

void ConvertedRows::add_list(const List& list, double count, std::span<double> row) const {
  const std::uint32_t* columns = entries_.data() + list.begin;
  const double weight = list.weight * count;
  for (std::size_t at = 0; at < list.single && columns[at] < row.size(); ++at) row[columns[at]] += weight;
  columns += list.single;
  for (std::size_t at = 0; at < list.repeated && columns[at] < row.size(); ++at) {
    row[columns[at]] += list.weight * (count * counts_[list.counts + at]);
  }
}

double ConvertedRows::work() const {
  double additions = 0;
  for (const Part& part : parts_.items()) additions += lists_[part.pattern].single + lists_[part.pattern].repeated;
  const double entries = static_cast<double>(trees()) * static_cast<double>(size());
  return entries == 0 ? 0 : additions / entries;
}

std::size_t ConvertedRows::nbytes() const noexcept {
  return (columns_.size() + entries_.size()) * sizeof(std::uint32_t) + lists_.size() * sizeof(List) +
         (counts_.size() + diagonal_.size()) * sizeof(double) + parts_.nbytes() + known_.nbytes();
}

}  // namespace gristmill::mine::fragments
