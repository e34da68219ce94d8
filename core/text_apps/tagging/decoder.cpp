// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/decoder.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/parallel.hpp"
#include "base/stop.hpp"

namespace gristmill::text_apps::tagging {
namespace {

constexpr std::size_t lane_count = 32;          // sentences on their way at once
constexpr std::size_t sentences_at_once = 256;  // handed to a thread
constexpr std::size_t plenty = 256;             // rows without labels that are scored at once
constexpr std::size_t row_steps = 1000;         // that a row counts for Pulse: the slowest scorers take milliseconds

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
        book_(decoder.names_),
        memo_(decoder.window_.extractor().make_memo()),
        scratch_(decoder.labeller_.make_scratch()),
        lanes_(lane_count) {}

  void run(const Call& call, std::size_t begin, std::size_t end) {
    if (memo_.is_full()) memo_.forget();
    if (decoder_.window_.extractor().uses_labels()) {
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
    std::size_t next = begin;
    std::size_t active = 0;
    while (true) {
      while (active < lane_count && next < end) {
        const std::size_t sentence = next++;
        if (!call.columns.sentence(sentence).cells.empty()) start(call, lanes_[active++], sentence);
      }
      if (active == 0) return;
      step(call, active);
      for (std::size_t i = active; i-- > 0;) {
        if (lanes_[i].token == lanes_[i].reading.size()) std::swap(lanes_[i], lanes_[--active]);
      }
    }
  }

  void start(const Call& call, Lane& lane, std::size_t sentence) {
    lane.sentence = sentence;
    lane.token = 0;
    lane.reading.read(decoder_.window_, cells_of(call, sentence), memo_, book_);
    lane.labels.assign(lane.reading.size(), templates::Extractor::no_label);
  }

  // One token of each active lane.
  void step(const Call& call, std::size_t active) {
    clear();
    for (Lane& lane : std::span(lanes_).first(active)) add(lane.reading, lane.token, lane.labels);
    decide(call);
    for (std::size_t i = 0; i < active; ++i) {
      Lane& lane = lanes_[i];
      lane.labels[lane.token] = classes_[i];
      const std::size_t place = cells_of(call, lane.sentence).place_of(lane.token++);
      call.out[call.columns.first_token(lane.sentence) + place] = classes_[i];
    }
  }

  void all_at_once(const Call& call, std::size_t begin, std::size_t end) {
    clear();
    std::vector<std::size_t> places;
    const auto answer = [&] {
      decide(call);
      for (std::size_t i = 0; i < places.size(); ++i) call.out[places[i]] = classes_[i];
      places.clear();
      clear();
    };
    Lane& lane = lanes_[0];
    for (std::size_t sentence = begin; sentence < end; ++sentence) {
      lane.reading.read(decoder_.window_, cells_of(call, sentence), memo_, book_);
      for (std::size_t token = 0; token < lane.reading.size(); ++token) {
        add(lane.reading, token, {});
        places.push_back(call.columns.first_token(sentence) + cells_of(call, sentence).place_of(token));
        if (places.size() == plenty) answer();
      }
    }
    answer();
  }

  void clear() {
    ids_.clear();
    offsets_.assign(1, 0);
  }

  void add(WindowReading& reading, std::size_t token, std::span<const std::int32_t> labels) {
    reading.add_row(decoder_.window_, token, labels, memo_, book_, ids_);
    offsets_.push_back(static_cast<Offset>(ids_.size()));
  }

  void decide(const Call& call) {
    classes_.resize(offsets_.size() - 1);
    decoder_.labeller_.decide({offsets_, ids_}, classes_, scratch_);
    call.pulse(row_steps * classes_.size());
  }

  const Decoder& decoder_;
  templates::KnownFeatures book_;
  templates::Memo memo_;
  score::decision::Labeller::Scratch scratch_;
  std::vector<Lane> lanes_;
  std::vector<Offset> offsets_;
  std::vector<FeatureId> ids_;
  std::vector<std::int32_t> classes_;
};

Decoder::Decoder(const Window& window, const templates::Strings& names, const score::decision::Labeller& labeller,
                 bool backward)
    : window_(window), names_(names), labeller_(labeller), backward_(backward) {
  if (window.extractor().labels().size() < static_cast<std::size_t>(labeller.classes())) {
    throw std::invalid_argument("the templates do not know all classes as labels");
  }
}

Decoder::~Decoder() = default;

void Decoder::decode(const text::Columns& columns, std::span<std::int32_t> out, std::size_t threads,
                     Observer& observer) const {
  check_columns(window_, columns);
  Stop stop(observer);
  std::vector<std::unique_ptr<Worker>> workers(threads_for(columns.size(), sentences_at_once, threads));
  parallel_for(columns.size(), sentences_at_once, threads, stop,
               [&](std::size_t begin, std::size_t end, std::size_t number) {
                 std::unique_ptr<Worker>& worker = workers[number];
                 if (!worker) worker = idle_.take([&] { return std::make_unique<Worker>(*this); });
                 Pulse pulse(stop, number);
                 worker->run({columns, out, pulse}, begin, end);
               });
  idle_.give_back(std::move(workers));
}

}  // namespace gristmill::text_apps::tagging
