// SPDX-License-Identifier: BSD-3-Clause
// Transition systems, CoNLL-U, chunks and the parser's decoder, for sanitizers: random moves, text of any bytes, tags
// that fit nothing, many threads on one decoder.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "base/errors.hpp"
#include "random_rows.hpp"
#include "text_apps/parsing/chunks.hpp"
#include "text_apps/parsing/conllu.hpp"
#include "text_apps/parsing/decoder.hpp"
#include "text_apps/parsing/rows.hpp"

namespace gristmill {
namespace {

constexpr std::array<text_apps::parsing::System, 5> systems{
    text_apps::parsing::System::arc_standard, text_apps::parsing::System::arc_eager, text_apps::parsing::System::swap,
    text_apps::parsing::System::head_final, text_apps::parsing::System::cascade};
constexpr std::array<text_apps::parsing::Move, text_apps::parsing::move_count> moves{
    text_apps::parsing::Move::shift, text_apps::parsing::Move::left, text_apps::parsing::Move::right,
    text_apps::parsing::Move::reduce, text_apps::parsing::Move::swap};

text_apps::parsing::Move random_move(Random& random, text_apps::parsing::MoveSet legal) {
  while (true) {
    const text_apps::parsing::Move move =
        moves[static_cast<std::size_t>(below(random, static_cast<int>(text_apps::parsing::move_count)))];
    if (legal.has(move)) return move;
  }
}

std::vector<text_apps::parsing::Word> random_tree(Random& random, std::size_t size) {
  std::vector<text_apps::parsing::Word> heads(size, text_apps::parsing::no_word);
  std::vector<text_apps::parsing::Word> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = static_cast<text_apps::parsing::Word>(i);
  std::ranges::shuffle(order, random);
  for (std::size_t i = 1; i < size; ++i) {
    heads[static_cast<std::size_t>(order[i])] = order[static_cast<std::size_t>(below(random, static_cast<int>(i)))];
  }
  return heads;
}

void all_ways_end_in_a_tree() {
  Random random(1);
  text_apps::parsing::Configuration c;
  for (int round = 0; round < 1500; ++round) {
    const text_apps::parsing::System system = systems[static_cast<std::size_t>(round) % systems.size()];
    text_apps::parsing::begin(system, c, static_cast<std::size_t>(below(random, 9)));
    for (text_apps::parsing::MoveSet legal = text_apps::parsing::legal_moves(system, c); !legal.empty();
         legal = text_apps::parsing::legal_moves(system, c)) {
      const text_apps::parsing::Move move = random_move(random, legal);
      text_apps::parsing::take(system, c,
                               {move, text_apps::parsing::has_relation(move) ? 0 : text_apps::parsing::no_relation});
    }
    CHECK(!text_apps::parsing::fault_of(c.heads()));
  }
}

void oracles_give_trees_back() {
  Random random(2);
  Silent observer;
  for (int round = 0; round < 800; ++round) {
    const std::vector<text_apps::parsing::Word> heads =
        random_tree(random, static_cast<std::size_t>(1 + below(random, 9)));
    const std::vector<std::int32_t> relations(heads.size(), 0);
    const text_apps::parsing::Lifted lifted =
        text_apps::parsing::lift(text_apps::parsing::Tree(heads, relations), observer);
    CHECK(text_apps::parsing::is_projective(text_apps::parsing::Tree(lifted.heads, relations)));
    for (const text_apps::parsing::System system : systems) {
      const text_apps::parsing::Tree tree(system == text_apps::parsing::System::swap ? heads : lifted.heads, relations);
      const text_apps::parsing::Oracle oracle(system, tree);
      if (!oracle.can_reach()) continue;
      text_apps::parsing::Configuration c;
      text_apps::parsing::begin(system, c, tree.size());
      while (!text_apps::parsing::legal_moves(system, c).empty()) text_apps::parsing::take(system, c, oracle.next(c));
      for (text_apps::parsing::Word word = 0; word < static_cast<text_apps::parsing::Word>(tree.size()); ++word)
        CHECK(c.head(word) == tree.head(word));
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
      const text_apps::parsing::Conllu parsed = text_apps::parsing::Conllu::parse(text, 1);
      CHECK(parsed.filled({}) == text);
      const std::vector<text_apps::parsing::Word> heads = parsed.heads();
      CHECK(heads.size() == parsed.columns().tokens() && parsed.relations().size() == heads.size());
    } catch (const ParseError& error) {
      CHECK(error.line() >= 1 && error.column() >= 1);
    }
  }
}

text::Columns random_words(Random& random, std::size_t sentences) {
  constexpr std::array<std::string_view, 5> forms{"cat", "dog", "", "PUNCT", "x|y"};
  std::vector<std::string> cells;
  std::vector<std::int64_t> lengths;
  for (std::size_t sentence = 0; sentence < sentences; ++sentence) {
    lengths.push_back(below(random, 12));
    for (std::int64_t i = lengths.back() * text_apps::parsing::Conllu::column_count; i > 0; --i) {
      cells.emplace_back(forms[static_cast<std::size_t>(below(random, 5))]);
    }
  }
  return text::Columns::of_cells(cells, text_apps::parsing::Conllu::column_count, lengths);
}

void any_tags_make_units() {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    const text::Columns words = random_words(random, 3);
    std::vector<text_apps::parsing::ChunkTag> tags(words.tokens());
    for (text_apps::parsing::ChunkTag& tag : tags)
      tag = {below(random, 2) == 0, below(random, 3) - 1, below(random, 9) - 4};
    const text_apps::parsing::Chunks chunks = text_apps::parsing::Chunks::of_tags(words, tags, 0);
    CHECK(chunks.columns(words).tokens() == chunks.size());
    std::vector<text_apps::parsing::Word> links(chunks.size(), text_apps::parsing::no_word);
    std::vector<text_apps::parsing::Word> heads(words.tokens());
    std::vector<std::int32_t> relations(words.tokens());
    chunks.compose(links, std::vector<std::int32_t>(chunks.size(), 0), heads, relations);
    CHECK(chunks.are_links(links));
  }
}

// A parser with random weights.
struct Parser {
  std::shared_ptr<const text_apps::parsing::ConfigurationFeatures> features;
  text_apps::templates::Strings names;
  std::shared_ptr<const machine::SetMachine> machine;
  std::vector<text_apps::parsing::Action> actions;

