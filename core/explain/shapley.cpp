// SPDX-License-Identifier: BSD-3-Clause
#include "explain/shapley.hpp"

#include <algorithm>

#include "explain/code_sums.hpp"
#include "explain/column_sums.hpp"
#include "explain/pair_order.hpp"
#include "score/sums.hpp"

namespace gristmill::explain {
namespace {

constexpr std::size_t block_rows = 2048;  // whose parts are kept in the cache while all columns add them

double sum_of_parts(std::span<const RowId> rows, const double* parts) {
  return sum_of(rows.size(), [&](std::size_t at) { return parts[rows[at]]; });
}

void add_all_rows(const SingleOutput&, std::size_t rows, const double* parts, double* out) {
  *out += sum_of(rows, [&](std::size_t row) { return parts[row]; });
}
template <class Outputs>
void add_all_rows(const Outputs& with, std::size_t rows, const double* parts, double* out) {
  for (std::size_t row = 0; row < rows; ++row) with.add(row, parts[row], out);
}

}  // namespace

ShapleyExplainer::ShapleyExplainer(std::shared_ptr<const machine::SetMachine> machine)
    : machine_(std::move(machine)), index_(machine_->support()) {
  if (machine_->kernel.by_overlap()) {
    by_overlap_.emplace(machine_->kernel, index_.longest());
  } else {
    by_length_ = std::make_unique<const ByLength>(*machine_);
  }
}

ShapleyExplainer::ByLength::ByLength(const machine::SetMachine& machine)
    : values(machine.kernel, machine.support()),
      shares(values),
      places(values.size()),
      coef(values.different().size() * machine.outputs(), 0.0) {
  for (std::size_t row = 0; row < places.size(); ++row) {
    const std::size_t place = values.place_of(values.lengths()[row]);
    places[row] = static_cast<std::uint32_t>(place);
    machine.coef.add_row(row, 1.0, std::span(coef).subspan(place * machine.outputs(), machine.outputs()));
  }
}

ShapleyExplainer::Scratch ShapleyExplainer::make_scratch() const {
  Scratch scratch;
  scratch.counters = index_.make_counters();
  scratch.parts.resize(index_.rows());
  return scratch;
}

std::size_t ShapleyExplainer::nbytes() const noexcept {
  const std::size_t numbers =
      by_overlap_ ? by_overlap_->share.size() + by_overlap_->pair.size() : by_length_->coef.size();
  const std::size_t lengths =
      by_overlap_ ? 0 : by_length_->values.nbytes() + by_length_->places.size() * sizeof(std::uint32_t);
  return index_.nbytes() + machine_->nbytes() + numbers * sizeof(double) + lengths;
}

void ShapleyExplainer::explain(rows::Row x, std::span<double> values, std::span<double> interactions,
                               Scratch& scratch) const {
  std::ranges::fill(values, 0.0);
  std::ranges::fill(interactions, 0.0);
  count_overlaps(x, scratch);
  with_outputs(machine_->coef, [&](const auto& with) {
    if (by_overlap_) return explain_by_overlap(with, *by_overlap_, x.size(), values, interactions, scratch);
    explain_by_length(with, x.size(), values, interactions, scratch);
  });
  forget_overlaps(scratch);
}

template <class Outputs>
void ShapleyExplainer::explain_by_overlap(const Outputs& with, const ShapleyShares& shares, std::size_t features,
                                          std::span<double> values, std::span<double> interactions,
                                          Scratch& scratch) const {
  const auto by = [](const std::vector<double>& factor) {
    return [factor = factor.data()](std::size_t, std::size_t overlap) { return factor[overlap]; };
  };
  weigh_rows(with, by(shares.share), scratch);
  add_values(with, values, scratch);
  const bool is_linear = machine_->kernel.is_polynomial() && machine_->kernel.polynomial().degree < 2;
  if (interactions.empty() || is_linear) return;
  weigh_rows(with, by(shares.pair), scratch);
  add_interactions(with, features, interactions, scratch);
}

template <class Outputs>
void ShapleyExplainer::explain_by_length(const Outputs& with, std::size_t features, std::span<double> values,
                                         std::span<double> interactions, Scratch& scratch) const {
  const ShareTable& table = shares_for(features, !interactions.empty(), scratch);
  weigh_rows(with, by_length_->factor(table, table.more), scratch);
  add_values(with, values, scratch);
  sum_rows(with, table, table.out, scratch);
  for (std::size_t at = 0; at < features; ++at) {
    add_sums(values.data() + at * with.outputs, scratch.total.data(), with.outputs);
  }
  if (interactions.empty()) return;
  weigh_rows(with, by_length_->factor(table, table.both), scratch);
  add_interactions(with, features, interactions, scratch);
  scratch.singles.assign(features * with.outputs, 0.0);
  weigh_rows(with, by_length_->factor(table, table.one), scratch);
  add_values(with, scratch.singles, scratch);
  sum_rows(with, table, table.none, scratch);
  double* pair = interactions.data();
  for (std::size_t one = 0; one < features; ++one) {
    for (std::size_t other = one + 1; other < features; ++other, pair += with.outputs) {
      add_sums(pair, scratch.total.data(), with.outputs);
      add_sums(pair, scratch.singles.data() + one * with.outputs, with.outputs);
      add_sums(pair, scratch.singles.data() + other * with.outputs, with.outputs);
    }
  }
}

const ShareTable& ShapleyExplainer::shares_for(std::size_t features, bool pairs, Scratch& scratch) const {
  if (by_length_->shares.is_asked()) ask_for_shares(scratch);
  return by_length_->shares.table(features, pairs, scratch.asked, scratch.shares);
}

void ShapleyExplainer::ask_for_shares(Scratch& scratch) const {
  const auto& places = by_length_->places;
  scratch.asked.clear();
  for (std::size_t place = 0; place < by_length_->values.different().size(); ++place)
    scratch.asked.push_back({place, 0});
  std::visit(
      [&](const auto& counters) {
        for (std::size_t row = 0; row < counters.size(); ++row) scratch.asked.push_back({places[row], counters[row]});
      },
      scratch.counters);
}

// Where x has rare features alone, a row that shares m of them is met m times, and all others have an overlap of 0.
template <class Outputs>
void ShapleyExplainer::sum_rows(const Outputs& with, const ShareTable& table, const std::vector<double>& factor,
                                Scratch& scratch) const {
  const std::size_t outputs = with.outputs;
  scratch.total.assign(outputs, 0.0);
  if (!scratch.frequent.empty()) {
    weigh_rows(with, by_length_->factor(table, factor), scratch);
    return add_all_rows(with, index_.rows(), scratch.parts.data(), scratch.total.data());
  }
  for (std::size_t place = 0; place < by_length_->values.different().size(); ++place) {
    const double by_none = factor[table.at(place, 0)];
    for (std::size_t o = 0; o < outputs; ++o) scratch.total[o] += by_none * by_length_->coef[place * outputs + o];
  }
  std::visit(
      [&](const auto& counters) {
        for (const Known& rare : scratch.rare) {
          for (const RowId row : index_.postings(rare.rank)) {
            const std::size_t place = by_length_->places[row];
            const double beyond = factor[table.at(place, counters[row])] - factor[table.at(place, 0)];
            const double part = with.part(row, beyond / static_cast<double>(counters[row]));
            with.add(row, part, scratch.total.data());
          }
        }
      },
      scratch.counters);
}

void ShapleyExplainer::count_overlaps(rows::Row x, Scratch& scratch) const {
  scratch.frequent.clear();
  scratch.rare.clear();
  score::for_each_known(index_.features(), x, [&](rows::Rank rank, std::size_t place) {
    (index_.has_column(rank) ? scratch.frequent : scratch.rare).push_back({static_cast<std::uint32_t>(place), rank});
  });
  index_.look_up(x, scratch.query);
  std::visit([&](auto& counters) { index_.count(scratch.query, counters); }, scratch.counters);
}

void ShapleyExplainer::forget_overlaps(Scratch& scratch) const {
  std::visit(
      [&](auto& counters) {
        if (!scratch.frequent.empty()) {
          std::ranges::fill(counters, 0);
          return;
        }
        for (const Known& rare : scratch.rare) {
          for (const RowId row : index_.postings(rare.rank)) counters[row] = 0;
        }
      },
      scratch.counters);
}

// Where x has rare features alone, rows that have none of them keep what was there before.
template <class Outputs, class Factor>
void ShapleyExplainer::weigh_rows(const Outputs& with, const Factor& factor, Scratch& scratch) const {
  double* parts = scratch.parts.data();
  std::visit(
      [&](const auto& counters) {
        if (!scratch.frequent.empty()) return weigh_all(with, std::span(counters), factor, parts);
        for (const Known& rare : scratch.rare) {
          for (const RowId row : index_.postings(rare.rank)) parts[row] = with.part(row, factor(row, counters[row]));
        }
      },
      scratch.counters);
}

void ShapleyExplainer::make_codes(std::size_t most, Scratch& scratch) const {
  std::vector<std::span<const std::uint8_t>> columns;
  columns.reserve(scratch.frequent.size());
  for (const Known& one : scratch.frequent) columns.push_back(index_.column(one.rank));
  scratch.codes.make(columns, most, index_.rows());
}

void ShapleyExplainer::add_values(const SingleOutput&, std::span<double> out, Scratch& scratch) const {
  const double* parts = scratch.parts.data();
  for (const Known& rare : scratch.rare) out[rare.place] = sum_of_parts(index_.postings(rare.rank), parts);
  const auto& frequent = scratch.frequent;
  std::vector<LaneSums> sums(frequent.size() + 1);  // the last one of an odd number stands beside itself
  for (std::size_t begin = 0; begin < index_.rows(); begin += block_rows) {
    const std::size_t size = std::min(block_rows, index_.rows() - begin);
    for (std::size_t at = 0; at < frequent.size(); at += 2) {
      const std::size_t other = std::min(at + 1, frequent.size() - 1);
      add_columns(index_.column(frequent[at].rank).subspan(begin, size),
                  index_.column(frequent[other].rank).data() + begin, parts + begin, sums[at], sums[at + 1]);
    }
  }
  for (std::size_t at = 0; at < frequent.size(); ++at) out[frequent[at].place] = total(sums[at]);
}

template <class Outputs>
void ShapleyExplainer::add_values(const Outputs& with, std::span<double> out, Scratch& scratch) const {
  const double* parts = scratch.parts.data();
  for (const Known& rare : scratch.rare) {
    for (const RowId row : index_.postings(rare.rank)) {
      with.add(row, parts[row], out.data() + rare.place * with.outputs);
    }
  }
  if (scratch.frequent.empty()) return;
  make_codes(with.most_together, scratch);
  add_by_column(with, scratch.codes, scratch.codes.all_rows(), parts, scratch.sums,
                [&](std::size_t column) { return out.data() + scratch.frequent[column].place * with.outputs; });
}

template <class Outputs>
void ShapleyExplainer::add_interactions(const Outputs& with, std::size_t features, std::span<double> out,
                                        Scratch& scratch) const {
  const double* parts = scratch.parts.data();
  const auto& frequent = scratch.frequent;
  const auto pair = [&](std::size_t one, std::size_t other) {
    return out.data() + pair_number(features, one, other) * with.outputs;
  };
  if (!frequent.empty()) {
    make_codes(with.most_together, scratch);
    const auto of = [&](std::size_t one, std::size_t other) {
      return pair(frequent[one].place, frequent[other].place);
    };
    PairSums(with, scratch.codes, parts, scratch.sums, of).add_all();
    for (const Known& rare : scratch.rare) {
      add_by_column(with, scratch.codes, index_.postings(rare.rank), parts, scratch.sums,
                    [&](std::size_t column) { return pair(rare.place, frequent[column].place); });
    }
  }
  add_rare_pairs(with, pair, scratch);
}

// A support row remembers its rare features that came before, and each meets all of them.
template <class Outputs, class Pair>
void ShapleyExplainer::add_rare_pairs(const Outputs& with, const Pair& pair, Scratch& scratch) const {
  auto& heads = scratch.heads;
  auto& links = scratch.links;
  heads.resize(index_.rows());
  links.assign(1, {});
  for (const Known& rare : scratch.rare) {
    for (const RowId row : index_.postings(rare.rank)) {
      for (std::uint32_t at = heads[row]; at != 0; at = links[at].next) {
        with.add(row, scratch.parts[row], pair(links[at].place, rare.place));
      }
      links.push_back({rare.place, heads[row]});
      heads[row] = static_cast<std::uint32_t>(links.size() - 1);
    }
  }
  for (const Known& rare : scratch.rare) {
    for (const RowId row : index_.postings(rare.rank)) heads[row] = 0;
  }
}

}  // namespace gristmill::explain
