// SPDX-License-Identifier: BSD-3-Clause
#include "explain/conjunction_shapley.hpp"

#include <algorithm>

#include "explain/pair_order.hpp"
#include "score/batch.hpp"
#include "score/sums.hpp"

namespace gristmill::explain {
namespace {

// k! l! / (k + l)!, without what leaves the range of double before the end.
double one_in_orders(std::size_t k, std::size_t l) {
  double share = 1;
  for (std::size_t i = 1; i <= std::min(k, l); ++i) {
    share *= static_cast<double>(i) / static_cast<double>(std::max(k, l) + i);
  }
  return share;
}

// What a player adds where k others have to come before it and l must not have.
double chance(std::size_t k, std::size_t l) { return one_in_orders(k, l) / static_cast<double>(k + l + 1); }

}  // namespace

ConjunctionShapley::ConjunctionShapley(std::shared_ptr<const machine::ConjunctionMachine> machine)
    : machine_(std::move(machine)), index_(machine_->support()) {}

ConjunctionShapley::Scratch ConjunctionShapley::make_scratch() const {
  const std::size_t features = index_.features().size();
  return {{}, std::vector<std::uint8_t>(features, 0), std::vector<std::uint32_t>(features, 0), {}, {}, {}};
}

void ConjunctionShapley::explain(const Contrasts& contrasts, std::span<double> values, std::span<double> interactions,
                                 std::size_t threads, Observer& observer) const {
  const rows::Rows rows = contrasts.rows;
  const std::vector<std::size_t> pairs = pair_offsets(contrasts, !interactions.empty());
  score::for_pieces(
      *this, rows.size(), score::score_grain, threads, observer,
      [&](std::size_t begin, std::size_t end, std::size_t, Scratch& scratch) {
        for (std::size_t row = begin; row < end; ++row) {
          explain_row(contrasts, row,
                      values.subspan(contrasts.first_player(row) * outputs(), contrasts.n_players(row) * outputs()),
                      interactions.subspan(pairs[row] * outputs(), (pairs[row + 1] - pairs[row]) * outputs()), scratch);
        }
      });
}

void ConjunctionShapley::explain_row(const Contrasts& contrasts, std::size_t row, std::span<double> values,
                                     std::span<double> interactions, Scratch& scratch) const {
  const rows::Row ids = contrasts.rows[row];
  const auto begin = static_cast<std::size_t>(contrasts.rows.offsets[row]);
  scratch.known.clear();
  score::for_each_known(index_.features(), ids, [&](rows::Rank rank, std::size_t place) {
    scratch.known.push_back(rank);
    scratch.marked[rank] = 1;
    scratch.places[rank] = static_cast<std::uint32_t>(place);
  });
  for (const rows::Rank home : scratch.known) {
    index_.for_each_held(std::span(&home, 1), scratch.marked, [&](rows::ConjunctionIndex::Place at) {
      scratch.members.clear();
      const auto note = [&](rows::Rank rank) {
        const std::size_t place = scratch.places[rank];
        scratch.members.push_back({contrasts.player(row, place), contrasts.in_x(begin + place) != 0,
                                   contrasts.in_reference(begin + place) != 0});
      };
      note(home);
      for (const rows::Rank rank : index_.others(at)) note(rank);
      if (divide(contrasts.grouped(), scratch)) {
        add(index_.number(at), contrasts.n_players(row), values, interactions, scratch);
      }
    });
  }
  for (const rows::Rank rank : scratch.known) scratch.marked[rank] = 0;
}

bool ConjunctionShapley::divide(bool grouped, Scratch& scratch) {
  std::vector<Scratch::Member>& members = scratch.members;
  if (grouped) {
    std::ranges::sort(members, {}, &Scratch::Member::player);
    std::size_t kept = 0;
    for (const Scratch::Member& next : members) {
      if (kept > 0 && members[kept - 1].player == next.player) {
        members[kept - 1].in_x = members[kept - 1].in_x && next.in_x;
        members[kept - 1].in_reference = members[kept - 1].in_reference && next.in_reference;
      } else {
        members[kept++] = next;
      }
    }
    members.resize(kept);
  }
  scratch.come.clear();
  scratch.stay.clear();
  for (const auto& [player, in_x, in_reference] : members) {
    if (!in_x && !in_reference) return false;
    if (!in_reference) scratch.come.push_back(player);
    if (!in_x) scratch.stay.push_back(player);
  }
  return true;
}

void ConjunctionShapley::add(RowId number, std::size_t players, std::span<double> values,
                             std::span<double> interactions, const Scratch& scratch) const {
  const std::size_t p = scratch.come.size();
  const std::size_t q = scratch.stay.size();
  const auto give = [&](std::span<double> table, std::size_t at, double share) {
    machine_->coef.add_row(number, share, table.subspan(at * outputs(), outputs()));
  };
  for (const std::size_t player : scratch.come) give(values, player, chance(p - 1, q));
  for (const std::size_t player : scratch.stay) give(values, player, -chance(p, q - 1));
  if (interactions.empty()) return;
  const auto give_pair = [&](std::size_t one, std::size_t other, double share) {
    give(interactions, pair_number(players, one, other), share);
  };
  const auto all_pairs = [&](std::span<const std::size_t> those, double share) {
    for (std::size_t i = 1; i < those.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) give_pair(those[i], those[j], share);
    }
  };
  if (p >= 2) all_pairs(scratch.come, chance(p - 2, q));
  if (q >= 2) all_pairs(scratch.stay, chance(p, q - 2));
  for (const std::size_t one : scratch.come) {
    for (const std::size_t other : scratch.stay) give_pair(one, other, -chance(p - 1, q - 1));
  }
}

}  // namespace gristmill::explain
