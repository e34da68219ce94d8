// SPDX-License-Identifier: BSD-3-Clause
#include "tag/decoder.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/parallel.hpp"
#include "base/stop.hpp"

namespace gristmill {
namespace {

constexpr std::size_t lanes = 32;        // sentences on their way at once
constexpr std::size_t grain = 256;       // sentences handed to a thread at once
constexpr std::size_t plenty = 256;      // rows without labels that are scored at once
constexpr std::size_t row_steps = 1000;  // that a row counts for Stop: the slowest scorers take milliseconds

// A sentence on its way.
struct Lane {
  std::size_t sentence = 0;
  std::size_t token = 0;  // the next one
  WindowReading reading;
  std::vector<std::int32_t> labels;
};

// One per thread.
class Worker {
 public:
  Worker(const Decoder& decoder, const Columns& columns, Stop& stop, std::size_t number)
      : decoder_(decoder),
        columns_(columns),
        stop_(stop),
        number_(number),
        book_(decoder.names),
        memo_(decoder.window.extractor().make_memo()),
        scratch_(decoder.labeller.make_scratch()),
        lanes_(lanes) {}

  void run(std::size_t begin, std::size_t end, std::span<std::int32_t> out) {
    if (memo_.is_full()) memo_.forget();
    if (decoder_.window.extractor().uses_labels()) {
      in_lanes(begin, end, out);
    } else {
      all_at_once(begin, end, out);
    }
  }

 private:
  [[nodiscard]] Cells cells_of(std::size_t sentence) const { return columns_.sentence(sentence, decoder_.backward); }

  void in_lanes(std::size_t begin, std::size_t end, std::span<std::int32_t> out) {
    std::size_t next = begin;
    std::size_t active = 0;
    while (true) {
      while (active < lanes && next < end) {
        const std::size_t sentence = next++;
        if (!columns_.sentence(sentence).cells.empty()) start(lanes_[active++], sentence);
      }
      if (active == 0) return;
      step(active, out);
      for (std::size_t i = active; i-- > 0;) {
        if (lanes_[i].token == lanes_[i].reading.size()) std::swap(lanes_[i], lanes_[--active]);
      }
    }
  }

  void start(Lane& lane, std::size_t sentence) {
    lane.sentence = sentence;
    lane.token = 0;
    lane.reading.read(decoder_.window, cells_of(sentence), memo_, book_);
    lane.labels.assign(lane.reading.size(), Extractor::no_label);
  }

  // One token of each active lane.
  void step(std::size_t active, std::span<std::int32_t> out) {
    clear();
    for (Lane& lane : std::span(lanes_).first(active)) add(lane.reading, lane.token, lane.labels);
    decide();
    for (std::size_t i = 0; i < active; ++i) {
      Lane& lane = lanes_[i];
      lane.labels[lane.token] = classes_[i];
      const std::size_t place = cells_of(lane.sentence).place_of(lane.token++);
      out[columns_.first_token(lane.sentence) + place] = classes_[i];
    }
  }

  void all_at_once(std::size_t begin, std::size_t end, std::span<std::int32_t> out) {
    clear();
    std::vector<std::size_t> places;
    const auto answer = [&] {
      decide();
      for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = classes_[i];
      places.clear();
      clear();
    };
    Lane& lane = lanes_[0];
    for (std::size_t sentence = begin; sentence < end; ++sentence) {
      lane.reading.read(decoder_.window, cells_of(sentence), memo_, book_);
      for (std::size_t token = 0; token < lane.reading.size(); ++token) {
        add(lane.reading, token, {});
        places.push_back(columns_.first_token(sentence) + cells_of(sentence).place_of(token));
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
    reading.add_row(decoder_.window, token, labels, memo_, book_, ids_);
    offsets_.push_back(static_cast<Offset>(ids_.size()));
  }

  void decide() {
    classes_.resize(offsets_.size() - 1);
    decoder_.labeller.decide({offsets_, ids_}, classes_, scratch_);
    stop_.poll(number_, row_steps * classes_.size());
  }

  const Decoder& decoder_;
  const Columns& columns_;
  Stop& stop_;
  std::size_t number_;
  KnownFeatures book_;
  Memo memo_;
  Labeller::Scratch scratch_;
  std::vector<Lane> lanes_;
  std::vector<Offset> offsets_;
  std::vector<FeatureId> ids_;
  std::vector<std::int32_t> classes_;
};

}  // namespace

void Decoder::decode(const Columns& columns, std::span<std::int32_t> out, std::size_t threads,
                     Observer& observer) const {
  check_columns(window, columns);
  if (window.extractor().labels().size() < static_cast<std::size_t>(labeller.classes())) {
    throw std::invalid_argument("the templates do not know all classes as labels");
  }
  Stop stop(observer);
  std::vector<std::unique_ptr<Worker>> workers(threads_for(columns.size(), grain, threads));
  parallel_for(columns.size(), grain, threads, stop, [&](std::size_t begin, std::size_t end, std::size_t number) {
    std::unique_ptr<Worker>& worker = workers[number];
    if (!worker) worker = std::make_unique<Worker>(*this, columns, stop, number);
    worker->run(begin, end, out);
  });
}

}  // namespace gristmill
