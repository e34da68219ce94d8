// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/decoder.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "text_apps/parsing/beam.hpp"
#include "text_apps/templates/sentences.hpp"

namespace gristmill::text_apps::parsing {
namespace {

constexpr std::size_t sentences_at_once = 64;  // handed to a thread

// What a call is about.
struct Call {
  const text::Columns& columns;
  std::span<Word> heads;
  std::span<std::int32_t> relations;
  Pulse& pulse;
};

}  // namespace

// Serves one thread at a time.
class ParseDecoder::Worker {
  // A sentence on its way.
  struct Lane {
    std::size_t sentence = 0;
    text::Cells cells;
    templates::Reading reading;
    Configuration configuration;
    MoveSet legal;
    std::uint32_t part = 0;  // of the classifier
  };

 public:
  explicit Worker(const ParseDecoder& decoder)
      : decoder_(decoder),
        dictionary_(decoder.names_),
        memo_(decoder.features_.extractor().make_memo()),
        scratch_(decoder.classifier_.make_scratch()),
        lanes_(templates::lane_count) {}

  void run(const Call& call, std::size_t begin, std::size_t end) {
    if (memo_.is_full()) memo_.forget();
    if (decoder_.beam_.width > 1) {
      for (std::size_t sentence = begin; sentence < end; ++sentence) search(call, sentence);
    } else {
      in_lanes(call, begin, end);
    }
  }

  ParseTrace trace(const text::Columns& columns, std::size_t sentence, Pulse& pulse) {
    if (memo_.is_full()) memo_.forget();
    const text::Cells cells = columns.sentence(sentence);
    const bool searching = decoder_.beam_.width > 1;
    const std::vector<Action> way = searching ? searched(cells, pulse).best_actions() : std::vector<Action>();
    Lane& lane = lanes_[0];
    start(lane, cells);
    ParseTrace trace;
    for (std::size_t at = 0; !lane.legal.empty(); ++at) {
      trace_step(lane, trace);
      trace.actions.push_back(searching ? way[at] : trace.choices.back());
      advance(lane, trace.actions.back());
      pulse(templates::row_steps);
    }
    return trace;
  }

 private:
  void in_lanes(const Call& call, std::size_t begin, std::size_t end) {
    const auto is_done = [&](const Lane& lane) {
      if (lane.legal.empty()) finish(call, lane.sentence, lane.configuration);
      return lane.legal.empty();
    };
    templates::run_lanes(
        std::span(lanes_), begin, end,
        [&](Lane& lane, std::size_t sentence) {
          lane.sentence = sentence;
          start(lane, call.columns.sentence(sentence));
          return !is_done(lane);
        },
        [&](std::span<Lane> lanes) { step(call, lanes); }, is_done);
  }

  void start(Lane& lane, const text::Cells& cells) {
    lane.cells = cells;
    decoder_.features_.extractor().read(lane.cells, memo_, lane.reading);
    begin(decoder_.system_, lane.configuration, lane.cells.size());
    lane.legal = legal_moves(decoder_.system_, lane.configuration);
  }

  // One action of each lane. Lanes of one part stand together.
  void step(const Call& call, std::span<Lane> lanes) {
    order_by_part(lanes);
    batch_.clear();
    legal_.clear();
    for (const std::size_t i : order_) {
      add_row(lanes[i].configuration, lanes[i].reading);
      legal_.push_back(lanes[i].legal);
    }
    actions_.resize(lanes.size());
    for (std::size_t at = 0; at < lanes.size();) at = choose(call, lanes, at);
    for (std::size_t i = 0; i < lanes.size(); ++i) advance(lanes[order_[i]], actions_[i]);
  }

  void advance(Lane& lane, Action action) const {
    take(decoder_.system_, lane.configuration, action);
    lane.legal = legal_moves(decoder_.system_, lane.configuration);
  }

  void trace_step(const Lane& lane, ParseTrace& trace) {
    const std::uint32_t part = decoder_.classifier_.part_for(lane.configuration, lane.cells);
    decoder_.features_.add_row(lane.configuration, lane.reading, look_, memo_, dictionary_, trace.ids);
    trace.offsets.push_back(static_cast<Offset>(trace.ids.size()));
    trace.parts.push_back(static_cast<std::int32_t>(part));
    trace.choices.emplace_back();
    decoder_.classifier_.choose(part, {std::span(trace.offsets).last(2), trace.ids}, {&lane.legal, 1},
                                std::span(trace.choices).last(1), scratch_);
  }

  void order_by_part(std::span<Lane> lanes) {
    order_.resize(lanes.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (decoder_.classifier_.size() == 1) return;
    for (Lane& lane : lanes) lane.part = decoder_.classifier_.part_for(lane.configuration, lane.cells);
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return lanes[i].part; });
  }

  void add_row(const Configuration& configuration, const templates::Reading& reading) {
    decoder_.features_.add_row(configuration, reading, look_, memo_, dictionary_, batch_.ids);
    batch_.close_row();
  }

