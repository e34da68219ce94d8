// SPDX-License-Identifier: BSD-3-Clause
#include "explain/set_reference.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "base/stop.hpp"
#include "explain/explain_contrasts.hpp"
#include "explain/kind_shares.hpp"
#include "explain/pair_order.hpp"
#include "score/sums.hpp"

namespace gristmill::explain {
namespace {

constexpr std::size_t player_groups = 2;  // of players: those of x, and those of the reference
constexpr std::size_t nobody = player_groups;

Kind shared_kind(std::size_t group) { return static_cast<Kind>(2 * group); }
Kind other_kind(std::size_t group) { return static_cast<Kind>(2 * group + 1); }

// Explains rows one after the other. One per thread.
class SetExplainer {
 public:
  SetExplainer(const RankedSupport& support, const kernel::SetValues& values)
      : support_(support),
        lengths_(values.lengths()),
        outputs_(support.outputs()),
        games_(values),
        places_(support.features) {}

  void explain(const Contrasts& contrasts, std::size_t row, std::span<double> values, std::span<double> interactions,
               Pulse& pulse) {
    const rows::Row ids = contrasts.rows[row];
    note_entries(contrasts, row);
    places_.set(ids);
    count_players(pulse);
    start_sums(!interactions.empty());
    for (const std::size_t number : order_) {
      if (number == order_.front() || !alike(number, previous_)) {
        shares_ = games_.shares(number, counts_[number], !interactions.empty(), pulse);
      }
      previous_ = number;
      find_players(number);
      add_values(number, values);
      if (!interactions.empty()) add_interactions(number, interactions);
      pulse(players_.size() * (interactions.empty() ? 1 : players_.size()) * outputs_ + 1);
    }
    finish(values, interactions);
    places_.clear(ids);
  }

 private:
  struct Player {
    std::size_t entry;
    std::size_t group;
  };

  // Whose player each entry is; what is the same in both rows is nobody's.
  void note_entries(const Contrasts& contrasts, std::size_t row) {
    group_.clear();
    in_both_.clear();
    sizes_ = {};
    common_ = 0;
    for (auto entry = static_cast<std::size_t>(contrasts.rows.offsets[row]);
         entry < static_cast<std::size_t>(contrasts.rows.offsets[row + 1]); ++entry) {
      const bool in_x = contrasts.in_x(entry) != 0;
      const bool in_reference = contrasts.in_reference(entry) != 0;
      const bool differs = in_x != in_reference;
      group_.push_back(differs ? (in_x ? 0 : 1) : nobody);
      in_both_.push_back(in_x && in_reference ? 1 : 0);
      if (differs) ++sizes_[group_.back()];
      common_ += static_cast<std::size_t>(in_both_.back());
    }
  }

  // Of all support rows, and their order: rows with the same counts and length follow one another.
  void count_players(Pulse& pulse) {
    counts_.assign(support_.size(), {});
    for (std::size_t number = 0; number < support_.size(); ++number) {
      KindCounts& counts = counts_[number];
      counts.common = common_;
      for (const rows::Rank rank : support_.row(number)) {
        if (!places_.has(rank)) continue;
        const std::size_t entry = places_.of(rank);
        if (group_[entry] != nobody) ++counts.players[shared_kind(group_[entry])];
        counts.common_shared += static_cast<std::size_t>(in_both_[entry]);
      }
      for (std::size_t group = 0; group < player_groups; ++group) {
        counts.players[other_kind(group)] = sizes_[group] - counts.players[shared_kind(group)];
      }
      pulse(support_.row(number).size());
    }
    order_.resize(support_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {},
                             [&](std::size_t number) { return std::tie(counts_[number], lengths_[number]); });
  }

  [[nodiscard]] bool alike(std::size_t one, std::size_t other) const {
    return counts_[one] == counts_[other] && lengths_[one] == lengths_[other];
  }

  void start_sums(bool pairs) {
    by_group_.assign(player_groups * outputs_, 0.0);
    if (!pairs) return;
    by_groups_.assign(player_groups * player_groups * outputs_, 0.0);
    singles_.assign(group_.size() * player_groups * outputs_, 0.0);
  }

