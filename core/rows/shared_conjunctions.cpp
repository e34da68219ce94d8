// SPDX-License-Identifier: BSD-3-Clause
#include "rows/shared_conjunctions.hpp"

#include <array>
#include <bit>
#include <memory>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "rows/place_split.hpp"

namespace gristmill::rows {
namespace {

using Place = RankedRows::Place;
using Bits = std::uint64_t;  // which of at most 64 places

constexpr std::size_t word = 64;

template <class Visit>
void for_each_bit(Bits bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

// Scratch of one thread.
class Miner {
 public:
  Miner(const RankedRows& rows, std::span<const double> weights, std::size_t worker, MemoryBudget& budget, Stop& stop)
      : rows_(rows), weights_(weights), budget_(budget), pulse_(stop, worker) {
    for (std::size_t size = 0; size < weights.size(); ++size) levels_.emplace_back(rows.features().size());
    budget.take(levels_.size() * rows.features().size() * (sizeof(Bits) + sizeof(std::uint32_t)));
  }

  // Before other patterns are written than before.
  void begin() { counted_ = 0; }

  // All conjunctions whose rarest feature is this one.
  void mine(Rank rank, Patterns& out) {
    const std::span<const Place> places = rows_.places(rank);
    if (places.size() >= 2) grow(places, 1, out);
    account(out);
  }

 private:
  struct Level {
    explicit Level(std::size_t features) : split(features), bits(features, 0) {}

    PlaceSplit split;
    std::vector<Bits> bits;  // by rank; zero between uses
    std::vector<Rank> met;
    std::vector<Bits> sets;                  // of each feature met
    std::array<std::uint32_t, word> ends{};  // how many features of each place come before the last one
  };

  [[nodiscard]] bool is_last(std::size_t size) const { return size + 1 == weights_.size(); }

  // To be called now and then.
  void account(const Patterns& out) {
    budget_.take(out.nbytes() - std::min(out.nbytes(), counted_));
    counted_ = out.nbytes();
  }

  // The conjunction of `size` features at these places, and those that contain it.
  void grow(std::span<const Place> places, std::size_t size, Patterns& out) {
    if (places.size() <= word) return grow_bits(places, size, out);
    for (const Place place : places) out.write(place.row);
    out.end_pattern(weights_[size]);
    if (is_last(size)) return;
    account(out);
    PlaceSplit& split = levels_[size].split;
    split.make(rows_, places, pulse_);
    for (std::size_t at = 0; at < split.features().size(); ++at) {
      if (split.places(at).size() >= 2) grow(split.places(at), size + 1, out);
    }
  }

  void grow_bits(std::span<const Place> places, std::size_t size, Patterns& out) {
    const Bits all = places.size() == word ? ~Bits{0} : (Bits{1} << places.size()) - 1;
    found_.assign(1, {all, weights_[size]});
    if (!is_last(size)) {
      Level& level = levels_[size];
      for (std::size_t at = 0; at < places.size(); ++at) level.ends[at] = places[at].at;
      extend(places, all, size);
    }
    write_found(places, out);
  }

  // The conjunctions of one more feature at some of these places.
  void extend(std::span<const Place> places, Bits where, std::size_t size) {
    if (found_.size() > found_limit_) merge_found();
    Level& level = levels_[size];
    note_more_frequent(places, where, level);
    for (std::size_t at = 0; at < level.met.size(); ++at) {
      const Bits set = level.sets[at];
      if (std::has_single_bit(set)) continue;
      found_.push_back({set, weights_[size + 1]});
      if (is_last(size + 1)) continue;
      Level& next = levels_[size + 1];
      for_each_bit(set, [&](std::size_t place) {
        const std::span<const Rank> before = rows_[places[place].row].first(level.ends[place]);
        next.ends[place] = static_cast<std::uint32_t>(std::ranges::lower_bound(before, level.met[at]) - before.begin());
      });
      extend(places, set, size + 1);
    }
  }

  void note_more_frequent(std::span<const Place> places, Bits where, Level& level) {
    level.met.clear();
    for_each_bit(where, [&](std::size_t place) {
      pulse_(level.ends[place]);
      for (const Rank rank : rows_[places[place].row].first(level.ends[place])) {
        if (level.bits[rank] == 0) level.met.push_back(rank);
        level.bits[rank] |= Bits{1} << place;
      }
    });
    level.sets.clear();
    for (const Rank rank : level.met) level.sets.push_back(std::exchange(level.bits[rank], 0));
  }

  // Conjunctions are many, sets of places few.
  void merge_found() {
    std::ranges::stable_sort(found_, {}, &Found::where);
    auto last = found_.begin();
    for (auto one = last + 1; one < found_.end(); ++one) {
      if (one->where == last->where) {
        last->weight += one->weight;
      } else {
        *++last = *one;
      }
    }
    found_.erase(last + 1, found_.end());
    found_limit_ = std::max(2 * found_.size(), smallest_limit);
    budget_.check(found_.size() * sizeof(Found));
  }

  void write_found(std::span<const Place> places, Patterns& out) {
    merge_found();
    for (const Found& found : found_) {
      for_each_bit(found.where, [&](std::size_t place) { out.write(places[place].row); });
      out.end_pattern(found.weight);
    }
  }

  struct Found {
    Bits where;
    double weight;
  };

  static constexpr std::size_t smallest_limit = std::size_t{1} << 16U;

  const RankedRows& rows_;
  std::span<const double> weights_;
  MemoryBudget& budget_;
  Pulse pulse_;
  std::vector<Level> levels_;  // by size of the conjunction that grows
  std::vector<Found> found_;
  std::size_t found_limit_ = smallest_limit;  // when equal ones are put together
  std::size_t counted_ = 0;                   // bytes of the patterns being written
};

}  // namespace

Patterns mine_shared(const RankedRows& rows, std::span<const double> weights, Rank first, std::size_t max_bytes,
                     std::size_t threads, Observer& observer) {
  constexpr std::size_t grain = 64;  // features
  const std::size_t features = rows.features().size() - std::min<std::size_t>(first, rows.features().size());
  MemoryBudget budget = conjunction_budget(max_bytes);
  Stop stop(observer);
  std::vector<Patterns> parts((features + grain - 1) / grain);
  std::vector<std::unique_ptr<Miner>> miners(threads_for(features, grain, threads));
  parallel_for(features, grain, threads, stop, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    if (miners[worker] == nullptr) miners[worker] = std::make_unique<Miner>(rows, weights, worker, budget, stop);
    miners[worker]->begin();
    for (std::size_t at = begin; at < end; ++at)
      miners[worker]->mine(first + static_cast<Rank>(at), parts[begin / grain]);
    parts[begin / grain].fit();
  });
  return Patterns::joined(std::move(parts)).merged();
}

}  // namespace gristmill::rows
