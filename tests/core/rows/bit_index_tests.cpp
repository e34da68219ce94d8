// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "random_rows.hpp"
#include "rows/bit_index.hpp"
#include "rows/overlap_index.hpp"

namespace gristmill {
namespace {

using rows::BitIndex;

// Every row that shares enough is found, with its count; whoever is found and shares too little has a rare feature.
void rows_that_share_enough_are_found() {
  const OwnedRows data = skewed_rows(9000, 60, 4);
  const OwnedRows queries = skewed_rows(16, 15, 5);
  const BitIndex index(data.view());
  CHECK(index.columns() > 0 && index.has_lists() && index.tiles() > 1);
  const rows::OverlapIndex overlaps(data.view());
  rows::OverlapIndex::Query expected_query;
  BitIndex::Query query;
  BitIndex::Rare rare = index.make_rare();
  BitIndex::Block block;
  BitIndex::Counts counts;
  for (std::size_t x = 0; x < queries.view().size(); ++x) {
    std::vector<std::uint32_t> expected(data.view().size());
    overlaps.look_up(queries.view()[x], expected_query);
    overlaps.count(expected_query, expected);
    index.look_up(queries.view()[x], query);
    index.count_rare(query, rare);
    CHECK(query.known() == expected_query.ranks.size());
    if (x % 2 == 0) BitIndex::put_rarest_first(query);
    for (std::size_t row = 0; row < expected.size(); ++row) {
      if (row % BitIndex::block_rows == 0) index.count(query, rare, row / BitIndex::block_rows, block, counts);
      CHECK(counts[row % BitIndex::block_rows] == expected[row]);
    }
    for (const std::size_t need : {0U, 1U, 2U, 5U, 9U, 100U}) {
      for (std::size_t at = 0; at < index.blocks(); ++at) {
        const bool some = index.find(query, rare, at, need, block);
        bool any = false;
        for (std::size_t inside = 0; inside < BitIndex::block_rows; ++inside) {
          const std::size_t row = at * BitIndex::block_rows + inside;
          const bool found = some && (block.found[inside / 64] >> (inside % 64) & 1) != 0;
          any = any || found;
          if (row >= expected.size()) {
            CHECK(!found);
            continue;
          }
          CHECK(found || expected[row] < need);
          CHECK(!found || expected[row] >= need || rare.counts[row] > 0);
          CHECK(!found || block.count(inside) + rare.counts[row] == expected[row]);
        }
        CHECK(any == some);
      }
    }
    index.clear_rare(query, rare);
  }
}

// Counts of more than eight digits.
void long_rows_are_counted() {
  OwnedRows data;
  std::set<FeatureId> ids;
  for (FeatureId id = 0; id < 700; ++id) ids.insert(id);
  for (int row = 0; row < 70; ++row) {
    data.append(ids);
    ids.erase(ids.begin());
  }
  const BitIndex index(data.view());
  BitIndex::Query query;
  BitIndex::Block block;
  BitIndex::Counts counts;
  index.look_up(data.view()[0], query);
  BitIndex::Rare rare = index.make_rare();
  index.count_rare(query, rare);
  index.count(query, rare, 0, block, counts);
  for (std::size_t row = 0; row < 70; ++row) CHECK(counts[row] == 700 - row);
}

void an_index_of_nothing_has_no_blocks() {
  const OwnedRows none;
  CHECK(BitIndex(none.view()).blocks() == 0);
}

}  // namespace

const TestFile bit_index_tests([] {
  rows_that_share_enough_are_found();
  long_rows_are_counted();
  an_index_of_nothing_has_no_blocks();
});

}  // namespace gristmill
