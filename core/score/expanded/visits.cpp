// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/visits.hpp"

namespace gristmill::score::expanded {
namespace {

// Counts what is looked at, whether it is there or not.
template <class Weight>
class VisitCounter {
 public:
  explicit VisitCounter(Visits& visits) : visits_(visits) {}

  void weight(Weight /*weight*/) {}
  void nodes(std::uint32_t count) { visits_.probes += count; }
  void block_row(std::uint32_t /*base*/, const std::uint32_t* /*ranks*/, std::uint32_t count) {
    visits_.entries += count;
  }
  void block_pair(std::uint32_t /*base*/, const std::uint32_t* /*ranks*/, std::uint32_t count) {
    visits_.entries += 1 + count;
  }
  void leaves(const Tables<Weight>& /*tables*/, std::uint32_t /*shift*/, const std::uint32_t* /*ranks*/,
              std::uint32_t count) {
    visits_.probes += count;
  }

 private:
  Visits& visits_;
};

template <class Weight>
void visit(const Tables<Weight>& tables, const PreparedRow& row, FoundNodes& nodes, Visits& visits) {
  VisitCounter<Weight> counter(visits);
  visits.features += row.size;
  conjunctions::of_block(tables, row, counter);
  for (std::uint32_t i = row.dense; i < row.common; ++i) conjunctions::of_common(tables, row, i, nodes, counter);
  for (std::uint32_t i = row.common; i < row.size; ++i) {
    visits.lines += static_cast<std::uint32_t>(*tables.rare.at(row.bases.data()[i]));
  }
}

}  // namespace

template <class Weight>
Visits count_visits(const Tables<Weight>& tables, rows::Rows rows) {
  Visits visits;
  RowWindow window;
  FoundNodes nodes;
  window.run(
      tables, rows, 0, rows.size(), [](const PreparedRow& /*row*/) {},
      [&](const PreparedRow& row, std::size_t /*number*/) { visit(tables, row, nodes, visits); });
  return visits;
}

template Visits count_visits(const Tables<double>& tables, rows::Rows rows);
template Visits count_visits(const Tables<RowRef>& tables, rows::Rows rows);

}  // namespace gristmill::score::expanded
