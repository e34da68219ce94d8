// SPDX-License-Identifier: BSD-3-Clause
// Columns, templates and the decoder, for sanitizers: text of any bytes, places outside of sentences, many threads.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "base/utf8.hpp"
#include "random_rows.hpp"
#include "text/columns.hpp"
#include "text_apps/tagging/decoder.hpp"
#include "text_apps/tagging/rows.hpp"

namespace gristmill {
namespace {

using Kind = text_apps::templates::View::Kind;

constexpr std::uint32_t label = text_apps::templates::Piece::label;

// --- columns ---------------------------------------------------------------------------------------------------------

std::string random_text(Random& random, int longest, bool sound) {
  constexpr std::array<std::string_view, 12> parts{
      "a", " b", "\t", "\n", "\r\n", "\n\n", "EOS", "\xC3\xA9", "\xE6\xBC\xA2", "\xF0\x9F\x98\x80", "\xC3", "\x80"};
  std::string text;
  for (int i = below(random, longest + 1); i > 0; --i) {
    text += parts[static_cast<std::size_t>(below(random, sound ? 10 : 12))];
  }
  return text;
}

void columns_of_any_bytes_are_read_or_refused() {
  Random random(1);
  const std::vector<std::string> words{"O", "B-NP"};
  for (int i = 0; i < 4000; ++i) {
    const std::string text = random_text(random, 12, i % 2 == 0);
    const bool tabs = i % 3 == 0;
    try {
      const text::Columns parsed = text::Columns::parse(text, {1, 0, tabs});
      const std::vector<std::int32_t> numbers(parsed.tokens(), 1);
      for (const bool replace : {false, true}) {
        const text::Columns again = text::Columns::parse(parsed.with_column(numbers, words, replace), {1, 0, tabs});
        CHECK(again.tokens() == parsed.tokens() && again.size() == parsed.size());
        CHECK(again.tokens() == 0 || again.columns() == parsed.columns() + (replace ? 0 : 1));
      }
    } catch (const ParseError& error) {
      CHECK(error.line() >= 1 && error.column() >= 1);
    }
    const std::size_t end = text::complete_sentences(text, tabs);
    CHECK(end <= text.size() && (end == 0 || text[end - 1] == '\n'));
  }
}

void cells_stay_where_columns_are_moved() {
  std::vector<text::Columns> kept;
  for (int i = 0; i < 50; ++i) kept.push_back(text::Columns::parse("a" + std::to_string(i) + " b\n", {}));
  for (int i = 0; i < 50; ++i) CHECK(kept[static_cast<std::size_t>(i)].cell(0, 0) == "a" + std::to_string(i));
}

void cells_that_do_not_fit_are_refused() {
  const std::vector<std::string> cells{"a", "b", ""};
  const std::vector<std::int64_t> two{2, 0};
  const std::vector<std::int64_t> negative{4, -1};
  CHECK(throws<std::invalid_argument>([&] { (void)text::Columns::of_cells(cells, 1, two); }));
  CHECK(throws<std::invalid_argument>([&] { (void)text::Columns::of_cells(cells, 1, negative); }));
  CHECK(throws<std::invalid_argument>([&] { (void)text::Columns::of_cells(cells, 0, {}); }));
  const std::vector<std::int64_t> three{0, 3};
  CHECK(text::Columns::of_cells(cells, 1, three).cell(2, 0).empty());
}

// --- views -----------------------------------------------------------------------------------------------------------

void views_of_sound_text_are_sound() {
  Random random(2);
  text_apps::templates::ViewBuffers buffers;
  for (int i = 0; i < 2000; ++i) {
    const std::string cell = random_text(random, 6, true);
    for (const Kind kind :
         {Kind::whole, Kind::prefix, Kind::suffix, Kind::shape, Kind::brief, Kind::type, Kind::grams, Kind::pieces}) {
      const auto size = static_cast<std::uint32_t>(1 + below(random, 4));
      text_apps::templates::see({kind, size, i % 2 == 0}, cell, buffers, [&](std::string_view value) {
        CHECK(is_utf8(value));
        CHECK(kind != Kind::grams || text::count_characters(value) == size);
        CHECK(kind != Kind::shape || text::count_characters(value) == text::count_characters(cell));
      });
    }
  }
}

// --- extraction ------------------------------------------------------------------------------------------------------

// Distances -3, -1, 0, 2; all kinds of items.
std::shared_ptr<const text_apps::tagging::Window> make_window() {
  text_apps::templates::Templates templates{
      .places = 4,
      .reach = 3,
      .sights = {{0, {}}, {1, {Kind::suffix, 2, true}}, {0, {Kind::grams, 1, false}}},
      .items = {},
      .outside = {"-", "__BOS__", "+", "__EOS__"}};
  for (std::uint32_t place = 0; place < 4; ++place) {
    templates.items.push_back({{{"w" + std::to_string(place) + ":", place, 0}}, ""});
    templates.items.push_back({{{"s", place, 1}}, "."});
    templates.items.push_back({{{"g", place, 2}}, ""});
  }
  templates.items.push_back({{{"t:", 1, label}}, ""});
  templates.items.push_back({{{"c", 0, 0}, {"/", 1, label}, {"/", 3, 1}}, ""});
  templates.items.push_back({{}, "always"});
  text_apps::templates::TemplateItem& many = templates.items.emplace_back();
  for (std::uint32_t i = 0; i < 20; ++i) many.pieces.push_back({"+", i % 4, 0});
  auto extractor = std::make_shared<const text_apps::templates::Extractor>(std::move(templates),
                                                                           std::vector<std::string>{"B", "I", "O"});
  return std::make_shared<const text_apps::tagging::Window>(extractor, std::vector<std::int64_t>{-3, -1, 0, 2});
}

text::Columns random_columns(Random& random, std::size_t sentences) {
  constexpr std::array<const char*, 6> words{"", "a", "Ab", "\xC3\xA9t\xC3\xA9", "1,2", "\xE6\xBC\xA2"};
  std::vector<std::string> cells;
  std::vector<std::int64_t> lengths(sentences);
  for (std::int64_t& length : lengths) {
    length = below(random, 7);
    for (std::int64_t i = 0; i < 2 * length; ++i) cells.emplace_back(words[static_cast<std::size_t>(below(random, 6))]);
  }
  return text::Columns::of_cells(cells, 2, lengths);
}

bool is_set(std::span<const FeatureId> row) {
  return std::ranges::adjacent_find(row, std::greater_equal{}) == row.end();
}

void rows_are_sets_of_numbers_that_have_names() {
  Random random(3);
  const auto window = make_window();
  for (const bool backward : {false, true}) {
    const text::Columns columns = random_columns(random, 200);
    std::vector<std::int32_t> labels(columns.tokens());
    for (std::int32_t& own : labels) own = below(random, 4) - 1;
    text_apps::templates::Strings names;
    Silent observer;
    const text_apps::tagging::TokenRows rows =
        text_apps::tagging::rows_of_tokens(*window, columns, labels, names, true, backward, observer);
    CHECK(rows.offsets.size() == columns.tokens() + 1);
    const rows::Rows view{rows.offsets, rows.ids};
    for (std::size_t row = 0; row < view.size(); ++row) CHECK(!view[row].empty() && is_set(view[row]));
    CHECK(std::ranges::all_of(rows.ids, [&](FeatureId id) { return static_cast<std::size_t>(id) < names.size(); }));
    const text_apps::tagging::TokenRows known =
        text_apps::tagging::rows_of_tokens(*window, columns, labels, names, false, backward, observer);
    CHECK(known.ids == rows.ids && known.offsets == rows.offsets);
    text_apps::templates::Strings nothing;
    CHECK(text_apps::tagging::rows_of_tokens(*window, columns, labels, nothing, false, backward, observer).ids.empty());
  }
}

void what_was_forgotten_is_seen_again() {
  Random random(4);
  const auto window = make_window();
  const text::Columns columns = random_columns(random, 1);
  text_apps::templates::Memo memo = window->extractor().make_memo();
  text_apps::templates::Strings names;
  text_apps::templates::NewFeatures book(names);
  const std::vector<std::int32_t> labels(columns.tokens(), 2);
  std::vector<FeatureId> first;
  for (int i = 0; i < 3; ++i, memo.forget()) {
    text_apps::tagging::WindowReading reading;
    reading.read(*window, columns.sentence(0), memo, book);
    std::vector<FeatureId> row;
    for (std::size_t token = 0; token < reading.size(); ++token) {
      reading.add_row(*window, token, labels, memo, book, row);
    }
    if (i == 0) first = row;
    CHECK(row == first);
  }
}

void templates_that_do_not_fit_are_refused() {
  const auto refused = [](text_apps::templates::Templates templates) {
    return throws<std::invalid_argument>([&] { (void)text_apps::templates::Extractor(std::move(templates), {}); });
  };
  text_apps::templates::Templates sound{
      .places = 1, .reach = 0, .sights = {{0, {Kind::grams, 2, false}}}, .items = {}, .outside = {}};
  text_apps::templates::Templates place = sound;
  place.items = {{{{"", 1, 0}}, ""}};
  text_apps::templates::Templates sight = sound;
  sight.items = {{{{"", 0, 1}}, ""}};
  text_apps::templates::Templates bag = sound;
  bag.items = {{{{"", 0, 0}, {"", 0, label}}, ""}};
  CHECK(refused(place) && refused(sight) && refused(bag));
  const auto extractor = std::make_shared<const text_apps::templates::Extractor>(sound, std::vector<std::string>{});
  CHECK(throws<std::invalid_argument>([&] { (void)text_apps::tagging::Window(extractor, {1}); }));
  CHECK(throws<std::invalid_argument>([&] { (void)text_apps::tagging::Window(extractor, {}); }));
}

// --- decoding --------------------------------------------------------------------------------------------------------

struct Tagger {
  std::shared_ptr<const text_apps::tagging::Window> window = make_window();
  text_apps::templates::Strings names;
  std::shared_ptr<const machine::SetMachine> machine;
  std::shared_ptr<const score::DirectScorer> direct;

