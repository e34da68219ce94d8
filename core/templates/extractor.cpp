// SPDX-License-Identifier: BSD-3-Clause
#include "templates/extractor.hpp"

#include <algorithm>
#include <array>

namespace gristmill {

Extractor::Extractor(Templates templates, std::vector<std::string> labels)
    : templates_(std::move(templates)),
      labels_(std::move(labels)),
      columns_(columns_of(templates_)),
      widths_(templates_.sights.size() + 1, 0) {
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
    const auto table = piece.is_label() ? static_cast<std::uint32_t>(templates_.sights.size()) : piece.sight;
    (piece.is_label() ? single_labels_
     : is_bag         ? bags_
                      : singles_)
        .push_back({number, piece.place, {table, widths_[table]++}});
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
  for (std::size_t token = 0; token < reading.size_; ++token, to += sights) {
    for (std::uint32_t column = 0; column < columns_; ++column) {
      const Memo::Value* values = memo.values_of(column, cells.at(token, column));
      for (const std::uint32_t sight : memo.sights_of(column)) to[sight] = *values++;
    }
  }
  for (std::size_t i = 1; i <= reach; ++i) {
    for (std::uint32_t s = 0; s < sights; ++s) *to++ = memo.value_outside(s, static_cast<std::int64_t>(i));
  }
}

inline void Extractor::add_single(const Single& single, Memo::Value value, Memo& memo, FeatureBook& book,
                                  std::vector<FeatureId>& row) const {
  FeatureId feature = memo.single(single.kept, value);
  if (feature == Memo::unknown) [[unlikely]] {
    feature = new_single(single, value, memo, book);
  }
  if (feature != no_feature) row.push_back(feature);
}

FeatureId Extractor::new_single(const Single& single, Memo::Value value, Memo& memo, FeatureBook& book) const {
  const FeatureId feature = book.number_of(name_of(single.item, {&value, 1}, memo));
  memo.keep_single(single.kept, value, feature);
  return feature;
}

void Extractor::add_fixed(const Moment& moment, Memo& memo, FeatureBook& book, std::vector<FeatureId>& row) const {
  for (const Single& single : singles_) {
    const Memo::Value value = moment.reading.at(moment.positions[single.place], single.kept.table);
    if (value != Memo::nothing) add_single(single, value, memo, book, row);
  }
  for (const Single& single : bags_) {
    const Memo::Value number = moment.reading.at(moment.positions[single.place], single.kept.table);
    for (const Memo::Value value : memo.bag(single.kept.table, number)) add_single(single, value, memo, book, row);
  }
  for (const std::uint32_t item : chains_) add_chain(item, moment, memo, book, row);
}

void Extractor::add_labelled(const Moment& moment, Memo& memo, FeatureBook& book, std::vector<FeatureId>& row) const {
  const auto size = static_cast<std::int64_t>(moment.reading.size());
  for (const Single& single : single_labels_) {
    const std::int64_t at = moment.positions[single.place];
    if (at < 0 || at >= size || moment.labels[static_cast<std::size_t>(at)] == no_label) continue;
    add_single(single, static_cast<Memo::Value>(moment.labels[static_cast<std::size_t>(at)]), memo, book, row);
  }
  for (const std::uint32_t item : label_chains_) add_chain(item, moment, memo, book, row);
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
