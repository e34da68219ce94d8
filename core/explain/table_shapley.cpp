// SPDX-License-Identifier: BSD-3-Clause
#include "explain/table_shapley.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/parallel.hpp"
#include "base/triangle.hpp"
#include "explain/pair_order.hpp"
#include "solve/tables/cells.hpp"

namespace gristmill::explain {

using solve::tables::Codes;
using solve::tables::Lookup;

namespace {

constexpr std::size_t explained_at_once = 64;  // rows whose values stay in a near cache

void add_scaled(double* out, const double* entry, double share, std::size_t outputs) {
  for (std::size_t output = 0; output < outputs; ++output) out[output] += share * entry[output];
}

}  // namespace

TableShapley::TableShapley(std::vector<std::uint32_t> bins, std::vector<std::uint32_t> players,
                           const std::vector<std::vector<std::uint32_t>>& parts, std::vector<double> tables,
                           std::size_t outputs)
    : bins_(std::move(bins)), player_of_(std::move(players)), outputs_(outputs), tables_(std::move(tables)) {
  if (player_of_.size() != bins_.size()) throw std::invalid_argument("each column belongs to a player");
  for (const std::uint32_t player : player_of_) n_players_ = std::max<std::size_t>(n_players_, player + 1);
  for (const std::vector<std::uint32_t>& columns : parts) add_part(columns);
  const std::size_t cells = parts_.empty() ? 0 : parts_.back().begin + parts_.back().cells;
  if (cells != tables_.size()) throw std::invalid_argument("tables have an entry for each bin and output");
}

void TableShapley::add_part(const std::vector<std::uint32_t>& columns) {
  if (columns.empty() || columns.size() > solve::tables::most_columns) {
    throw std::invalid_argument("a part has one to three columns");
  }
  Part part{columns, parts_.empty() ? 0 : parts_.back().begin + parts_.back().cells, outputs_, 1, {}, 1, {}};
  for (const std::uint32_t column : columns) {
    if (column >= bins_.size()) throw std::invalid_argument("a part names columns that exist");
    part.cells *= bins_[column];
    part.players.push_back(player_of_[column]);
  }
  std::ranges::sort(part.players);
  part.players.erase(std::unique(part.players.begin(), part.players.end()), part.players.end());
  const std::size_t count = part.players.size();
  part.share = 1.0 / static_cast<double>(count);
  part.pair_share = count < 2 ? 0 : 1.0 / static_cast<double>(count - 1);
  for (std::size_t low = 0; low < count; ++low) {
    for (std::size_t high = low + 1; high < count; ++high) {
      part.pairs.push_back(pair_number(n_players_, part.players[low], part.players[high]));
    }
  }
  parts_.push_back(std::move(part));
}

void TableShapley::explain(const Codes& codes, std::span<double> values, std::span<double> interactions,
                           std::size_t threads, Observer& observer) const {
  check_codes(codes);
  const std::size_t width = n_players_ * outputs_;
  const std::size_t pairs = interactions.empty() ? 0 : pair_row(n_players_) * outputs_;
  if (!std::ranges::equal(codes.bins, bins_)) throw std::invalid_argument("the table has other columns");
  if (values.size() != codes.rows * width || interactions.size() != codes.rows * pairs) {
    throw std::invalid_argument("there is a place for each row, player or pair, and output");
  }
  parallel_for(codes.rows, explained_at_once, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t) {
    const std::size_t rows = end - begin;
    std::ranges::fill(values.subspan(begin * width, rows * width), 0.0);
    std::ranges::fill(interactions.subspan(begin * pairs, rows * pairs), 0.0);
    for (const Part& part : parts_) {
      add(part, codes, begin, end, values.data() + begin * width,
          pairs == 0 ? nullptr : interactions.data() + begin * pairs);
    }
  });
}

void TableShapley::add(const Part& part, const Codes& codes, std::size_t begin, std::size_t end, double* values,
                       double* interactions) const {
  const std::size_t width = n_players_ * outputs_;
  const std::size_t pairs = pair_row(n_players_) * outputs_;
  const double* table = tables_.data() + part.begin;
  with_columns(codes, Lookup{part.columns, part.cells, outputs_}, [&](auto arity, const auto& columns) {
    for (std::size_t row = begin; row < end; ++row, values += width) {
      const double* entry = table + solve::tables::cell_of<arity>(columns, row) * outputs_;
      for (const std::size_t player : part.players) {
        add_scaled(values + player * outputs_, entry, part.share, outputs_);
      }
      if (interactions == nullptr) continue;
      for (const std::size_t pair : part.pairs) {
        add_scaled(interactions + pair * outputs_, entry, part.pair_share, outputs_);
      }
      interactions += pairs;
    }
  });
}

}  // namespace gristmill::explain
