// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/boundaries/boundary_decoder.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "text_apps/templates/sentences.hpp"

namespace gristmill::text_apps::boundaries {
namespace {

using Facts = tagging::Dictionary::Facts;

constexpr std::size_t lines_at_once = 256;    // handed to a thread
constexpr std::size_t plenty = 256;           // close boundaries that are scored at once
constexpr std::size_t character_steps = 100;  // that a character counts for Pulse

}  // namespace

// Serves one thread at a time.
class BoundaryDecoder::Worker {
 public:
  explicit Worker(const BoundaryDecoder& decoder) : decoder_(decoder), labels_(decoder.labeller_.make_scratch()) {}

  void run(const tagging::CharacterLines& lines, std::span<std::int32_t> out, std::size_t begin, std::size_t end,
           Pulse& pulse) {
    for (std::size_t line = begin; line < end; ++line) {
      const std::size_t first = lines.first(line);
      decide(lines.points(line), lines.walls(line), out.subspan(first, lines.points(line).size()), first);
      if (places_.size() >= plenty) settle(out);
      pulse(character_steps * line_.size());
    }
    settle(out);
  }

 private:
  // All boundaries of a line but the close ones. first: the number of its first character.
  void decide(std::span<const char32_t> characters, std::span<const std::uint8_t> walls, std::span<std::int32_t> out,
              std::size_t first) {
    line_.read(characters, decoder_.features_);
    facts_.assign(characters.size(), {});
    decoder_.words_.look(line_.inner(), walls, facts_);
    score_line(decoder_.tables_, line_, facts_, out, scratch_);
    const std::int32_t doubt = decoder_.tables_.doubt;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::int32_t score = out[i];
      out[i] = score > 0 ? 1 : 0;
      if (score <= doubt && score >= -doubt) [[unlikely]] {
        add_row(i);
        places_.push_back(first + i);
      }
    }
  }

  // The features of a boundary of the line, ascending.
  void add_row(std::size_t boundary) {
    const WindowFeatures& features = decoder_.features_;
    const std::size_t begin = close_.ids.size();
    const auto add = [&](FeatureId id) {
      if (id != templates::no_feature) close_.ids.push_back(id);
    };
    for (std::size_t place = 0; place < features.places; ++place) {
      add(features.of_letter[line_.window(boundary)[place] * features.places + place]);
      add(features.of_type[line_.types(boundary)[place] * features.places + place]);
    }
    const Facts facts = facts_[boundary];
    add(features.of_fact[facts.left]);
    add(features.of_fact[fact_values + facts.right]);
    add(features.of_fact[2 * fact_values + facts.inside]);
    std::sort(close_.ids.begin() + static_cast<std::ptrdiff_t>(begin), close_.ids.end());
    close_.close_row();
  }

  void settle(std::span<std::int32_t> out) {
    classes_.resize(places_.size());
    decoder_.labeller_.decide(close_.rows(), classes_, labels_);
    for (std::size_t i = 0; i < places_.size(); ++i) out[places_[i]] = classes_[i];
    close_.clear();
    places_.clear();
  }

  const BoundaryDecoder& decoder_;
  PaddedLine line_;
  std::vector<Facts> facts_;
  ScoreScratch scratch_;
  templates::RowBatch close_;  // features of close boundaries, and which characters they are behind
  std::vector<std::size_t> places_;
  std::vector<std::int32_t> classes_;
  score::decision::Labeller::Scratch labels_;
};

std::unique_ptr<BoundaryDecoder> BoundaryDecoder::make(const tagging::Window& window, const templates::Strings& names,
                                                       const tagging::Dictionary* words,
                                                       const score::decision::Labeller& labeller, std::size_t max_bytes,
                                                       Observer& observer) {
  const machine::SetMachine& machine = labeller.machine();
  if (!labeller.goes_by_sign() || !has_window_weights(machine)) return nullptr;
  const auto is_unnamed = [&](FeatureId id) { return static_cast<std::size_t>(id) >= names.size(); };
  if (std::ranges::any_of(machine.ids, is_unnamed)) return nullptr;
  std::optional<WindowFeatures> features = features_of_window(window, names, machine.support(), words);
  if (!features || bytes_of_weights(*features) > max_bytes) return nullptr;
  const WindowWeights weights = weights_of_window(machine, *features, observer);
  std::optional<ScoreTables> tables = tables_of(weights, machine.support().size(), observer);
  if (!tables) return nullptr;
  const tagging::Dictionary no_words(1);
  WordComb comb(words == nullptr ? no_words : *words, features->alphabet, observer);
  return std::unique_ptr<BoundaryDecoder>(
      new BoundaryDecoder(std::move(*features), std::move(*tables), std::move(comb), labeller));
}

BoundaryDecoder::BoundaryDecoder(WindowFeatures features, ScoreTables tables, WordComb words,
                                 const score::decision::Labeller& labeller)
    : features_(std::move(features)), tables_(std::move(tables)), words_(std::move(words)), labeller_(labeller) {}

BoundaryDecoder::~BoundaryDecoder() = default;

void BoundaryDecoder::decode(const tagging::CharacterLines& lines, std::span<std::int32_t> out, std::size_t threads,
                             Observer& observer) const {
  if (out.size() != lines.characters()) throw std::invalid_argument("one class for each character, please");
  templates::share_sentences(
      lines.size(), lines_at_once, threads, observer, idle_, [&] { return std::make_unique<Worker>(*this); },
      [&](Worker& worker, std::size_t begin, std::size_t end, Pulse& pulse) {
        worker.run(lines, out, begin, end, pulse);
      });
}

}  // namespace gristmill::text_apps::boundaries
