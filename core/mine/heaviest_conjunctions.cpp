// SPDX-License-Identifier: BSD-3-Clause
#include "mine/heaviest_conjunctions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "rows/ranked_rows.hpp"

namespace gristmill::mine {
namespace {

// A support row that holds the conjunction in question.
struct Holder {
  rows::RankedRows::Place place;  // of its most frequent feature
  double a;
};

struct Sums {
  double positive = 0;
  double negative = 0;
  std::size_t count = 0;

  void add(double a) {
    (a > 0 ? positive : negative) += a;
    ++count;
  }
  // No sum over some of the rows lies further from 0.
  [[nodiscard]] double reach() const { return std::max(positive, -negative); }
};

// c by size, and the largest |c| of more features than that, with the fewest features that have it.
struct Sizes {
  struct Most {
    double c = 0;
    std::size_t size = 0;
  };

  std::span<const double> c;
  std::vector<double> beyond;  // with room for rounding
  std::vector<Most> most;      // as they are

  // Sums round, in the bound as in what it bounds, so a little room is left: searching in vain is harmless.
  Sizes(std::span<const double> weights, std::size_t rows)
      : c(weights), beyond(weights.size(), 0.0), most(weights.size()) {
    const double room = 1 + 4 * (static_cast<double>(rows) + 16) * std::numeric_limits<double>::epsilon();
    for (std::size_t size = c.size(); size-- > 1;) {
      beyond[size - 1] = std::max(beyond[size], std::abs(c[size]) * room);
      most[size - 1] = std::abs(c[size]) >= most[size].c ? Most{std::abs(c[size]), size} : most[size];
    }
  }
  [[nodiscard]] std::size_t largest() const { return c.size() - 1; }
};

// The search of one thread.
class Search {
 public:
  Search(const rows::RankedRows& rows, const machine::Coefficients& coef, const Sizes& sizes,
         const HeaviestOptions& options, FoundConjunctions& found, std::size_t worker, Stop& stop)
      : rows_(rows),
        coef_(coef),
        sizes_(sizes),
        options_(options),
        found_(found),
        pulse_(stop, worker),
        by_output_(coef.outputs()),
        holders_(coef.outputs()),
        by_rank_(rows.features().size()),
        next_(rows.features().size(), nowhere),
        levels_(sizes.largest() + 1),
        first_ids_(first_ids(rows.features().ids(), 2 * sizes.largest())) {}

  // A feature alone, for all outputs. What its conjunctions with more frequent features weigh at most.
  double weigh(rows::Rank rank) {
    ranks_.assign(1, rank);
    tally_outputs(rank);
    double most = 0;
    for (const std::size_t output : outputs_) {
      const Sums sums = std::exchange(by_output_[output], Sums());
      consider(sums, output);
      if (sums.count >= options_.min_support) most = std::max(most, bound(sums));
    }
    return most;
  }

  // A feature's conjunctions with more frequent ones, for the outputs that are still in the race.
  void grow_from(rows::Rank rank) {
    ranks_.assign(1, rank);
    tally_outputs(rank);
    std::erase_if(outputs_, [&](std::size_t output) {
      const bool out = !may_grow(by_output_[output]);
      if (out) by_output_[output] = Sums();
      return out;
    });
    for (const rows::RankedRows::Place place : rows_.places(rank)) {
      for_each_coef(place.row, [&](std::size_t output, double a) {
        if (by_output_[output].count > 0) holders_[output].push_back({place, a});
      });
    }
    for (const std::size_t output : outputs_) {
      by_output_[output] = Sums();
      grow(holders_[output], output);
      holders_[output].clear();
    }
  }

 private:
  struct Child {
    rows::Rank rank;
    double bound;
    std::size_t begin;  // of its holders
    std::size_t count;
  };

  struct Level {
    std::vector<Child> children;
    std::vector<Holder> holders;  // of all children

    [[nodiscard]] std::span<const Holder> holders_of(const Child& child) const {
      return std::span(holders).subspan(child.begin, child.count);
    }
  };

