// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/decoder.hpp"

#include <algorithm>
#include <stdexcept>

#include "text_apps/templates/sentences.hpp"

namespace gristmill::text_apps::tagging {
namespace {

constexpr std::size_t sentences_at_once = 256;  // handed to a thread
constexpr std::size_t plenty = 256;             // rows without labels that are scored at once

// What a call is about.
struct Call {
  const text::Columns& columns;
  std::span<std::int32_t> out;
  Pulse& pulse;
};

}  // namespace

// Serves one thread at a time.
class Decoder::Worker {
  // A sentence on its way.
  struct Lane {
    std::size_t sentence = 0;
    std::size_t token = 0;  // the next one
    WindowReading reading;
    std::vector<std::int32_t> labels;
  };

 public:
  explicit Worker(const Decoder& decoder)
      : decoder_(decoder),
        dictionary_(decoder.names_),
        memo_(decoder.window_.extractor().make_memo()),
        scratch_(decoder.labeller_.make_scratch()),
        lanes_(templates::lane_count) {}

  void run(const Call& call, std::size_t begin, std::size_t end) {
    if (memo_.is_full()) memo_.forget();
    if (decoder_.window_.extractor().uses_labels() || decoder_.rules_ != nullptr) {
      in_lanes(call, begin, end);
    } else {
      all_at_once(call, begin, end);
    }
  }

 private:
  [[nodiscard]] text::Cells cells_of(const Call& call, std::size_t sentence) const {
    return call.columns.sentence(sentence, decoder_.backward_);
  }

  void in_lanes(const Call& call, std::size_t begin, std::size_t end) {
    templates::run_lanes(
        std::span(lanes_), begin, end, [&](Lane& lane, std::size_t sentence) { return start(call, lane, sentence); },
        [&](std::span<Lane> lanes) { step(call, lanes); },
        [](const Lane& lane) { return lane.token == lane.reading.size(); });
  }

  bool start(const Call& call, Lane& lane, std::size_t sentence) {
    if (call.columns.sentence(sentence).cells.empty()) return false;
    lane.sentence = sentence;
    lane.token = 0;
    lane.reading.read(decoder_.window_, cells_of(call, sentence), memo_, dictionary_);
    lane.labels.assign(lane.reading.size(), templates::Extractor::no_label);
    return true;
  }

  // One token of each lane.
  void step(const Call& call, std::span<Lane> lanes) {
    batch_.clear();
    for (Lane& lane : lanes) add(lane.reading, lane.token, lane.labels);
    decide(call);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      Lane& lane = lanes[i];
      const std::int32_t label = decoder_.rules_ == nullptr ? classes_[i] : ruled(lane, i);
      lane.labels[lane.token] = label;
      const std::size_t place = cells_of(call, lane.sentence).place_of(lane.token++);
      call.out[call.columns.first_token(lane.sentence) + place] = label;
    }
  }

  // What was decided on a row or, where it may not stand there, the best of what may.
  std::int32_t ruled(const Lane& lane, std::size_t row) {
    const std::int32_t before = lane.token == 0 ? TagRules::none : lane.labels[lane.token - 1];
    const auto allowed = decoder_.rules_->allowed(before, lane.reading.size() - lane.token - 1);
    if (allowed[static_cast<std::size_t>(classes_[row])] != 0) return classes_[row];
    return decoder_.labeller_.decide_among(batch_.rows()[row], allowed, scratch_);
  }

  void all_at_once(const Call& call, std::size_t begin, std::size_t end) {
    batch_.clear();
    std::vector<std::size_t> places;
    const auto answer = [&] {
      decide(call);
      for (std::size_t i = 0; i < places.size(); ++i) call.out[places[i]] = classes_[i];
      places.clear();
      batch_.clear();
    };
    Lane& lane = lanes_[0];
    for (std::size_t sentence = begin; sentence < end; ++sentence) {
      lane.reading.read(decoder_.window_, cells_of(call, sentence), memo_, dictionary_);
      for (std::size_t token = 0; token < lane.reading.size(); ++token) {
        add(lane.reading, token, {});
        places.push_back(call.columns.first_token(sentence) + cells_of(call, sentence).place_of(token));
        if (places.size() == plenty) answer();
      }
    }
    answer();
  }

  void add(WindowReading& reading, std::size_t token, std::span<const std::int32_t> labels) {
    reading.add_row(decoder_.window_, token, labels, memo_, dictionary_, batch_.ids);
    batch_.close_row();
  }

  void decide(const Call& call) {
    classes_.resize(batch_.size());
    decoder_.labeller_.decide(batch_.rows(), classes_, scratch_);
    call.pulse(templates::row_steps * classes_.size());
  }

  const Decoder& decoder_;
  templates::KnownFeatures dictionary_;
  templates::Memo memo_;
  score::decision::Labeller::Scratch scratch_;
  std::vector<Lane> lanes_;
  templates::RowBatch batch_;
  std::vector<std::int32_t> classes_;
};

Decoder::Decoder(const Window& window, const templates::Strings& names, const score::decision::Labeller& labeller,
                 bool backward, const TagRules* rules)
    : window_(window), names_(names), labeller_(labeller), backward_(backward), rules_(rules) {
  if (window.extractor().labels().size() < static_cast<std::size_t>(labeller.classes())) {
    throw std::invalid_argument("the templates do not know all classes as labels");
  }
  if (rules != nullptr && rules->size() != static_cast<std::size_t>(labeller.classes())) {
    throw std::invalid_argument("the rules are not those of the classes");
  }
}

Decoder::~Decoder() = default;

void Decoder::decode(const text::Columns& columns, std::span<std::int32_t> out, std::size_t threads,
                     Observer& observer) const {
  check_columns(window_, columns);
  templates::share_sentences(
      columns.size(), sentences_at_once, threads, observer, idle_, [&] { return std::make_unique<Worker>(*this); },
      [&](Worker& worker, std::size_t begin, std::size_t end, Pulse& pulse) {
        worker.run({columns, out, pulse}, begin, end);
      });
}

}  // namespace gristmill::text_apps::tagging
