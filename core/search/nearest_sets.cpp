// SPDX-License-Identifier: BSD-3-Clause
#include "search/nearest_sets.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "base/parallel.hpp"

namespace gristmill::search {
namespace {

constexpr std::size_t most_at_once = 16;                     // queries
constexpr std::size_t most_counters = std::size_t{8} << 20;  // for the rare features of all of them
constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
constexpr std::size_t unreachable = std::numeric_limits<std::size_t>::max();

constexpr std::size_t always = std::numeric_limits<std::size_t>::max();

// For x of fewer features k(x, s) never falls while the overlap grows and the lengths stay. Of exp and powers that is
// looked up for all values there are, so that their rounding may do what it likes.
std::size_t growing_until(const kernel::SetValues& values) {
  if (values.kernel().by_overlap()) return std::ranges::is_sorted(values.by_overlap()) ? always : 0;
  const auto& form = values.kernel().form();
  if (std::holds_alternative<kernel::GivenKernel>(form)) return 0;
  if (!std::holds_alternative<kernel::RbfKernel>(form) || values.size() == 0) return always;  // a quotient of counts
  const auto longest = static_cast<std::size_t>(values.different().back());
  std::vector<double> by_distance;
  for (std::size_t at = 0; at <= 2 * longest; ++at) {
    by_distance.push_back(values.kernel()(0.0, static_cast<double>(at), 0.0));
  }
  return std::ranges::is_sorted(by_distance, std::ranges::greater()) ? longest + 1 : 0;
}

std::vector<RowId> starts_of(const kernel::SetValues& values) {
  std::vector<RowId> starts;
  const auto lengths = values.lengths();
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    if (row == 0 || lengths[row] != lengths[row - 1]) starts.push_back(static_cast<RowId>(row));
  }
  starts.push_back(static_cast<RowId>(lengths.size()));
  return starts;
}

}  // namespace

// --- what is found
// -----------------------------------------------------------------------------------------------------

void NearestSets::Found::begin(const Request& request) {
  heap_.clear();
  most_ = request.most;
  least_ = request.threshold;
}

