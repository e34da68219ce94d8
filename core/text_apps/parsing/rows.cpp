// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/rows.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "base/errors.hpp"

namespace gristmill::text_apps::parsing {

Tree Trees::tree(std::size_t sentence) const {
  const std::size_t first = columns.first_token(sentence);
  const std::size_t size = columns.first_token(sentence + 1) - first;
  return {heads.subspan(first, size), relations.subspan(first, size)};
}

void check(const Trees& trees, const ConfigurationFeatures& features) {
  const auto known = static_cast<std::int32_t>(features.extractor().labels().size());
  if (trees.heads.size() != trees.columns.tokens() || trees.relations.size() != trees.columns.tokens()) {
    throw std::invalid_argument("heads and relations do not fit the words");
  }
  if (trees.columns.tokens() > 0 && trees.columns.columns() < features.extractor().columns()) {
    throw std::invalid_argument("words have fewer columns than templates look at");
  }
  for (std::size_t sentence = 0; sentence < trees.columns.size(); ++sentence) {
    const std::size_t first = trees.columns.first_token(sentence);
    const std::size_t size = trees.columns.first_token(sentence + 1) - first;
    if (const TreeFault fault = fault_of(trees.heads.subspan(first, size))) {
      throw std::invalid_argument("sentence " + std::to_string(sentence + 1) + ": " + fault.what);
    }
    for (std::size_t token = first; token < first + size; ++token) {
      const bool is_root = trees.heads[token] == no_word;
      if (trees.relations[token] >= known || trees.relations[token] < (is_root ? no_relation : 0)) {
        throw std::invalid_argument("a word has a relation that the templates do not know");
      }
    }
  }
}

namespace {

// Rows of one sentence after the other.
class Writer {
 public:
  Writer(const ConfigurationFeatures& features, const std::optional<SplitBy>& split, RowStrings strings)
      : features_(features),
        split_(split),
        dictionary_(strings.names),
        values_(strings.values),
        memo_(features.extractor().make_memo()) {}

  void read(const text::Cells& cells, std::size_t sentence) {
    if (memo_.is_full()) memo_.forget();
    cells_ = cells;
    sentence_ = static_cast<std::int32_t>(sentence);
    features_.extractor().read(cells, memo_, reading_);
  }

  rows::Row add_row(const Configuration& configuration) {
    features_.add_row(configuration, reading_, look_, memo_, dictionary_, rows.ids);
    const Offset begin = rows.offsets.back();
    rows.offsets.push_back(static_cast<Offset>(rows.ids.size()));
    rows.sentences.push_back(sentence_);
    rows.values.push_back(value_of(configuration));
    return std::span(rows.ids).subspan(static_cast<std::size_t>(begin));
  }

  ActionRows rows;

 private:
  [[nodiscard]] std::int32_t value_of(const Configuration& configuration) {
    if (!split_) return -1;
    const Word word = word_at(configuration, split_->address);
    if (word == no_word) return -1;
    return static_cast<std::int32_t>(values_.intern(cells_.at(static_cast<std::size_t>(word), split_->column)));
  }

  const ConfigurationFeatures& features_;
  const std::optional<SplitBy>& split_;
  templates::NewFeatures dictionary_;
  templates::Strings& values_;
  templates::Memo memo_;
  templates::Reading reading_;
  ConfigurationFeatures::Scratch look_;
  text::Cells cells_;
  std::int32_t sentence_ = 0;
};

// For each sentence: work(tree, cells, number).
template <class Work>
void for_each_tree(const Trees& trees, Observer& observer, Work work) {
  for (std::size_t sentence = 0; sentence < trees.columns.size(); ++sentence) {
    work(trees.tree(sentence), trees.columns.sentence(sentence), sentence);
    require(observer, sentence + 1, trees.columns.size());
  }
}

}  // namespace

ActionRows rows_of_trees(System system, const ConfigurationFeatures& features, const Trees& trees,
                         const std::optional<SplitBy>& split, RowStrings strings, Observer& observer) {
  check(trees, features);
  Writer writer(features, split, strings);
  Configuration configuration;
  for_each_tree(trees, observer, [&](const Tree& tree, const text::Cells& cells, std::size_t sentence) {
    const Oracle oracle(system, tree);
    if (!oracle.can_reach()) {
      ++writer.rows.skipped;
      return;
    }
    writer.read(cells, sentence);
    begin(system, configuration, tree.size());
    while (!legal_moves(system, configuration).empty()) {
      const Action action = oracle.next(configuration);
      writer.add_row(configuration);
      writer.rows.actions.push_back(action);
      take(system, configuration, action);
    }
  });
  return std::move(writer.rows);
}

namespace {

// A parser on its own way beside a tree.
class Explorer {
 public:
  explicit Explorer(const ActionClassifier& classifier)
      : classifier_(classifier), scratch_(classifier.make_scratch()) {}

