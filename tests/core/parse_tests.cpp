// SPDX-License-Identifier: BSD-3-Clause
// Transition systems, CoNLL-U, units and the parser's decoder, for sanitizers: random moves, text of any bytes, tags
// that fit nothing, many threads on one decoder.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "base/errors.hpp"
#include "parse/conllu.hpp"
#include "parse/decoder.hpp"
#include "parse/rows.hpp"
#include "parse/units.hpp"
#include "random_rows.hpp"

namespace gristmill {
namespace {

constexpr std::array<System, 5> systems{System::arc_standard, System::arc_eager, System::swap, System::head_final,
                                        System::cascade};
constexpr std::array<Move, move_count> moves{Move::shift, Move::left, Move::right, Move::reduce, Move::swap};

Move random_move(Random& random, MoveSet legal) {
  while (true) {
    const Move move = moves[static_cast<std::size_t>(below(random, static_cast<int>(move_count)))];
    if (legal.has(move)) return move;
  }
}

std::vector<Word> random_tree(Random& random, std::size_t size) {
  std::vector<Word> heads(size, no_word);
  std::vector<Word> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = static_cast<Word>(i);
  std::ranges::shuffle(order, random);
  for (std::size_t i = 1; i < size; ++i) {
    heads[static_cast<std::size_t>(order[i])] = order[static_cast<std::size_t>(below(random, static_cast<int>(i)))];
  }
  return heads;
}

void all_ways_end_in_a_tree() {
  Random random(1);
  Configuration c;
  for (int round = 0; round < 1500; ++round) {
    const System system = systems[static_cast<std::size_t>(round) % systems.size()];
    begin(system, c, static_cast<std::size_t>(below(random, 9)));
    for (MoveSet legal = legal_moves(system, c); !legal.empty(); legal = legal_moves(system, c)) {
      const Move move = random_move(random, legal);
      take(system, c, {move, has_relation(move) ? 0 : no_relation});
    }
    CHECK(!fault_of(c.heads()));
  }
}

void oracles_give_trees_back() {
  Random random(2);
  Silent observer;
  for (int round = 0; round < 800; ++round) {
    const std::vector<Word> heads = random_tree(random, static_cast<std::size_t>(1 + below(random, 9)));
    const std::vector<std::int32_t> relations(heads.size(), 0);
    const Lifted lifted = lift(Tree(heads, relations), observer);
    CHECK(is_projective(Tree(lifted.heads, relations)));
    for (const System system : systems) {
      const Tree tree(system == System::swap ? heads : lifted.heads, relations);
      const Oracle oracle(system, tree);
      if (!oracle.can_reach()) continue;
      Configuration c;
      begin(system, c, tree.size());
      while (!legal_moves(system, c).empty()) take(system, c, oracle.next(c));
      for (Word word = 0; word < static_cast<Word>(tree.size()); ++word) CHECK(c.head(word) == tree.head(word));
    }
  }
}

void conllu_of_any_bytes_is_read_or_refused() {
  constexpr std::array<std::string_view, 12> parts{"1\ta\tb\tN\tNN\tx|y\t0\troot\t_\t_\n",
                                                   "2\tb\t_\t_\t_\t_\t1\tobj\t_\t_\r\n",
                                                   "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n",
                                                   "1.1\tz\t_\t_\t_\t_\t_\t_\t_\t_\n",
                                                   "# text\n",
                                                   "\n",
                                                   "\t",
                                                   "1",
                                                   "a",
                                                   "\n\n",
                                                   "\xC3",
                                                   "3\tc\t_\t_\t_\t_\t9\tobj\t_\t_"};
  Random random(3);
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (int i = below(random, 7); i > 0; --i) text += parts[static_cast<std::size_t>(below(random, 12))];
    try {
      const Conllu parsed = Conllu::parse(text, 1);
      CHECK(parsed.filled({}) == text);
      const std::vector<Word> heads = parsed.heads();
      CHECK(heads.size() == parsed.columns().tokens() && parsed.relations().size() == heads.size());
    } catch (const ParseError& error) {
      CHECK(error.line() >= 1 && error.column() >= 1);
    }
  }
}

Columns random_words(Random& random, std::size_t sentences) {
  constexpr std::array<std::string_view, 5> forms{"cat", "dog", "", "PUNCT", "x|y"};
  std::vector<std::string> cells;
  std::vector<std::int64_t> lengths;
  for (std::size_t sentence = 0; sentence < sentences; ++sentence) {
    lengths.push_back(below(random, 12));
    for (std::int64_t i = lengths.back() * Conllu::column_count; i > 0; --i) {
      cells.emplace_back(forms[static_cast<std::size_t>(below(random, 5))]);
    }
  }
  return Columns::of_cells(cells, Conllu::column_count, lengths);
}

void any_tags_make_units() {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    const Columns words = random_words(random, 3);
    std::vector<UnitTag> tags(words.tokens());
    for (UnitTag& tag : tags) tag = {below(random, 2) == 0, below(random, 3) - 1, below(random, 9) - 4};
    const Units units = Units::of_tags(words, tags, 0);
    CHECK(units.columns(words).tokens() == units.size());
    std::vector<Word> links(units.size(), no_word);
    std::vector<Word> heads(words.tokens());
    std::vector<std::int32_t> relations(words.tokens());
    units.compose(links, std::vector<std::int32_t>(units.size(), 0), heads, relations);
    CHECK(units.are_links(links));
  }
}

