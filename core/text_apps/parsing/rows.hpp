// SPDX-License-Identifier: BSD-3-Clause
// Rows to learn from: the configurations on the way to known trees, and what to do in each.
#pragma once
#include "base/observer.hpp"
#include "text/columns.hpp"
#include "text_apps/parsing/action_classifier.hpp"
#include "text_apps/parsing/oracle.hpp"

namespace gristmill::text_apps::parsing {

struct ActionRows {
  std::vector<Offset> offsets{0};
  std::vector<FeatureId> ids;
  std::vector<Action> actions;
  std::vector<std::int32_t> sentences;  // that rows are of
  std::vector<std::int32_t> values;     // of the cell that machines are split by; -1 where there is no word
  std::size_t skipped = 0;              // sentences whose tree the system cannot give
};

// Trees of the sentences of columns: heads within their sentence, no_word for the root; relations.
struct Trees {
  const text::Columns& columns;
  std::span<const Word> heads;
  std::span<const std::int32_t> relations;

  [[nodiscard]] Tree tree(std::size_t sentence) const;
};

// std::invalid_argument unless there is a tree for each sentence, with relations that the features knows.
void check(const Trees& trees, const ConfigurationFeatures& features);

// What machines are split by.
struct SplitBy {
  Address address;
  std::uint32_t column;
};

// Where the rows of a system's own way to the trees go: features and values get numbers as they come.
struct RowStrings {
  templates::Strings& names;
  templates::Strings& values;
};

[[nodiscard]] ActionRows rows_of_trees(System system, const ConfigurationFeatures& features, const Trees& trees,
                                       const std::optional<SplitBy>& split, RowStrings strings, Observer& observer);

// The same where a parser goes its own way (arc_eager, projective trees), and where there it should have gone: of the
// moves that give away the fewest arcs of the tree the one that it finds best. Names are those of the classifier's
// machines, and grow.
[[nodiscard]] ActionRows rows_of_ways(const ConfigurationFeatures& features, const ActionClassifier& classifier,
                                      const Trees& trees, const std::optional<SplitBy>& split, RowStrings strings,
                                      Observer& observer);

}  // namespace gristmill::text_apps::parsing