  // Support rows are those of other sentences.
  explicit Tagger(Random& random) {
    const text::Columns columns = random_columns(random, 30);
    std::vector<std::int32_t> labels(columns.tokens());
    for (std::int32_t& own : labels) own = below(random, 3);
    Silent observer;
    text_apps::tagging::TokenRows rows =
        text_apps::tagging::rows_of_tokens(*window, columns, labels, names, true, false, observer);
    std::vector<double> coef(3 * columns.tokens());
    for (double& a : coef) a = below(random, 5) - 2;
    machine = std::make_shared<const machine::SetMachine>(
        machine::SetMachine{kernel::PolynomialKernel{2, 1.0, 1.0},
                            std::move(rows.offsets),
                            std::move(rows.ids),
                            {},
                            machine::Coefficients::dense(columns.tokens(), 3, coef),
                            std::vector<double>(3, 0.0)});
    direct = std::make_shared<const score::DirectScorer>(machine);
  }

  [[nodiscard]] score::decision::Labeller with(score::decision::Labeller::AnyScorer scorer,
                                               score::DecisionRule rule) const {
    score::decision::LabellerOptions options;
    options.policy = {rule, 3, 0};
    options.doubt.assign(60, 1e-6);
    return {std::move(scorer), direct, std::move(options)};
  }