// A parser with random weights.
struct Parser {
  std::shared_ptr<const Lookout> lookout;
  Strings names;
  std::shared_ptr<const PolynomialMachine> machine;
  std::vector<Action> actions;

  Parser(Random& random, System system) {
    Templates templates;
    templates.places = 3;
    templates.facts = 1;
    templates.reach = 1;
    templates.silent = true;
    templates.sights = {{0, {}}, {2, {}}, {4, {View::Kind::parts, 0, false}}};
    templates.items = {{{{"a", 0, 0}}, ""},
                       {{{"b", 1, 1}, {"/", 2, Piece::label}}, ""},
                       {{{"c", 1, 2}}, ""},
                       {{{"d", 0, Piece::fact}}, ""}};
    auto extractor = std::make_shared<const Extractor>(templates, std::vector<std::string>{"x", "y"});
    const std::vector<Address> addresses{{Address::Base::stack, 0, {}},
                                         {Address::Base::buffer, 0, {Address::Step::pred}},
                                         {Address::Base::stack, 1, {Address::Step::ldep, Address::Step::rsib}}};
    lookout = std::make_shared<const Lookout>(extractor, addresses, std::vector<Fact>{{Fact::Kind::distance, 0, 1}});
    learn(random, system);
  }

  void learn(Random& random, System system) {
    Silent observer;
    const Columns words = random_words(random, 30);
    std::vector<Word> heads;
    for (std::size_t s = 0; s < words.size(); ++s) {
      const std::vector<Word> tree = random_tree(random, words.first_token(s + 1) - words.first_token(s));
      heads.insert(heads.end(), tree.begin(), tree.end());
    }
    const std::vector<std::int32_t> relations(heads.size(), 1);
    Strings values;
    ActionRows rows =
        rows_of_trees(System::swap, *lookout, {words, heads, relations}, std::nullopt, {names, values}, observer);
    actions = {{Move::shift, no_relation}, {Move::left, 0}, {Move::left, 1}};
    if (system != System::head_final) actions.insert(actions.end(), {{Move::right, 0}, {Move::reduce, no_relation}});
    std::vector<double> coef((rows.offsets.size() - 1) * actions.size());
    for (double& one : coef) one = below(random, 21) - 10;
    const std::size_t count = rows.offsets.size() - 1;
    machine = std::make_shared<const PolynomialMachine>(
        PolynomialMachine{{2, 1.0, 1.0},
                          std::move(rows.offsets),
                          std::move(rows.ids),
                          {},
                          Coefficients::dense(count, actions.size(), std::move(coef)),
                          std::vector<double>(actions.size(), 0.0)});
  }

