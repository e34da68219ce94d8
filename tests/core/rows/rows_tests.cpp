// SPDX-License-Identifier: BSD-3-Clause
// Rows and what finds them, each against a few obvious lines.
#include <algorithm>
#include <map>
#include <utility>

#include "random_rows.hpp"
#include "rows/id_table.hpp"
#include "rows/projection.hpp"
#include "rows/ranked_rows.hpp"
#include "rows/repeats.hpp"

namespace gristmill {
namespace {

// --- tables by id ----------------------------------------------------------------------------------------------------

bool finds(const std::vector<FeatureId>& ids, const std::vector<FeatureId>& others) {
  std::vector<int> values(ids.size());
  for (std::size_t at = 0; at < ids.size(); ++at) values[at] = static_cast<int>(at) + 1;
  const rows::IdTable<int> table(ids, values, -1);
  bool right = table.is_sound();
  table.prefetch_all(ids);
  table.prefetch_all(others);
  for (std::size_t at = 0; at < ids.size(); ++at) right = right && table.find(ids[at]) == values[at];
  for (const FeatureId id : others) right = right && table.find(id) == -1;
  return right;
}

void tables_by_id_find_what_they_hold() {
  constexpr FeatureId largest = 2147483646;
  CHECK(finds({}, {0, 1, largest}));
  CHECK(finds({0}, {1, 2, largest}));
  CHECK(finds({largest}, {0, 1, largest - 1}));
  CHECK(finds({3, 1, 0}, {2, 4, 5000, largest}));
  CHECK(finds({4096 + 16 - 1}, {0, 4110, 4112, largest}));  // the last that is a table
  CHECK(finds({4096 + 16}, {0, 4111, 4113, largest}));      // the first that is hashed
  Random random(2);
  for (const int limit : {100, 100000, 2147483647}) {
    std::set<FeatureId> held;
    std::set<FeatureId> others;
    for (int i = 0; i < 2000; ++i) held.insert(below(random, limit));
    for (int i = 0; i < 2000; ++i) others.insert(below(random, limit));
    for (const FeatureId id : held) others.erase(id);
    CHECK(finds({held.begin(), held.end()}, {others.begin(), others.end()}));
  }
}

void a_single_huge_id_costs_nothing() {
  const std::vector<FeatureId> ids{2147483646};
  const std::vector<double> values{1.0};
  CHECK(rows::IdTable<double>(ids, values, 0.0).nbytes() < 100);
}

// --- repeats ---------------------------------------------------------------------------------------------------------

void repeats_are_found_and_spread() {
  Random random(3);
  for (const std::size_t size : {0, 1, 31, 32, 500, 1024, 1025, 3000}) {
    const OwnedRows rows = random_rows(random, size, 3, 4);
    const std::optional<rows::Repeats> repeats = rows::Repeats::find(rows.view(), 0.0);
    CHECK(repeats.has_value() == (size >= 32));
    if (!repeats) continue;
    std::set<std::vector<FeatureId>> distinct;
    for (std::size_t row = 0; row < size; ++row) distinct.insert({rows.view()[row].begin(), rows.view()[row].end()});
    CHECK(repeats->distinct().size() == distinct.size());
    std::vector<std::size_t> numbers(2 * distinct.size());
    for (std::size_t at = 0; at < numbers.size(); ++at) numbers[at] = at;
    std::vector<std::size_t> out(2 * size);
    repeats->spread<std::size_t>(numbers, 2, out);
    bool right = true;
    for (std::size_t row = 0; row < size; ++row) {
      right = right && out[2 * row + 1] == out[2 * row] + 1 &&
              std::ranges::equal(repeats->distinct()[out[2 * row] / 2], rows.view()[row]);
    }
    CHECK(right);
  }
}

void few_repeats_are_not_looked_for() {
  OwnedRows rows;
  for (FeatureId id = 0; id < 100; ++id) rows.append({id, id + 1});
  CHECK(!rows::Repeats::find(rows.view(), 0.02));
  CHECK(rows::Repeats::find(rows.view(), 0.0)->distinct().size() == 100);
}

// --- mining ----------------------------------------------------------------------------------------------------------

void projections_are_where_features_stand_together() {
  Random random(6);
  for (int trial = 0; trial < 20; ++trial) {
    const OwnedRows data = random_rows(random, 40, 8, 15);
    const rows::RankedRows rows(data.view());
    rows::Projection projection(rows.features().size());
    for (rows::Rank rank = 0; rank < rows.features().size(); ++rank) {
      std::map<rows::Rank, std::vector<std::pair<RowId, std::uint32_t>>> wanted;
      for (const auto place : rows.places(rank)) {
        for (std::uint32_t at = 0; at < place.at; ++at) wanted[rows[place.row][at]].emplace_back(place.row, at);
      }
      projection.make(rows, rows.places(rank));
      CHECK(projection.features().size() == wanted.size());
      std::size_t at = 0;
      for (const auto& [feature, places] : wanted) {
        CHECK(projection.features()[at] == feature);
        CHECK(std::ranges::equal(projection.places(at), places, [](const auto& found, const auto& place) {
          return found.row == place.first && found.at == place.second;
        }));
        ++at;
      }
    }
  }
}

void ranked_rows_count_down() {
  Random random(7);
  const OwnedRows data = random_rows(random, 60, 8, 20);
  const rows::RankedRows rows(data.view());
  std::size_t places = 0;
  for (rows::Rank rank = 0; rank < rows.features().size(); ++rank) {
    CHECK(rank == 0 || rows.features().count(rank) <= rows.features().count(rank - 1));
    CHECK(rows.places(rank).size() == rows.features().count(rank));
    for (const auto place : rows.places(rank)) CHECK(rows[place.row][place.at] == rank);
    places += rows.places(rank).size();
  }
  CHECK(places == data.ids.size());
  for (std::size_t row = 0; row < rows.size(); ++row) CHECK(std::ranges::is_sorted(rows[row]));
}

}  // namespace

const TestFile rows_tests([] {
  tables_by_id_find_what_they_hold();
  a_single_huge_id_costs_nothing();
  repeats_are_found_and_spread();
  few_repeats_are_not_looked_for();
  projections_are_where_features_stand_together();
  ranked_rows_count_down();
});

}  // namespace gristmill