  Parser(Random& random, text_apps::parsing::System system) {
    text_apps::templates::Templates templates;
    templates.places = 3;
    templates.facts = 1;
    templates.reach = 1;
    templates.silent = true;
    templates.sights = {{0, {}}, {2, {}}, {4, {text_apps::templates::View::Kind::parts, 0, false}}};
    templates.items = {{{{"a", 0, 0}}, ""},
                       {{{"b", 1, 1}, {"/", 2, text_apps::templates::Piece::label}}, ""},
                       {{{"c", 1, 2}}, ""},
                       {{{"d", 0, text_apps::templates::Piece::fact}}, ""}};
    auto extractor =
        std::make_shared<const text_apps::templates::Extractor>(templates, std::vector<std::string>{"x", "y"});
    const std::vector<text_apps::parsing::Address> addresses{
        {text_apps::parsing::Address::Base::stack, 0, {}},
        {text_apps::parsing::Address::Base::buffer, 0, {text_apps::parsing::Address::Step::pred}},
        {text_apps::parsing::Address::Base::stack,
         1,
         {text_apps::parsing::Address::Step::ldep, text_apps::parsing::Address::Step::rsib}}};
    features = std::make_shared<const text_apps::parsing::ConfigurationFeatures>(
        extractor, addresses, std::vector<text_apps::parsing::Fact>{{text_apps::parsing::Fact::Kind::distance, 0, 1}});
    learn(random, system);
  }

  void learn(Random& random, text_apps::parsing::System system) {
    Silent observer;
    const text::Columns words = random_words(random, 30);
    std::vector<text_apps::parsing::Word> heads;
    for (std::size_t s = 0; s < words.size(); ++s) {
      const std::vector<text_apps::parsing::Word> tree =
          random_tree(random, words.first_token(s + 1) - words.first_token(s));
      heads.insert(heads.end(), tree.begin(), tree.end());
    }
    const std::vector<std::int32_t> relations(heads.size(), 1);
    text_apps::templates::Strings values;
    text_apps::parsing::ActionRows rows =
        text_apps::parsing::rows_of_trees(text_apps::parsing::System::swap, *features, {words, heads, relations},
                                          std::nullopt, {names, values}, observer);
    actions = {{text_apps::parsing::Move::shift, text_apps::parsing::no_relation},
               {text_apps::parsing::Move::left, 0},
               {text_apps::parsing::Move::left, 1}};
    if (system != text_apps::parsing::System::head_final)
      actions.insert(actions.end(), {{text_apps::parsing::Move::right, 0},
                                     {text_apps::parsing::Move::reduce, text_apps::parsing::no_relation}});
    std::vector<double> coef((rows.offsets.size() - 1) * actions.size());
    for (double& one : coef) one = below(random, 21) - 10;
    const std::size_t count = rows.offsets.size() - 1;
    machine = std::make_shared<const machine::SetMachine>(
        machine::SetMachine{kernel::PolynomialKernel{2, 1.0, 1.0},
                            std::move(rows.offsets),
                            std::move(rows.ids),
                            {},
                            machine::Coefficients::dense(count, actions.size(), std::move(coef)),
                            std::vector<double>(actions.size(), 0.0)});
  }