  // visit(output, a) for the outputs that are asked for and that the row supports.
  template <class Visit>
  void for_each_coef(RowId row, Visit visit) const {
    coef_.for_each_in_row(row, [&](std::size_t output, double a) {
      if (a != 0 && output == options_.output.value_or(output)) visit(output, a);
    });
  }

  void tally_outputs(rows::Rank rank) {
    outputs_.clear();
    for (const rows::RankedRows::Place place : rows_.places(rank)) {
      for_each_coef(place.row, [&](std::size_t output, double a) {
        if (by_output_[output].count == 0) outputs_.push_back(output);
        by_output_[output].add(a);
        pulse_(1);
      });
    }
  }

  // The conjunction of ranks_, which these rows hold, with each more frequent feature, and so on. As deep as the
  // kernel's degree.
  void grow(std::span<const Holder> holders, std::size_t output) {
    Level& level = levels_[ranks_.size()];
    tally(holders);
    consider_children(level, output);
    gather(holders, level);
    for (const Child& child : level.children) {
      if (child.bound < found_.floor()) continue;  // which may have risen
      ranks_.push_back(child.rank);
      grow(level.holders_of(child), output);
      ranks_.pop_back();
    }
  }

  void tally(std::span<const Holder> holders) {
    met_.clear();
    for (const Holder& holder : holders) {
      for (const rows::Rank rank : rows_.more_frequent(holder.place)) {
        if (by_rank_[rank].count == 0) met_.push_back(rank);
        by_rank_[rank].add(holder.a);
      }
      pulse_(holder.place.at);
    }
  }

  // Those that may grow in their turn become children, the most promising first.
  void consider_children(Level& level, std::size_t output) {
    level.children.clear();
    for (const rows::Rank rank : met_) {
      const Sums sums = std::exchange(by_rank_[rank], Sums());
      ranks_.push_back(rank);
      consider(sums, output);
      if (may_grow(sums)) level.children.push_back({rank, bound(sums), 0, sums.count});
      ranks_.pop_back();
    }
    std::ranges::sort(level.children, std::ranges::greater(), &Child::bound);
    std::size_t end = 0;
    for (Child& child : level.children) child.begin = std::exchange(end, end + child.count);
    level.holders.resize(end);
  }

  void gather(std::span<const Holder> holders, Level& level) {
    if (level.children.empty()) return;
    for (const Child& child : level.children) next_[child.rank] = child.begin;
    for (const Holder& holder : holders) {
      const std::span<const rows::Rank> more_frequent = rows_.more_frequent(holder.place);
      for (std::uint32_t at = 0; at < more_frequent.size(); ++at) {
        std::size_t& next = next_[more_frequent[at]];
        if (next != nowhere) level.holders[next++] = {{holder.place.row, at}, holder.a};
      }
    }
    for (const Child& child : level.children) next_[child.rank] = nowhere;
  }

  // The conjunction of ranks_, whose rows have these sums.
  void consider(const Sums& sums, std::size_t output) {
    const double c = sizes_.c[ranks_.size()];
    const double raises = c * (c > 0 ? sums.positive : sums.negative);
    const double lowers = c * (c > 0 ? sums.negative : sums.positive);
    const double weight = std::abs(raises + lowers);
    if (sums.count < options_.min_support || weight == 0 || weight < found_.floor()) return;
    std::vector<FeatureId> ids(ranks_.size());
    std::ranges::transform(ranks_, ids.begin(), [&](rows::Rank rank) { return rows_.features().ids()[rank]; });
    std::ranges::sort(ids);
    found_.offer({std::move(ids), output, raises, lowers, sums.count});
  }

  // What the conjunctions weigh at most that contain the one of ranks_, whose rows have these sums.
  [[nodiscard]] double bound(const Sums& sums) const { return sizes_.beyond[ranks_.size()] * sums.reach(); }

