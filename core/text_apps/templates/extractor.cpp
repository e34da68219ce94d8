// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/templates/extractor.hpp"

#include <algorithm>
#include <array>

namespace gristmill::text_apps::templates {

Extractor::Extractor(Templates templates, std::vector<std::string> labels)
    : templates_(std::move(templates)),
      labels_(std::move(labels)),
      columns_(columns_of(templates_)),
      widths_(templates_.sights.size() + 2, 0) {
  check(templates_);
  sort_items();
}

std::uint32_t Extractor::table_of(const Piece& piece) const {
  return piece.is_fixed()
             ? piece.sight
             : static_cast<std::uint32_t>(templates_.sights.size()) + static_cast<std::uint32_t>(piece.is_fact());
}

void Extractor::sort_items() {
  for (std::uint32_t number = 0; number < templates_.items.size(); ++number) {
    const std::vector<Piece>& pieces = templates_.items[number].pieces;
    if (pieces.size() != 1) {
      (std::ranges::all_of(pieces, &Piece::is_fixed) ? chains_ : turn_chains_).push_back(number);
      continue;
    }
    const Piece& piece = pieces[0];
    const bool is_bag = piece.is_fixed() && templates_.sights[piece.sight].view.is_bag();
    const std::uint32_t table = table_of(piece);
    (!piece.is_fixed() ? single_turns_
     : is_bag          ? bags_
                       : singles_)
        .push_back({number, piece.place, {table, widths_[table]++}});
  }
}

void Extractor::read(const text::Cells& cells, Memo& memo, Reading& reading) const {
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
      if (memo.sights_of(column).empty()) continue;
      const Memo::Value* values = memo.values_of(column, cells.at(token, column));
      for (const std::uint32_t sight : memo.sights_of(column)) to[sight] = *values++;
    }
  }
  for (std::size_t i = 1; i <= reach; ++i) {
    for (std::uint32_t s = 0; s < sights; ++s) *to++ = memo.value_outside(s, static_cast<std::int64_t>(i));
  }
}

inline void Extractor::add_single(const Single& single, Memo::Value value, Memo& memo, FeatureDictionary& dictionary,
                                  std::vector<FeatureId>& row) const {
  FeatureId feature = memo.single(single.kept, value);
  if (feature == Memo::unknown) [[unlikely]] {
    feature = new_single(single, value, memo, dictionary);
  }
  if (feature != no_feature) row.push_back(feature);
}

FeatureId Extractor::new_single(const Single& single, Memo::Value value, Memo& memo,
                                FeatureDictionary& dictionary) const {
  const FeatureId feature = dictionary.number_of(name_of(single.item, {&value, 1}, memo));
  memo.keep_single(single.kept, value, feature);
  return feature;
}

void Extractor::add_fixed(const ExtractionContext& context, Memo& memo, FeatureDictionary& dictionary,
                          std::vector<FeatureId>& row) const {
  for (const Single& single : singles_) {
    const Memo::Value value = context.reading.at(context.positions[single.place], single.kept.table);
    if (value != Memo::nothing) add_single(single, value, memo, dictionary, row);
  }
  for (const Single& single : bags_) {
    const Memo::Value number = context.reading.at(context.positions[single.place], single.kept.table);
    for (const Memo::Value value : memo.bag(single.kept.table, number))
      add_single(single, value, memo, dictionary, row);
  }
  for (const std::uint32_t item : chains_) add_chain(item, context, memo, dictionary, row);
}

void Extractor::add_labelled(const ExtractionContext& context, Memo& memo, FeatureDictionary& dictionary,
                             std::vector<FeatureId>& row) const {
  for (const Single& single : single_turns_) {
    const std::int32_t turn = turn_of(single.kept.table > templates_.sights.size(), single.place, context);
    if (turn >= 0) add_single(single, static_cast<Memo::Value>(turn), memo, dictionary, row);
  }
  for (const std::uint32_t item : turn_chains_) add_chain(item, context, memo, dictionary, row);
}

std::int32_t Extractor::turn_of(bool is_fact, std::uint32_t place, const ExtractionContext& context) {
  if (is_fact) return context.facts[place];
  const std::int64_t at = context.positions[place];
  const bool is_token = at >= 0 && at < static_cast<std::int64_t>(context.reading.size());
  return is_token ? context.labels[static_cast<std::size_t>(at)] : no_label;
}

bool Extractor::gather(const TemplateItem& item, const ExtractionContext& context,
                       std::span<Memo::Value> values) const {
  for (std::size_t i = 0; i < item.pieces.size(); ++i) {
    const Piece& piece = item.pieces[i];
    if (piece.is_fixed()) {
      values[i] = context.reading.at(context.positions[piece.place], piece.sight);
      if (values[i] == Memo::nothing) return false;
    } else {
      const std::int32_t turn = turn_of(piece.is_fact(), piece.place, context);
      if (turn < 0) return false;
      values[i] = static_cast<Memo::Value>(turn);
    }
  }
  return true;
}

void Extractor::add_chain(std::uint32_t number, const ExtractionContext& context, Memo& memo,
                          FeatureDictionary& dictionary, std::vector<FeatureId>& row) const {
  const TemplateItem& item = templates_.items[number];
  std::array<Memo::Value, 16> few{};
  std::vector<Memo::Value> many(item.pieces.size() > few.size() ? item.pieces.size() : 0);
  const std::span<Memo::Value> values = many.empty() ? std::span(few).first(item.pieces.size()) : std::span(many);
  if (!gather(item, context, values)) return;
  const EdgeMap::Node node = memo.node_of(number, values);
  FeatureId feature = memo.at_node(node);
  if (feature == Memo::unknown) {
    feature = dictionary.number_of(name_of(number, values, memo));
    memo.keep_node(node, feature);
  }
  if (feature != no_feature) row.push_back(feature);
}

std::string Extractor::name_of(std::uint32_t number, std::span<const Memo::Value> values, const Memo& memo) const {
  const TemplateItem& item = templates_.items[number];
  std::string name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Piece& piece = item.pieces[i];
    name += piece.before;
    if (piece.is_fixed()) {
      name += memo.text(piece.sight, values[i]);
    } else {
      name += piece.is_fact() ? std::to_string(values[i]) : labels_[values[i]];
    }
  }
  return name + item.after;
}

void make_set(std::vector<FeatureId>& row, std::size_t begin) {
  const auto first = row.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(first, row.end());
  row.erase(std::unique(first, row.end()), row.end());
}

}  // namespace gristmill::text_apps::templates
