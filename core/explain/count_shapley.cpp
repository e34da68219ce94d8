// SPDX-License-Identifier: BSD-3-Clause
#include "explain/count_shapley.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "explain/count_game.hpp"
#include "explain/pair_order.hpp"
#include "score/sums.hpp"

namespace gristmill::explain {
namespace {

using Player = CountGame::Player;

constexpr std::size_t most_remembered = std::size_t{1} << 22U;  // values and interactions of games

// What a support row and the groups of one example are to one another; groups in an order of their own.
struct Game {
  std::size_t length = 0;  // of the support row
  std::size_t shared = 0;  // with what is there whoever comes, ...
  std::size_t common = 0;  // ... and the length of that
  std::vector<Player> players;
  friend auto operator<=>(const Game&, const Game&) = default;
};

struct Shares {
  std::vector<double> values;
  std::vector<double> pairs;
};

// Explains rows one after the other. One per thread.
class CountExplainer {
 public:
  CountExplainer(const machine::SetMachine& machine, const kernel::SetValues& values, const rows::FeatureMap& features,
                 std::span<const rows::Rank> ranks, bool independent)
      : machine_(machine),
        values_(values),
        features_(features),
        ranks_(ranks),
        independent_(independent),
        places_(features.size(), 0) {}

  void explain(const Contrasts& contrasts, std::size_t row, std::span<double> values, std::span<double> interactions,
               Pulse& pulse) {
    const rows::Row ids = contrasts.rows[row];
    score::for_each_known(features_, ids, [&](rows::Rank rank, std::size_t at) { places_[rank] = at + 1; });
    gather(contrasts, row);
    check_counts();
    remembered_.clear();
    for (std::size_t number = 0; number < machine_.support().size(); ++number) {
      set_game(number);
      pulse(all_.size() + machine_.support().length(number));
      add(number, shares(number, !interactions.empty(), pulse), values, interactions);
    }
    score::for_each_known(features_, ids, [&](rows::Rank rank, std::size_t) { places_[rank] = 0; });
  }

 private:
  struct Entry {
    std::size_t player;
    std::uint32_t in_x;
    double reference;
  };

  // The players as they are to a support row that shares nothing.
  void gather(const Contrasts& contrasts, std::size_t row) {
    entries_.clear();
    all_.assign(contrasts.n_players(row), Player{});
    for (std::size_t at = 0; at < contrasts.rows.length(row); ++at) {
      const std::size_t entry = static_cast<std::size_t>(contrasts.rows.offsets[row]) + at;
      const std::uint32_t in_x = contrasts.in_x(entry) != 0 ? 1 : 0;
      entries_.push_back({contrasts.player(row, at), in_x, contrasts.in_reference(entry)});
      Player& player = all_[entries_.back().player];
      player.came.length += in_x;
      if (independent_) {
        player.absent[other].chance += entries_.back().reference;
      } else {
        player.absent[one].length += entries_.back().reference != 0 ? 1 : 0;
      }
    }
    for (Player& player : all_) set_absent(player);
  }

  // Of an absent player: what it is; where there are chances: a feature that is shared, another one, or none.
  enum Absent : std::size_t { one, other, none };

  void set_absent(Player& player) const {
    if (independent_) {
      player.absent[one] = {.shared = 1, .length = 1, .chance = 0};
      player.absent[other].length = 1;
      player.absent[none].chance = std::max(0.0, 1 - player.absent[other].chance);
    } else {
      player.absent[one].chance = 1;
    }
  }

  void share(Player& player, const Entry& entry) const {
    player.came.shared += entry.in_x;
    if (independent_) {
      player.absent[one].chance += entry.reference;
      player.absent[other].chance = std::max(0.0, player.absent[other].chance - entry.reference);
    } else if (entry.reference != 0) {
      ++player.absent[one].shared;
    }
  }

  // What any support row can make of the players.
  void check_counts() const {
    CountGame::Extent extent;
    for (const Player& player : all_) {
      const auto [least, most] = std::minmax(player.came.length, player.absent[one].length);
      extent.shared += most;
      extent.lengths += independent_ ? 1 : most - least;
    }
    extent.shared = std::min(extent.shared, machine_.support().longest() + 1);
    const std::size_t lengths = machine_.kernel.by_overlap() ? 1 : extent.lengths;
    if (all_.size() * extent.shared * lengths <= CountShapley::most_counts) return;
    throw std::invalid_argument(
        "under this kernel groups are explained by counts of shared and of all features: " +
        std::to_string(all_.size()) + " groups with " + std::to_string(extent.shared) + " x " +
        std::to_string(lengths) + " counts are more than " + std::to_string(CountShapley::most_counts) +
        " numbers; make fewer or smaller groups, or explain each column by itself (groups=False)");
  }

