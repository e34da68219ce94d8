// SPDX-License-Identifier: BSD-3-Clause
// Parsing: sentence in, tree out. Several sentences are on their way at once, so that a scorer has several rows in
// flight; the answer does not depend on how many. With a beam, several ways through one sentence are.
#pragma once
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "base/pool.hpp"
#include "text/columns.hpp"
#include "text_apps/parsing/action_classifier.hpp"
#include "text_apps/parsing/pseudo_projective.hpp"

namespace gristmill::text_apps::parsing {

struct Beam {
  std::size_t width = 1;     // ways that are followed at once; 1: greedy
  double temperature = 1.0;  // a score counts as its logarithm of softmax(scores / temperature)
};

// The way to the tree of one sentence: what was seen in each step, and what was done.
struct ParseTrace {
  std::vector<Offset> offsets{0};
  std::vector<FeatureId> ids;
  std::vector<std::int32_t> parts;  // of the classifier, that had to decide
  std::vector<Action> choices;      // what these find best
  std::vector<Action> actions;      // what was done; the same but with a beam
};

// Borrows what it is made of. Threads may share it: each call takes the workers it needs, and leaves them to later
// calls with all that their memos know.
class ParseDecoder {
 public:
  // names: of the features; marks: of relations that were lifted, or none.
  ParseDecoder(System system, const ConfigurationFeatures& features, const templates::Strings& names,
               const ActionClassifier& classifier, std::vector<Mark> marks, Beam beam);
  ParseDecoder(const ParseDecoder&) = delete;
  ParseDecoder& operator=(const ParseDecoder&) = delete;
  ~ParseDecoder();

  // Heads of words within their sentence, no_word for its root, and relations, no_relation for the root.
  void decode(const text::Columns& columns, std::span<Word> heads, std::span<std::int32_t> relations,
              std::size_t threads, Observer& observer) const;

  // How the tree of one sentence comes about; with a beam the steps of the way that wins.
  [[nodiscard]] ParseTrace trace(const text::Columns& columns, std::size_t sentence, Observer& observer) const;

 private:
  class Worker;

  void check(const text::Columns& columns) const;

  System system_;
  const ConfigurationFeatures& features_;
  const templates::Strings& names_;
  const ActionClassifier& classifier_;
  std::vector<Mark> marks_;
  Beam beam_;
  mutable Pool<Worker> idle_;
};

}  // namespace gristmill::text_apps::parsing