  void find_players(std::size_t number) {
    players_.clear();
    for (const rows::Rank rank : support_.row(number)) {
      if (!places_.has(rank)) continue;
      const std::size_t entry = places_.of(rank);
      if (group_[entry] != nobody) players_.push_back({entry, group_[entry]});
    }
    std::ranges::sort(players_, {}, &Player::entry);
  }

  // Every player gets what the row gives to those it has not, and those it has the rest.
  void add_values(std::size_t number, std::span<double> values) {
    const auto& value = shares_.value;
    for (std::size_t group = 0; group < player_groups; ++group)
      support_.add(number, value[other_kind(group)], by_group_, group);
    for (const auto& [entry, group] : players_) {
      support_.add(number, value[shared_kind(group)] - value[other_kind(group)], values, entry);
    }
  }

  void add_interactions(std::size_t number, std::span<double> interactions) {
    const auto& pair = shares_.pair;
    for (std::size_t group = 0; group < player_groups; ++group) {
      for (std::size_t other = 0; other < player_groups; ++other) {
        support_.add(number, pair[other_kind(group)][other_kind(other)], by_groups_, group * player_groups + other);
      }
    }
    for (const auto& [entry, group] : players_) {
      for (std::size_t other = 0; other < player_groups; ++other) {
        const double single = pair[shared_kind(group)][other_kind(other)] - pair[other_kind(group)][other_kind(other)];
        support_.add(number, single, singles_, entry * player_groups + other);
      }
    }
    for (std::size_t one = 0; one < players_.size(); ++one) {
      for (std::size_t two = one + 1; two < players_.size(); ++two) {
        support_.add(number, both(players_[one].group, players_[two].group), interactions,
                     pair_number(group_.size(), players_[one].entry, players_[two].entry));
      }
    }
  }

  [[nodiscard]] double both(std::size_t one, std::size_t two) const {
    const auto& pair = shares_.pair;
    return (pair[shared_kind(one)][shared_kind(two)] - pair[shared_kind(one)][other_kind(two)]) -
           (pair[other_kind(one)][shared_kind(two)] - pair[other_kind(one)][other_kind(two)]);
  }

  void finish(std::span<double> values, std::span<double> interactions) const {
    const auto add_part = [&](std::span<const double> table, std::size_t at, std::span<double> out, std::size_t to) {
      score::add_to(out.subspan(to * outputs_, outputs_), table.subspan(at * outputs_, outputs_));
    };
    for (std::size_t one = 0; one < group_.size(); ++one) {
      if (group_[one] == nobody) continue;
      add_part(by_group_, group_[one], values, one);
      for (std::size_t two = one + 1; !interactions.empty() && two < group_.size(); ++two) {
        if (group_[two] == nobody) continue;
        const std::size_t to = pair_number(group_.size(), one, two);
        add_part(by_groups_, group_[one] * player_groups + group_[two], interactions, to);
        add_part(singles_, one * player_groups + group_[two], interactions, to);
        add_part(singles_, two * player_groups + group_[one], interactions, to);
      }
    }
  }

  const RankedSupport& support_;
  std::span<const std::int32_t> lengths_;
  std::size_t outputs_;
  KindGames games_;
  Places places_;
  std::vector<std::size_t> group_;  // by entry
  std::vector<char> in_both_;       // by entry
  std::array<std::size_t, player_groups> sizes_{};
  std::size_t common_ = 0;
  std::vector<KindCounts> counts_;  // by support row
  std::vector<std::size_t> order_;  // of support rows
  std::size_t previous_ = 0;
  KindShares shares_;
  std::vector<Player> players_;  // that the support row has
  // Sums x outputs: what each player of a group gets, what each pair of two groups does, and what a player adds
  // to its pairs with either group.
  std::vector<double> by_group_;
  std::vector<double> by_groups_;
  std::vector<double> singles_;
};

}  // namespace

SetReferenceShapley::SetReferenceShapley(std::shared_ptr<const machine::SetMachine> machine)
    : support_(std::move(machine)), values_(support_.machine->kernel, support_.machine->support()) {}

void SetReferenceShapley::explain(const Contrasts& contrasts, std::span<double> values, std::span<double> interactions,
                                  std::size_t threads, Observer& observer) const {
  explain_contrasts(contrasts, outputs(), values, interactions, threads, observer,
                    [&] { return SetExplainer(support_, values_); });
}

}  // namespace gristmill::explain