  [[nodiscard]] bool may_grow(const Sums& sums) const {
    if (ranks_.size() == sizes_.largest() || sums.count < options_.min_support) return false;
    return bound(sums) >= found_.floor() && (sums.count > 1 || may_win_a_tie(sums.reach()));
  }

  // Whether what contains the conjunction of ranks_, which one row alone holds, can be kept beside all that weighs the
  // same: in a row of a hundred thousand features all conjunctions of a size do. No sum rounds here.
  [[nodiscard]] bool may_win_a_tie(double a) const {
    const Sizes::Most& most = sizes_.most[ranks_.size()];
    if (most.c * a > found_.floor()) return true;
    std::vector<FeatureId> ids(ranks_.size());
    std::ranges::transform(ranks_, ids.begin(), [&](rows::Rank rank) { return rows_.features().ids()[rank]; });
    for (const FeatureId id : first_ids_) {  // as small as those beside them can be
      if (ids.size() == most.size) break;
      if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    std::ranges::sort(ids);
    return found_.has_room_for({std::move(ids), 0, most.c * a, 0, 1});
  }

  [[nodiscard]] static std::vector<FeatureId> first_ids(std::span<const FeatureId> ids, std::size_t count) {
    std::vector<FeatureId> first(std::min(count, ids.size()));
    std::ranges::partial_sort_copy(ids, first);
    return first;
  }

  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  const rows::RankedRows& rows_;
  const machine::Coefficients& coef_;
  const Sizes& sizes_;
  const HeaviestOptions& options_;
  FoundConjunctions& found_;
  Pulse pulse_;
  std::vector<rows::Rank> ranks_;             // of the conjunction in question, rarest first
  std::vector<std::size_t> outputs_;          // met
  std::vector<Sums> by_output_;               // zero between uses
  std::vector<std::vector<Holder>> holders_;  // by output; empty between uses
  std::vector<rows::Rank> met_;
  std::vector<Sums> by_rank_;         // zero between uses
  std::vector<std::size_t> next_;     // by rank: where to write a holder; nowhere between uses
  std::vector<Level> levels_;         // by size of the conjunction that grows
  std::vector<FeatureId> first_ids_;  // the smallest there are
};

// Features, those that promise most first.
std::vector<rows::Rank> in_order(std::span<const double> bounds) {
  std::vector<rows::Rank> order(bounds.size());
  std::iota(order.begin(), order.end(), rows::Rank{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](rows::Rank rank) { return bounds[rank]; });
  return order;
}

}  // namespace

std::vector<Conjunction> heaviest_conjunctions(rows::Rows support, const machine::Coefficients& coef,
                                               std::span<const double> c, const HeaviestOptions& options,
                                               std::size_t threads, Observer& observer) {
  if (c.size() < 2) return {};
  constexpr std::size_t grain = 16;  // features
  const rows::RankedRows rows(support);
  const std::size_t features = rows.features().size();
  const Sizes sizes(c, rows.size());
  FoundConjunctions found(options);
  Scaled passes(observer, 0, features, 2 * features);
  Stop stop(passes);
  std::vector<std::unique_ptr<Search>> searches(threads_for(features, grain, threads));
  const auto for_each_feature = [&](const auto& visit) {
    parallel_for(features, grain, threads, stop, [&](std::size_t begin, std::size_t end, std::size_t worker) {
      std::unique_ptr<Search>& search = searches[worker];
      if (search == nullptr) search = std::make_unique<Search>(rows, coef, sizes, options, found, worker, stop);
      for (std::size_t at = begin; at < end; ++at) visit(*search, at);
    });
  };
  std::vector<double> bounds(features);
  for_each_feature([&](Search& search, std::size_t at) { bounds[at] = search.weigh(static_cast<rows::Rank>(at)); });
  passes.set_part(features, 2 * features);
  const std::vector<rows::Rank> order = in_order(bounds);
  for_each_feature([&](Search& search, std::size_t at) {
    if (bounds[order[at]] >= found.floor()) search.grow_from(order[at]);
  });
  return std::move(found).sorted();
}

}  // namespace gristmill::mine