  [[nodiscard]] std::vector<score::decision::Labeller> labellers(score::DecisionRule rule) const {
    Silent observer;
    std::vector<score::decision::Labeller> all;
    all.push_back(with(direct, rule));
    all.push_back(with(std::make_shared<const score::InvertedScorer>(machine), rule));
    all.push_back(with(
        std::make_shared<const score::expanded::ExpandedScorer>(machine, score::expanded::ExpandedOptions{}, observer),
        rule));
    return all;
  }

  [[nodiscard]] std::vector<std::int32_t> decode(const score::decision::Labeller& labeller,
                                                 const text::Columns& columns, bool backward,
                                                 std::size_t threads) const {
    std::vector<std::int32_t> out(columns.tokens(), -7);
    Silent observer;
    text_apps::tagging::Decoder{*window, names, labeller, backward}.decode(columns, out, threads, observer);
    return out;
  }
};

// What was decided is what the labeller says of each token, given what was decided.
bool agrees(Tagger& tagger, const score::decision::Labeller& labeller, const text::Columns& columns, bool backward,
            std::span<const std::int32_t> found) {
  Silent observer;
  const text_apps::tagging::TokenRows rows =
      text_apps::tagging::rows_of_tokens(*tagger.window, columns, found, tagger.names, false, backward, observer);
  std::vector<std::int32_t> again(columns.tokens());
  score::decision::Labeller::Scratch scratch = labeller.make_scratch();
  labeller.decide({rows.offsets, rows.ids}, again, scratch);
  return std::ranges::equal(again, found);
}

void tags_do_not_depend_on_threads_or_scorers() {
  Random random(5);
  Tagger tagger(random);
  const text::Columns columns = random_columns(random, 900);
  for (const score::DecisionRule rule : {score::DecisionRule::largest, score::DecisionRule::votes}) {
    const std::vector<score::decision::Labeller> labellers = tagger.labellers(rule);
    for (const bool backward : {false, true}) {
      const std::vector<std::int32_t> wanted = tagger.decode(labellers[0], columns, backward, 1);
      CHECK(agrees(tagger, labellers[0], columns, backward, wanted));
      for (const score::decision::Labeller& labeller : labellers) {
        for (const std::size_t threads : {1, 2, 4}) {
          CHECK(tagger.decode(labeller, columns, backward, threads) == wanted);
        }
      }
    }
  }
}

void nothing_is_decoded_to_nothing() {
  Random random(6);
  const Tagger tagger(random);
  const score::decision::Labeller labeller = tagger.with(tagger.direct, score::DecisionRule::largest);
  const std::vector<std::int64_t> lengths{0, 0, 0};
  CHECK(tagger.decode(labeller, text::Columns::of_cells({}, 2, lengths), false, 2).empty());
  CHECK(tagger.decode(labeller, text::Columns::parse("\n\n", {}), true, 2).empty());
}

struct Stopping final : Observer {
  bool advance(std::size_t, std::size_t) override { return false; }
};

void decoding_can_be_stopped() {
  Random random(7);
  const Tagger tagger(random);
  const score::decision::Labeller labeller = tagger.with(tagger.direct, score::DecisionRule::largest);
  const text::Columns columns = random_columns(random, 900);
  std::vector<std::int32_t> out(columns.tokens());
  Stopping observer;
  CHECK(throws<Interrupted>(
      [&] { text_apps::tagging::Decoder{*tagger.window, tagger.names, labeller}.decode(columns, out, 2, observer); }));
}

}  // namespace

const TestFile tag_tests([] {
  columns_of_any_bytes_are_read_or_refused();
  cells_stay_where_columns_are_moved();
  cells_that_do_not_fit_are_refused();
  views_of_sound_text_are_sound();
  rows_are_sets_of_numbers_that_have_names();
  what_was_forgotten_is_seen_again();
  templates_that_do_not_fit_are_refused();
  tags_do_not_depend_on_threads_or_scorers();
  nothing_is_decoded_to_nothing();
  decoding_can_be_stopped();
});

}  // namespace gristmill