  // Actions of the rows of one part, from a row on; the row behind them.
  std::size_t choose(const Call& call, std::span<const Lane> lanes, std::size_t at) {
    const std::uint32_t part = lanes[order_[at]].part;
    std::size_t end = at + 1;
    while (end < order_.size() && lanes[order_[end]].part == part) ++end;
    const rows::Rows rows{std::span(batch_.offsets).subspan(at, end - at + 1), batch_.ids};
    decoder_.classifier_.choose(part, rows, std::span(legal_).subspan(at, end - at),
                                std::span(actions_).subspan(at, end - at), scratch_);
    call.pulse(templates::row_steps * (end - at));
    return end;
  }

  void search(const Call& call, std::size_t sentence) {
    finish(call, sentence, searched(call.columns.sentence(sentence), call.pulse).best());
  }

  BeamSearch searched(const text::Cells& cells, Pulse& pulse) {
    templates::Reading& reading = lanes_[0].reading;
    decoder_.features_.extractor().read(cells, memo_, reading);
    BeamSearch beam(decoder_.system_, decoder_.classifier_, decoder_.beam_, cells);
    while (!beam.is_done()) {
      batch_.clear();
      for (const Configuration* open : beam.open()) add_row(*open, reading);
      beam.step(batch_.rows(), scratch_);
      pulse(templates::row_steps * batch_.size());
    }
    return beam;
  }

  void finish(const Call& call, std::size_t sentence, const Configuration& done) const {
    const std::size_t first = call.columns.first_token(sentence);
    const std::span<Word> heads = call.heads.subspan(first, done.size());
    const std::span<std::int32_t> relations = call.relations.subspan(first, done.size());
    std::ranges::copy(done.heads(), heads.begin());
    std::ranges::copy(done.relations(), relations.begin());
    if (!decoder_.marks_.empty()) lower(decoder_.marks_, heads, relations);
  }

  const ParseDecoder& decoder_;
  templates::KnownFeatures dictionary_;
  templates::Memo memo_;
  ActionClassifier::Scratch scratch_;
  ConfigurationFeatures::Scratch look_;
  std::vector<Lane> lanes_;
  std::vector<std::size_t> order_;
  templates::RowBatch batch_;
  std::vector<MoveSet> legal_;
  std::vector<Action> actions_;
};

ParseDecoder::ParseDecoder(System system, const ConfigurationFeatures& features, const templates::Strings& names,
                           const ActionClassifier& classifier, std::vector<Mark> marks, Beam beam)
    : system_(system),
      features_(features),
      names_(names),
      classifier_(classifier),
      marks_(std::move(marks)),
      beam_(beam) {
  const auto relations = static_cast<std::int32_t>(features.extractor().labels().size());
  for (std::size_t part = 0; part < classifier.size(); ++part) {
    for (const Action& action : classifier.part(part).actions) {
      if (has_relation(action.move) != (action.relation >= 0) || action.relation >= relations) {
        throw std::invalid_argument("the templates do not know all relations");
      }
    }
  }
  if (beam.width == 0 || !(beam.temperature > 0)) throw std::invalid_argument("a beam has a width and a temperature");
  const auto unknown = [&](const Mark& mark) {
    return mark.relation < 0 || mark.relation >= relations || mark.head < no_relation || mark.head >= relations;
  };
  if (!marks_.empty() &&
      (static_cast<std::int32_t>(marks_.size()) != relations || std::ranges::any_of(marks_, unknown))) {
    throw std::invalid_argument("all relations have marks that speak of relations, or none");
  }
  if (classifier.fallback() < 0 || classifier.fallback() >= relations) {
    throw std::invalid_argument("the templates do not know the relation for a last resort");
  }
}

ParseDecoder::~ParseDecoder() = default;

void ParseDecoder::check(const text::Columns& columns) const {
  if (columns.tokens() > 0 && columns.columns() < std::max(features_.extractor().columns(), classifier_.columns())) {
    throw std::invalid_argument("words have fewer columns than the parser looks at");
  }
}

void ParseDecoder::decode(const text::Columns& columns, std::span<Word> heads, std::span<std::int32_t> relations,
                          std::size_t threads, Observer& observer) const {
  check(columns);
  templates::share_sentences(
      columns.size(), sentences_at_once, threads, observer, idle_, [&] { return std::make_unique<Worker>(*this); },
      [&](Worker& worker, std::size_t begin, std::size_t end, Pulse& pulse) {
        worker.run({columns, heads, relations, pulse}, begin, end);
      });
}

ParseTrace ParseDecoder::trace(const text::Columns& columns, std::size_t sentence, Observer& observer) const {
  check(columns);
  if (sentence >= columns.size()) throw std::invalid_argument("there is no such sentence");
  Stop stop(observer);
  std::unique_ptr<Worker> worker = idle_.take([&] { return std::make_unique<Worker>(*this); });
  Pulse pulse(stop, 0);
  ParseTrace trace = worker->trace(columns, sentence, pulse);
  idle_.give_back(std::move(worker));
  return trace;
}

}  // namespace gristmill::text_apps::parsing