  [[nodiscard]] text_apps::parsing::ActionClassifier classifier() const {
    score::decision::LabellerOptions options;
    options.policy = {score::DecisionRule::largest, static_cast<std::int32_t>(actions.size()), 0};
    options.doubt.assign(60, 1e-6);
    auto direct = std::make_shared<const score::DirectScorer>(machine);
    const auto with = [&](score::decision::Labeller::AnyScorer scorer) {
      return text_apps::parsing::ActionClassifier::Part{
          std::make_shared<const score::decision::Labeller>(std::move(scorer), direct, options), actions};
    };
    text_apps::parsing::ActionClassifier::Route route{
        {text_apps::parsing::Address::Base::buffer, 0, {}}, 2, {}, {0, 1}, 0};
    route.values.intern("cat");
    route.values.intern("dog");
    return text_apps::parsing::ActionClassifier(
        {with(direct), with(std::make_shared<const score::InvertedScorer>(machine))}, std::move(route), 1);
  }
};

// The steps of a trace lead to the tree that is decoded; they are what the classifier finds best unless a beam goes on.
void check_traces(const text_apps::parsing::ParseDecoder& decoder, text_apps::parsing::System system,
                  const text::Columns& words, bool greedy) {
  Silent observer;
  std::vector<text_apps::parsing::Word> heads(words.tokens());
  std::vector<std::int32_t> relations(words.tokens());
  decoder.decode(words, heads, relations, 1, observer);
  for (std::size_t s = 0; s < words.size(); ++s) {
    const text_apps::parsing::ParseTrace trace = decoder.trace(words, s, observer);
    CHECK(trace.offsets.size() == trace.actions.size() + 1 && trace.offsets.back() == std::ssize(trace.ids));
    CHECK(trace.parts.size() == trace.actions.size());
    CHECK(!greedy || trace.choices == trace.actions);
    text_apps::parsing::Configuration c;
    const std::size_t first = words.first_token(s);
    text_apps::parsing::begin(system, c, words.first_token(s + 1) - first);
    for (const text_apps::parsing::Action& action : trace.actions) {
      CHECK(text_apps::parsing::legal_moves(system, c).has(action.move));
      text_apps::parsing::take(system, c, action);
    }
    CHECK(text_apps::parsing::legal_moves(system, c).empty());
    CHECK(std::ranges::equal(c.heads(), std::span(heads).subspan(first, c.size())));
    CHECK(std::ranges::equal(c.relations(), std::span(relations).subspan(first, c.size())));
  }
  CHECK(throws<std::invalid_argument>([&] { (void)decoder.trace(words, words.size(), observer); }));
}

void traces_lead_to_the_trees() {
  Random random(6);
  for (const text_apps::parsing::System system :
       {text_apps::parsing::System::arc_standard, text_apps::parsing::System::arc_eager,
        text_apps::parsing::System::head_final, text_apps::parsing::System::cascade}) {
    const Parser parser(random, system);
    const text_apps::parsing::ActionClassifier classifier = parser.classifier();
    const text::Columns words = random_words(random, 40);
    for (const std::size_t width : {1, 3}) {
      const text_apps::parsing::ParseDecoder decoder(system, *parser.features, parser.names, classifier, {},
                                                     {width, 0.5});
      check_traces(decoder, system, words, width == 1);
    }
  }
}

void one_decoder_serves_many_threads() {
  Random random(5);
  for (const text_apps::parsing::System system :
       {text_apps::parsing::System::arc_standard, text_apps::parsing::System::arc_eager,
        text_apps::parsing::System::head_final, text_apps::parsing::System::cascade}) {
    const Parser parser(random, system);
    const text_apps::parsing::ActionClassifier classifier = parser.classifier();
    const text::Columns words = random_words(random, 300);
    const std::vector<text_apps::parsing::Mark> marks{{0, false, text_apps::parsing::no_relation, true},
                                                      {0, true, 0, false}};
    for (const std::size_t width : {1, 3}) {
      const text_apps::parsing::ParseDecoder decoder(system, *parser.features, parser.names, classifier, marks,
                                                     {width, 0.5});
      std::vector<std::vector<text_apps::parsing::Word>> found;
      for (const std::size_t threads : {1, 3, 2}) {
        Silent observer;
        std::vector<text_apps::parsing::Word> heads(words.tokens());
        std::vector<std::int32_t> relations(words.tokens());
        decoder.decode(words, heads, relations, threads, observer);
        for (std::size_t s = 0; s < words.size(); ++s) {
          const std::size_t first = words.first_token(s);
          CHECK(!text_apps::parsing::fault_of(std::span(heads).subspan(first, words.first_token(s + 1) - first)));
        }
        found.push_back(std::move(heads));
      }
      CHECK(found[0] == found[1] && found[1] == found[2]);
    }
    const text_apps::parsing::ParseDecoder decoder(system, *parser.features, parser.names, classifier, {}, {});
    Silent observer;
    CHECK(throws<std::invalid_argument>([&] { decoder.decode(words.picked({}), {}, {}, 1, observer); }));
  }
}

}  // namespace

const TestFile parse_tests([] {
  all_ways_end_in_a_tree();
  oracles_give_trees_back();
  conllu_of_any_bytes_is_read_or_refused();
  any_tags_make_units();
  traces_lead_to_the_trees();
  one_decoder_serves_many_threads();
});

}  // namespace gristmill