  [[nodiscard]] Chooser chooser() const {
    LabellerOptions options;
    options.rule = Rule::largest;
    options.classes = static_cast<std::int32_t>(actions.size());
    options.doubt.assign(60, 1e-6);
    auto direct = std::make_shared<const DirectScorer>(machine);
    const auto with = [&](Labeller::AnyScorer scorer) {
      return Chooser::Part{std::make_shared<const Labeller>(std::move(scorer), direct, options), actions};
    };
    Chooser::Route route{{Address::Base::buffer, 0, {}}, 2, {}, {0, 1}, 0};
    route.values.intern("cat");
    route.values.intern("dog");
    return Chooser({with(direct), with(std::make_shared<const InvertedScorer>(machine))}, std::move(route), 1);
  }
};

// The steps of a trace lead to the tree that is decoded; they are what the chooser finds best unless a beam goes on.
void check_traces(const ParseDecoder& decoder, System system, const Columns& words, bool greedy) {
  Silent observer;
  std::vector<Word> heads(words.tokens());
  std::vector<std::int32_t> relations(words.tokens());
  decoder.decode(words, heads, relations, 1, observer);
  for (std::size_t s = 0; s < words.size(); ++s) {
    const ParseTrace trace = decoder.trace(words, s, observer);
    CHECK(trace.offsets.size() == trace.actions.size() + 1 && trace.offsets.back() == std::ssize(trace.ids));
    CHECK(trace.parts.size() == trace.actions.size());
    CHECK(!greedy || trace.choices == trace.actions);
    Configuration c;
    const std::size_t first = words.first_token(s);
    begin(system, c, words.first_token(s + 1) - first);
    for (const Action& action : trace.actions) {
      CHECK(legal_moves(system, c).has(action.move));
      take(system, c, action);
    }
    CHECK(legal_moves(system, c).empty());
    CHECK(std::ranges::equal(c.heads(), std::span(heads).subspan(first, c.size())));
    CHECK(std::ranges::equal(c.relations(), std::span(relations).subspan(first, c.size())));
  }
  CHECK(throws<std::invalid_argument>([&] { (void)decoder.trace(words, words.size(), observer); }));
}

void traces_lead_to_the_trees() {
  Random random(6);
  for (const System system : {System::arc_standard, System::arc_eager, System::head_final, System::cascade}) {
    const Parser parser(random, system);
    const Chooser chooser = parser.chooser();
    const Columns words = random_words(random, 40);
    for (const std::size_t width : {1, 3}) {
      const ParseDecoder decoder(system, *parser.lookout, parser.names, chooser, {}, {width, 0.5});
      check_traces(decoder, system, words, width == 1);
    }
  }
}

void one_decoder_serves_many_threads() {
  Random random(5);
  for (const System system : {System::arc_standard, System::arc_eager, System::head_final, System::cascade}) {
    const Parser parser(random, system);
    const Chooser chooser = parser.chooser();
    const Columns words = random_words(random, 300);
    const std::vector<Mark> marks{{0, false, no_relation, true}, {0, true, 0, false}};
    for (const std::size_t width : {1, 3}) {
      const ParseDecoder decoder(system, *parser.lookout, parser.names, chooser, marks, {width, 0.5});
      std::vector<std::vector<Word>> found;
      for (const std::size_t threads : {1, 3, 2}) {
        Silent observer;
        std::vector<Word> heads(words.tokens());
        std::vector<std::int32_t> relations(words.tokens());
        decoder.decode(words, heads, relations, threads, observer);
        for (std::size_t s = 0; s < words.size(); ++s) {
          const std::size_t first = words.first_token(s);
          CHECK(!fault_of(std::span(heads).subspan(first, words.first_token(s + 1) - first)));
        }
        found.push_back(std::move(heads));
      }
      CHECK(found[0] == found[1] && found[1] == found[2]);
    }
    const ParseDecoder decoder(system, *parser.lookout, parser.names, chooser, {}, {});
    Silent observer;
    CHECK(throws<std::invalid_argument>([&] { decoder.decode(words.picked({}), {}, {}, 1, observer); }));
  }
}

}  // namespace

void parse_tests() {
  all_ways_end_in_a_tree();
  oracles_give_trees_back();
  conllu_of_any_bytes_is_read_or_refused();
  any_tags_make_units();
  traces_lead_to_the_trees();
  one_decoder_serves_many_threads();
}

}  // namespace gristmill
