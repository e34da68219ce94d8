// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/scorer.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "score/expanded/tables_io.hpp"

namespace gristmill::score::expanded {
namespace {

ExpandedScorer::AnyTables build_any(const machine::SetMachine& machine, const rows::RankedRows& rows,
                                    FeatureTiers lines, machine::PkeThresholds keep, std::size_t max_bytes,
                                    Observer& observer) {
  if (machine.outputs() == 1) return build_tables<double>(machine, rows, lines, keep, max_bytes, observer);
  return build_tables<RowRef>(machine, rows, lines, keep, max_bytes, observer);
}

std::size_t bytes_of(const ExpandedScorer::AnyTables& tables) {
  return std::visit([](const auto& t) { return nbytes_of(t); }, tables);
}

// The next line to try when an expansion is too large: half of the common features become rare.
FeatureTiers fewer(FeatureTiers lines) {
  const rows::Rank common = lines.common - (lines.common + 1) / 2;
  return {std::min(lines.dense, common), common};
}

FeatureTiers lower(FeatureTiers a, FeatureTiers b) { return b.common < a.common ? b : a; }

[[noreturn]] void throw_too_large(std::optional<std::size_t> max_bytes) {
  const std::size_t budget = max_bytes.value_or(ExpandedScorer::default_max_bytes);
  throw std::length_error("the expansion takes more than max_bytes=" + std::to_string(budget));
}

// Nothing when the tables would take more room than there is.
std::optional<ExpandedScorer::AnyTables> build_within(const machine::SetMachine& machine, const rows::RankedRows& rows,
                                                      FeatureTiers lines, machine::PkeThresholds keep, std::size_t room,
                                                      Observer& observer) {
  try {
    ExpandedScorer::AnyTables tables = build_any(machine, rows, lines, keep, room, observer);
    if (bytes_of(tables) <= room) return tables;
    return std::nullopt;
  } catch (const TooLarge&) {
    return std::nullopt;
  }
}

ExpandedScorer::AnyTables expand(const machine::SetMachine& machine, const ExpandedOptions& options,
                                 Observer& observer) {
  const rows::RankedRows rows(machine.support());
  const std::size_t room = ExpandedScorer::room_beside(machine.nbytes(), options.max_bytes);
  const bool everything = options.keep.everything();
  const ExpectedWork work(machine, rows, options.sample);
  const auto drawn = [&](std::optional<std::size_t> rare) {
    return choose_tiers(machine, rows, work, rare, room, options.common_limit);
  };
  const bool fixed = !everything || (options.rare && !options.rare_may_grow);
  FeatureTiers lines = drawn(everything ? options.rare : std::optional<std::size_t>(0));
  // Tables take several times their size while they grow, so a line that nobody asked for gets a part of the room only.
  // It gives way to the one that would have been chosen, if that is lower.
  const bool unasked =
      options.rare && !fixed && machine.kernel.polynomial().degree > 1;  // with degree 1 lines change nothing
  std::size_t allowed = unasked ? room / 4 : room;
  for (;; allowed = room, lines = options.rare ? lower(fewer(lines), drawn(std::nullopt)) : fewer(lines)) {
    if (auto tables = build_within(machine, rows, lines, options.keep, allowed, observer)) return *std::move(tables);
    if (fixed || lines.common == 0) throw_too_large(options.max_bytes);
  }
}

// --- given conjunctions ----------------------------------------------------------------------------------------------

unsigned degree_of_given(const rows::ConjunctionIndex& index) {
  if (index.longest() > ExpandedScorer::most_degree) {
    throw std::invalid_argument("tables hold conjunctions of up to " + std::to_string(ExpandedScorer::most_degree) +
                                " features; the longest one here has " + std::to_string(index.longest()));
  }
  return static_cast<unsigned>(std::max<std::size_t>(index.longest(), 1));
}

ExpandedScorer::AnyTables tables_of_given(const machine::ConjunctionMachine& machine, const GivenOptions& options,
                                          Observer& observer) {
  const rows::ConjunctionIndex index(machine.support());
  const unsigned degree = degree_of_given(index);
  const std::size_t room = ExpandedScorer::room_beside(machine.nbytes(), options.max_bytes);
  const FeatureTiers lines = tiers_of_given(index, degree, machine.outputs(), room, options.common_limit);
  const std::size_t reach = std::max<std::size_t>(options.reach_length, degree);
  const auto build = [&]() -> ExpandedScorer::AnyTables {
    if (machine.outputs() == 1) return build_given<double>(machine, index, degree, lines, reach, room, observer);
    return build_given<RowRef>(machine, index, degree, lines, reach, room, observer);
  };
  try {
    ExpandedScorer::AnyTables tables = build();
    if (bytes_of(tables) > room) throw TooLarge();
    return tables;
  } catch (const TooLarge&) {
    throw_too_large(options.max_bytes);
  }
}

// --- rows ------------------------------------------------------------------------------------------------------------

// Bounds are made for rows of at most `reach` features, of which reach - k can extend a conjunction of k features. A
// row of more has several times as many, at each size up to degree - 1.
double times_reach(std::size_t known, std::size_t reach, std::size_t degree) {
  double times = 1;
  for (std::size_t k = 1; k < std::min(degree, reach) && known > reach; ++k) {
    times *= std::ceil(static_cast<double>(known - k) / static_cast<double>(reach - k));
  }
  return times;
}

// What a negative and a positive only output mean.
std::array<std::int32_t, 2> classes_of_signs(const DecisionPolicy& policy) {
  constexpr std::array scores{-1.0, 1.0};
  std::vector<std::int32_t> votes;
  const auto class_of = [&](std::size_t sign) {
    return score::decide(policy, std::span(scores).subspan(sign, 1), {}, {}, votes);
  };
  return {class_of(0), class_of(1)};
}

}  // namespace

ExpandedScorer::ExpandedScorer(const std::shared_ptr<const machine::SetMachine>& machine,
                               const ExpandedOptions& options, Observer& observer)
    : ExpandedScorer(machine, expand(*machine, options, observer)) {}

ExpandedScorer::ExpandedScorer(const std::shared_ptr<const machine::ConjunctionMachine>& machine,
                               const GivenOptions& options, Observer& observer)
    : ExpandedScorer(machine, tables_of_given(*machine, options, observer)) {}

std::size_t ExpandedScorer::room_beside(std::size_t machine_bytes, std::optional<std::size_t> max_bytes) {
  const std::size_t budget = max_bytes.value_or(default_max_bytes);
  return budget - std::min(budget, machine_bytes);
}

std::size_t ExpandedScorer::nbytes() const { return bytes_of(tables_) + machine_bytes_; }

std::size_t ExpandedScorer::conjunctions() const {
  return std::visit([](const auto& tables) { return static_cast<std::size_t>(tables.conjunctions); }, tables_);
}

FeatureTiers ExpandedScorer::lines() const {
  return std::visit(
      [](const auto& tables) {
        return FeatureTiers{static_cast<rows::Rank>(tables.dense), static_cast<rows::Rank>(tables.common)};
      },
      tables_);
}

ExpandedScorer::Scratch ExpandedScorer::make_scratch() const {
  const std::size_t features = std::visit([](const auto& tables) { return tables.features; }, tables_);
  Marks marks = marks_for(features);
  if (outputs() == 1) return SingleScratch{{}, std::move(marks), {}};
  return MultiScratch{.window = {},
                      .marks = std::move(marks),
                      .nodes = {},
                      .found = {},
                      .blocks = {},
                      .scores = std::vector<double>(padded_outputs(outputs())),
                      .coarse = std::vector<std::int32_t>(coarse_outputs(outputs())),
                      .rough = std::vector<double>(outputs()),
                      .votes = {},
                      .hits = {}};
}

void ExpandedScorer::score(rows::Rows rows, std::size_t begin, std::size_t end, std::span<double> out,
                           Scratch& scratch) const {
  std::visit(
      [&](const auto& tables) {
        if constexpr (is_single<decltype(tables)>) {
          score_single(tables, rows, begin, end, out, std::get<SingleScratch>(scratch));
        } else {
          score_multi(tables, {rows, begin, end, *coef_}, out, std::get<MultiScratch>(scratch));
        }
      },
      tables_);
}

void ExpandedScorer::decide(rows::Rows rows, std::size_t begin, std::size_t end, const DecisionPolicy& policy,
                            std::span<const double> doubt, std::span<std::int32_t> out, Scratch& scratch,
                            EarlyStopStats& early_stops) const {
  std::visit(
      [&](const auto& tables) {
        if constexpr (is_single<decltype(tables)>) {
          decide_single(tables, rows, begin, end, doubt, out, std::get<SingleScratch>(scratch), early_stops);
          const std::array<std::int32_t, 2> classes = classes_of_signs(policy);
          for (std::int32_t& value : out.subspan(begin, end - begin)) {
            if (value != undecided) value = classes[static_cast<std::size_t>(value)];
          }
        } else {
          decide_multi(tables, {rows, begin, end, *coef_}, policy, doubt, out, std::get<MultiScratch>(scratch),
                       early_stops);
        }
      },
      tables_);
}

Visits ExpandedScorer::visits(rows::Rows rows) const {
  return std::visit([&](const auto& tables) { return count_visits(tables, rows); }, tables_);
}

void ExpandedScorer::error_bounds(rows::Rows rows, std::span<double> out) const {
  std::visit(
      [&](const auto& tables) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
          double sum = 0;
          std::size_t known = 0;
          for (const FeatureId id : rows[row]) {
            const rows::Rank rank = tables.ranks.find(id);
            if (rank >= tables.features) continue;
            ++known;
            if (!tables.dropped.empty()) sum += static_cast<double>(tables.dropped[rank]);
          }
          out[row] = sum * times_reach(known, tables.reach_length, tables.degree);
        }
      },
      tables_);
}

}  // namespace gristmill::score::expanded