void NearestSets::Found::offer(const Neighbour& one) {
  if (one.similarity < least_) return;
  if (heap_.size() == most_) {
    if (!(one < heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }
  heap_.push_back(one);
  std::push_heap(heap_.begin(), heap_.end());
  if (heap_.size() == most_) least_ = heap_.front().similarity;
}

std::vector<Neighbour> NearestSets::Found::take() {
  std::sort(heap_.begin(), heap_.end());
  return std::vector<Neighbour>(heap_.begin(), heap_.end());
}

// --- the rows
// ----------------------------------------------------------------------------------------------------------

NearestSets::NearestSets(kernel::SetKernel kernel, const rows::ByLength& rows)
    : order_(rows.numbers()),
      index_(rows.rows()),
      values_(std::move(kernel), rows.rows()),
      starts_(starts_of(values_)),
      growing_(growing_until(values_)) {
  std::size_t place = 0;
  for (std::size_t block = 0; block < index_.blocks(); ++block) {
    while (starts_[place + 1] <= block * rows::BitIndex::block_rows) ++place;
    lengths_.push_back(place);
  }
}

std::size_t NearestSets::nbytes() const noexcept {
  return index_.nbytes() + values_.nbytes() + (order_.size() + starts_.size()) * sizeof(RowId) +
         lengths_.size() * sizeof(std::size_t);
}

// --- a query
// -----------------------------------------------------------------------------------------------------------

// What is known of a length before any row is.
void NearestSets::begin(rows::Row x, Sought& sought) const {
  index_.look_up(x, sought.query);
  rows::BitIndex::put_rarest_first(sought.query);
  sought.length = x.size();
  sought.needs.resize(values_.different().size());
  values_.with(x.size(), [&](const auto& value) {
    for (std::size_t place = 0; place < sought.needs.size(); ++place) {
      const std::size_t row = starts_[place];
      const std::size_t most = std::min<std::size_t>(x.size(), values_.lengths()[row]);
      double top = value(row, most);
      if (!grows_for(x.size())) {
        for (std::size_t shared = 0; shared < most; ++shared) top = std::max(top, value(row, shared));
      }
      sought.needs[place] = {top, -std::numeric_limits<double>::infinity(), 0};
    }
  });
}

// Brings up to date what rows of a length must share.
template <class Value>
void NearestSets::update(std::size_t place, const Value& value, const Sought& sought, Need& need) const {
  need.similarity = sought.found.least();
  if (need.top < need.similarity) {
    need.shared = unreachable;
    return;
  }
  const std::size_t row = starts_[place];
  const std::size_t most = std::min<std::size_t>(sought.length, values_.lengths()[row]);
  const auto suffices = [&](std::size_t shared) { return value(row, shared) >= need.similarity; };
  if (!grows_for(sought.length)) {
    while (need.shared < most && !suffices(need.shared)) ++need.shared;
    return;
  }
  std::size_t above = most;  // suffices
  while (need.shared < above) {
    const std::size_t middle = (need.shared + above) / 2;
    if (suffices(middle)) {
      above = middle;
    } else {
      need.shared = middle + 1;
    }
  }
}

template <class Value>
void NearestSets::visit_block(std::size_t at, const Value& value, Sought& sought, rows::BitIndex::Block& block) const {
  const std::size_t first = at * rows::BitIndex::block_rows;
  std::size_t shared = unreachable;
  const std::size_t end = std::min(first + rows::BitIndex::block_rows, size());
  for (std::size_t place = lengths_[at]; starts_[place] < end; ++place) {
    Need& need = sought.needs[place];
    if (need.similarity < sought.found.least()) update(place, value, sought, need);
    shared = std::min(shared, need.shared);
  }
  if (shared > sought.query.known() || !index_.find(sought.query, sought.rare, at, shared, block)) return;
  for (std::size_t word = 0; word < rows::BitIndex::block_words; ++word) {
    for (std::uint64_t bits = block.found[word]; bits != 0; bits &= bits - 1) {
      const std::size_t inside = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      const std::size_t row = first + inside;
      if (order_[row] == sought.itself) continue;
      const std::size_t overlap = block.count(inside) + (sought.query.rare.empty() ? 0 : sought.rare.counts[row]);
      sought.found.offer({value(row, overlap), order_[row]});
    }
  }
}

void NearestSets::visit_tile(std::size_t tile, Sought& sought, rows::BitIndex::Block& block) const {
  const std::size_t begin = tile * rows::BitIndex::tile_blocks;
  const std::size_t end = std::min(begin + rows::BitIndex::tile_blocks, index_.blocks());
  values_.with(sought.length, [&](const auto& value) {
    for (std::size_t at = begin; at < end; ++at) visit_block(at, value, sought, block);
  });
}

// --- several queries, to which a tile is shown in turn
// ------------------------------------------------------------------

std::size_t NearestSets::queries_at_once(std::size_t queries, std::size_t threads) const noexcept {
  const std::size_t room = index_.has_lists() ? most_counters / std::max<std::size_t>(size(), 1) : most_at_once;
  return std::clamp<std::size_t>(std::min(room, queries / threads), 1, most_at_once);
}

// The tiles of the lengths that promise most come first.
void NearestSets::order_tiles(const Sought& sought, Scratch& scratch) const {
  scratch.tops.assign(index_.tiles(), -std::numeric_limits<double>::infinity());
  for (std::size_t place = 0; place < sought.needs.size(); ++place) {
    constexpr std::size_t rows = rows::BitIndex::block_rows * rows::BitIndex::tile_blocks;
    for (std::size_t tile = starts_[place] / rows; tile <= (starts_[place + 1] - 1) / rows; ++tile) {
      scratch.tops[tile] = std::max(scratch.tops[tile], sought.needs[place].top);
    }
  }
  scratch.tiles.resize(index_.tiles());
  std::iota(scratch.tiles.begin(), scratch.tiles.end(), std::size_t{0});
  std::ranges::stable_sort(scratch.tiles, std::ranges::greater(), [&](std::size_t tile) { return scratch.tops[tile]; });
}

void NearestSets::find_batch(rows::Rows queries, std::span<const RowId> batch, bool are_the_rows,
                             const Request& request, Scratch& scratch, std::vector<std::vector<Neighbour>>& out) const {
  for (std::size_t at = 0; at < batch.size(); ++at) {
    Sought& sought = scratch.sought[at];
    begin(queries[batch[at]], sought);
    sought.itself = are_the_rows ? batch[at] : nobody;
    sought.found.begin(request);
    if (sought.rare.counts.empty() && !sought.query.rare.empty()) sought.rare = index_.make_rare();
    index_.count_rare(sought.query, sought.rare);
  }
  order_tiles(scratch.sought.front(), scratch);
  for (const std::size_t tile : scratch.tiles) {
    for (std::size_t at = 0; at < batch.size(); ++at) visit_tile(tile, scratch.sought[at], scratch.block);
  }
  for (std::size_t at = 0; at < batch.size(); ++at) {
    index_.clear_rare(scratch.sought[at].query, scratch.sought[at].rare);
    out[batch[at]] = scratch.sought[at].found.take();
  }
}

std::vector<std::vector<Neighbour>> NearestSets::find(rows::Rows queries, bool are_the_rows, const Request& request,
                                                      std::size_t threads, Observer& observer) const {
  const std::vector<RowId> order = rows::numbers_by_length(queries);
  const std::size_t grain = queries_at_once(queries.size(), threads);
  std::vector<Scratch> scratch(threads_for(queries.size(), grain, threads));
  for (Scratch& one : scratch) one.sought.resize(grain);
  std::vector<std::vector<Neighbour>> found(queries.size());
  parallel_for(queries.size(), grain, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    const auto batch = std::span(order).subspan(begin, end - begin);
    find_batch(queries, batch, are_the_rows, request, scratch[worker], found);
  });
  return found;
}

}  // namespace gristmill::search
