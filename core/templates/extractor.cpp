// SPDX-License-Identifier: BSD-3-Clause
#include "templates/extractor.hpp"

#include <algorithm>
#include <array>

namespace gristmill {

Extractor::Extractor(Templates templates, std::vector<std::string> labels)
    : templates_(std::move(templates)), labels_(std::move(labels)), columns_(columns_of(templates_)) {
  check(templates_);
  sort_items();
}

void Extractor::sort_items() {
  for (std::uint32_t number = 0; number < templates_.items.size(); ++number) {
    const std::vector<Piece>& pieces = templates_.items[number].pieces;
    if (pieces.size() != 1) {
      (std::ranges::any_of(pieces, &Piece::is_label) ? label_chains_ : chains_).push_back(number);
      continue;
    }
    const Piece& piece = pieces[0];
    const bool is_bag = !piece.is_label() && templates_.sights[piece.sight].view.is_bag();
    (piece.is_label() ? single_labels_ : is_bag ? bags_ : singles_).push_back({number, piece.place, piece.sight});
  }
}

void Extractor::read(const Cells& cells, Memo& memo, Reading& reading) const {
  const std::size_t sights = templates_.sights.size();
  const std::size_t reach = templates_.reach;
  reading.size_ = cells.size();
  reading.sights_ = sights;
  reading.reach_ = static_cast<std::int64_t>(reach);
  reading.values_.resize((reading.size_ + 2 * reach) * sights);
  Memo::Value* to = reading.values_.data();
  for (std::size_t i = reach; i > 0; --i) {
    for (std::uint32_t s = 0; s < sights; ++s) *to++ = memo.value_outside(s, -static_cast<std::int64_t>(i));
  }
  std::vector<std::uint32_t> numbers(columns_);
  for (std::size_t token = 0; token < reading.size_; ++token) {
    for (std::uint32_t c = 0; c < columns_; ++c) numbers[c] = memo.number_of(c, cells.at(token, c));
    for (std::uint32_t s = 0; s < sights; ++s) *to++ = memo.value_of(s, numbers[templates_.sights[s].column]);
  }
  for (std::size_t i = 1; i <= reach; ++i) {
    for (std::uint32_t s = 0; s < sights; ++s) *to++ = memo.value_outside(s, static_cast<std::int64_t>(i));
  }
}

void Extractor::add_fixed(const Moment& moment, Memo& memo, FeatureBook& book, std::vector<FeatureId>& row) const {
  for (const auto& [item, place, sight] : singles_) {
    const Memo::Value value = moment.reading.at(moment.positions[place], sight);
    if (value == Memo::nothing) continue;
    const FeatureId feature = feature_of(item, value, memo, book);
    if (feature != no_feature) row.push_back(feature);
  }
  for (const auto& [item, place, sight] : bags_) {
    const Memo::Value number = moment.reading.at(moment.positions[place], sight);
    for (const Memo::Value value : memo.bag(sight, number)) {
      const FeatureId feature = feature_of(item, value, memo, book);
      if (feature != no_feature) row.push_back(feature);
    }
  }
  for (const std::uint32_t item : chains_) add_chain(item, moment, memo, book, row);
}

void Extractor::add_labelled(const Moment& moment, Memo& memo, FeatureBook& book, std::vector<FeatureId>& row) const {
  const auto size = static_cast<std::int64_t>(moment.reading.size());
  for (const auto& [item, place, sight] : single_labels_) {
    const std::int64_t at = moment.positions[place];
    if (at < 0 || at >= size || moment.labels[static_cast<std::size_t>(at)] == no_label) continue;
    const auto label = static_cast<Memo::Value>(moment.labels[static_cast<std::size_t>(at)]);
    const FeatureId feature = feature_of(item, label, memo, book);
    if (feature != no_feature) row.push_back(feature);
  }
  for (const std::uint32_t item : label_chains_) add_chain(item, moment, memo, book, row);
}

FeatureId Extractor::feature_of(std::uint32_t item, Memo::Value value, Memo& memo, FeatureBook& book) const {
  FeatureId feature = memo.single(item, value);
  if (feature == Memo::unknown) {
    feature = book.number_of(name_of(item, {&value, 1}, memo));
    memo.keep_single(item, value, feature);
  }
  return feature;
}

bool Extractor::gather(const Item& item, const Moment& moment, std::span<Memo::Value> values) const {
  const auto size = static_cast<std::int64_t>(moment.reading.size());
  for (std::size_t i = 0; i < item.pieces.size(); ++i) {
    const Piece& piece = item.pieces[i];
    const std::int64_t at = moment.positions[piece.place];
    if (!piece.is_label()) {
      values[i] = moment.reading.at(at, piece.sight);
      if (values[i] == Memo::nothing) return false;
    } else {
      if (at < 0 || at >= size || moment.labels[static_cast<std::size_t>(at)] == no_label) return false;
      values[i] = static_cast<Memo::Value>(moment.labels[static_cast<std::size_t>(at)]);
    }
  }
  return true;
}

void Extractor::add_chain(std::uint32_t number, const Moment& moment, Memo& memo, FeatureBook& book,
                          std::vector<FeatureId>& row) const {
  const Item& item = templates_.items[number];
  std::array<Memo::Value, 16> few{};
  std::vector<Memo::Value> many(item.pieces.size() > few.size() ? item.pieces.size() : 0);
  const std::span<Memo::Value> values = many.empty() ? std::span(few).first(item.pieces.size()) : std::span(many);
  if (!gather(item, moment, values)) return;
  const EdgeMap::Node node = memo.node_of(number, values);
  FeatureId feature = memo.at_node(node);
  if (feature == Memo::unknown) {
    feature = book.number_of(name_of(number, values, memo));
    memo.keep_node(node, feature);
  }
  if (feature != no_feature) row.push_back(feature);
}

std::string Extractor::name_of(std::uint32_t number, std::span<const Memo::Value> values, const Memo& memo) const {
  const Item& item = templates_.items[number];
  std::string name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Piece& piece = item.pieces[i];
    name += piece.before;
    if (piece.is_label()) {
      name += labels_[values[i]];
    } else {
      name += memo.text(piece.sight, values[i]);
    }
  }
  return name + item.after;
}

void make_set(std::vector<FeatureId>& row, std::size_t begin) {
  const auto first = row.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(first, row.end());
  row.erase(std::unique(first, row.end()), row.end());
}

}  // namespace gristmill