  struct Found {
    Action right;  // as far as the tree can still be had
    Action own;
  };

  Found find(const Configuration& c, const Tree& tree, const text::Cells& cells, rows::Row row) {
    const std::uint32_t part = classifier_.part_for(c, cells);
    const MoveSet legal = legal_moves(System::arc_eager, c);
    const std::vector<double> scores = classifier_.scores_of(part, row, scratch_);
    const std::vector<Action>& actions = classifier_.part(part).actions;
    const std::array<std::int32_t, move_count> costs = eager_costs(c, tree);
    const auto cost_of = [&](Move move) { return costs[static_cast<std::size_t>(move)]; };
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    for (const Move move : {Move::shift, Move::left, Move::right, Move::reduce}) {
      if (legal.has(move)) least = std::min(least, cost_of(move));
    }
    const auto is_right = [&](const Action& action) {
      const std::int32_t relation = eager_relation(c, tree, action.move);
      return legal.has(action.move) && cost_of(action.move) == least &&
             (relation == no_relation || relation == action.relation);
    };
    const auto is_legal = [&](const Action& action) { return legal.has(action.move); };
    const Action own = best(actions, scores, is_legal).value_or(classifier_.last_resort(legal));
    return {best(actions, scores, is_right).value_or(any_right(c, tree, legal, least, costs)), own};
  }

 private:
  // Where the explorer knows no right action: the first move that gives away the fewest arcs.
  [[nodiscard]] Action any_right(const Configuration& c, const Tree& tree, MoveSet legal, std::int32_t least,
                                 std::span<const std::int32_t> costs) const {
    for (const Move move : {Move::shift, Move::reduce, Move::left, Move::right}) {
      if (!legal.has(move) || costs[static_cast<std::size_t>(move)] != least) continue;
      const std::int32_t relation = eager_relation(c, tree, move);
      return {move, has_relation(move) && relation == no_relation ? classifier_.fallback() : relation};
    }
    return classifier_.last_resort(legal);
  }

  template <class May>
  static std::optional<Action> best(std::span<const Action> actions, std::span<const double> scores, May may) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (may(actions[i]) && (!found || scores[i] > scores[*found])) found = i;
    }
    return found ? std::optional(actions[*found]) : std::nullopt;
  }

  const ActionClassifier& classifier_;
  ActionClassifier::Scratch scratch_;
};

}  // namespace

ActionRows rows_of_ways(const ConfigurationFeatures& features, const ActionClassifier& classifier, const Trees& trees,
                        const std::optional<SplitBy>& split, RowStrings strings, Observer& observer) {
  check(trees, features);
  if (trees.columns.tokens() > 0 && trees.columns.columns() < classifier.columns()) {
    throw std::invalid_argument("words have fewer columns than the parser looks at");
  }
  Writer writer(features, split, strings);
  Explorer explorer(classifier);
  Configuration configuration;
  for_each_tree(trees, observer, [&](const Tree& tree, const text::Cells& cells, std::size_t sentence) {
    if (!is_projective(tree)) {
      ++writer.rows.skipped;
      return;
    }
    writer.read(cells, sentence);
    begin(System::arc_eager, configuration, tree.size());
    while (!legal_moves(System::arc_eager, configuration).empty()) {
      const rows::Row row = writer.add_row(configuration);
      const Explorer::Found found = explorer.find(configuration, tree, cells, row);
      writer.rows.actions.push_back(found.right);
      take(System::arc_eager, configuration, found.own);
    }
  });
  return std::move(writer.rows);
}

}  // namespace gristmill::text_apps::parsing