  void set_game(std::size_t number) {
    players_ = all_;
    for (const rows::Rank rank : score::row_of(machine_.support(), ranks_, number)) {
      if (places_[rank] == 0) continue;
      const Entry& entry = entries_[places_[rank] - 1];
      share(players_[entry.player], entry);
    }
    game_ = {.length = machine_.support().length(number), .players = {}};
    names_.clear();
    for (std::size_t name = 0; name < players_.size(); ++name) {
      if (machine_.kernel.by_overlap()) forget_lengths(players_[name]);
      const CountGame::Outcome least = players_[name].take_least();
      game_.shared += least.shared;
      game_.common += least.length;
      if (!players_[name].gives_nothing()) names_.push_back(name);
    }
    std::ranges::stable_sort(names_, {}, [&](std::size_t name) -> const Player& { return players_[name]; });
    for (const std::size_t name : names_) game_.players.push_back(players_[name]);
  }

  static void forget_lengths(Player& player) {
    player.came.length = 0;
    for (CountGame::Outcome& outcome : player.absent) outcome.length = 0;
  }

  const Shares& shares(std::size_t number, bool pairs, Pulse& pulse) {
    const auto found = remembered_.find(game_);
    if (found != remembered_.end()) return found->second;
    CountGame::Extent extent;
    for (const Player& player : game_.players) extent.add(player);
    set_worth(number, extent);
    count_game_.play(game_.players, worth_, pairs, pulse);
    const std::size_t numbers = count_game_.values().size() + count_game_.pairs().size();
    if ((remembered_.size() + 1) * numbers > most_remembered) remembered_.clear();
    const Shares made{{count_game_.values().begin(), count_game_.values().end()},
                      {count_game_.pairs().begin(), count_game_.pairs().end()}};
    return remembered_.emplace(game_, made).first->second;
  }

  // k by what players give; 0 for counts that nothing can give.
  void set_worth(std::size_t number, const CountGame::Extent& extent) {
    worth_.assign(extent.size(), 0.0);
    for (std::size_t more = 0; more < extent.lengths; ++more) {
      const std::size_t length = game_.common + more;
      const std::size_t most = machine_.kernel.by_overlap() ? game_.length : std::min(length, game_.length);
      values_.with_row(number, length, extent.lengths, [&](const auto& value) {
        for (std::size_t at = 0; at < extent.shared && game_.shared + at <= most; ++at) {
          worth_[more * extent.shared + at] = value(game_.shared + at);
        }
      });
    }
  }

  void add(std::size_t number, const Shares& shares, std::span<double> values, std::span<double> interactions) const {
    const auto add_to = [&](std::span<double> table, std::size_t at, double share) {
      machine_.coef.add_row(number, share, table.subspan(at * machine_.outputs(), machine_.outputs()));
    };
    for (std::size_t h = 0; h < names_.size(); ++h) add_to(values, names_[h], shares.values[h]);
    if (interactions.empty()) return;
    const double* pair = shares.pairs.data();
    for (std::size_t g = 0; g < names_.size(); ++g) {
      for (std::size_t h = g + 1; h < names_.size(); ++h, ++pair) {
        add_to(interactions, pair_number(all_.size(), names_[g], names_[h]), *pair);
      }
    }
  }

  const machine::SetMachine& machine_;
  const kernel::SetValues& values_;
  const rows::FeatureMap& features_;
  std::span<const rows::Rank> ranks_;
  bool independent_;
  std::vector<std::size_t> places_;  // by rank: one more than where the feature is in the row; 0 where it is not
  std::vector<Entry> entries_;
  std::vector<Player> all_;         // to a support row that shares nothing
  std::vector<Player> players_;     // to the support row
  std::vector<std::size_t> names_;  // of the players of the game, in its order
  Game game_;
  std::vector<double> worth_;
  CountGame count_game_;
  std::map<Game, Shares> remembered_;  // of this example
};

}  // namespace

CountShapley::CountShapley(std::shared_ptr<const machine::SetMachine> machine)
    : machine_(std::move(machine)),
      values_(machine_->kernel, machine_->support()),
      features_(machine_->support()),
      ranks_(score::ranks_of(features_, machine_->ids)) {}

void CountShapley::explain(const Contrasts& contrasts, bool independent, std::span<double> values,
                           std::span<double> interactions, std::size_t threads, Observer& observer) const {
  const std::size_t rows = contrasts.rows.size();
  const std::vector<std::size_t> pairs = pair_offsets(contrasts, !interactions.empty());
  const std::size_t workers = threads_for(rows, 1, threads);
  std::vector<CountExplainer> explainers;
  explainers.reserve(workers);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    explainers.emplace_back(*machine_, values_, features_, ranks_, independent);
  }
  Stop stop(observer);
  parallel_for(rows, 1, threads, stop, [&](std::size_t row, std::size_t, std::size_t worker) {
    Pulse pulse(stop, worker);
    explainers[worker].explain(
        contrasts, row, values.subspan(contrasts.first_player(row) * outputs(), contrasts.n_players(row) * outputs()),
        interactions.subspan(pairs[row] * outputs(), (pairs[row + 1] - pairs[row]) * outputs()), pulse);
  });
}

}  // namespace gristmill::explain
