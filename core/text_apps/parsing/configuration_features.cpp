// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/configuration_features.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace gristmill::text_apps::parsing {
namespace {

// A sibling on the same side of the head.
Word same_side(const Configuration& c, Word word, Word sibling) {
  return sibling != no_word && (sibling < c.head(word)) == (word < c.head(word)) ? sibling : no_word;
}

Word step_from(const Configuration& c, Word word, Address::Step step) {
  using enum Address::Step;
  switch (step) {
    case head:
      return c.head(word);
    case ldep:
      return c.leftmost(word);
    case rdep:
      return c.rightmost(word);
    case ldep2:
      return c.second_left(word);
    case rdep2:
      return c.second_right(word);
    case lsib:
      return same_side(c, word, c.sibling_before(word));
    case rsib:
      return same_side(c, word, c.sibling_after(word));
    case pred:
      return word - 1;  // no_word before the first one
    case succ:
      return word + 1 < static_cast<Word>(c.size()) ? word + 1 : no_word;
  }
  return no_word;
}

std::int32_t distance_class(std::int64_t distance) {
  return distance <= 4 ? static_cast<std::int32_t>(distance) : distance <= 6 ? 5 : distance <= 10 ? 7 : 11;
}

constexpr std::int32_t most_dependents = 3;

}  // namespace

Word word_at(const Configuration& c, const Address& address) {
  Word word = address.base == Address::Base::stack ? c.stack(address.depth) : c.buffer(address.depth);
  for (const Address::Step step : address.steps) {
    if (word == no_word) return no_word;
    word = step_from(c, word, step);
  }
  return word;
}

ConfigurationFeatures::ConfigurationFeatures(std::shared_ptr<const templates::Extractor> extractor,
                                             std::vector<Address> addresses, std::vector<Fact> facts)
    : extractor_(std::move(extractor)), addresses_(std::move(addresses)), facts_(std::move(facts)) {
  const templates::Templates& templates = extractor_->templates();
  const auto unknown = [&](const Fact& fact) { return std::max(fact.place, fact.other) >= addresses_.size(); };
  if (templates.places != addresses_.size() || templates.facts != facts_.size() || templates.reach != 1 ||
      std::ranges::any_of(facts_, unknown)) {
    throw std::invalid_argument("addresses and facts do not fit the templates");
  }
}

void ConfigurationFeatures::add_row(const Configuration& c, const templates::Reading& reading, Scratch& scratch,
                                    templates::Memo& memo, templates::FeatureDictionary& dictionary,
                                    std::vector<FeatureId>& row) const {
  scratch.positions.resize(addresses_.size());
  for (std::size_t i = 0; i < addresses_.size(); ++i) scratch.positions[i] = word_at(c, addresses_[i]);
  scratch.facts.resize(facts_.size());
  for (std::size_t i = 0; i < facts_.size(); ++i) scratch.facts[i] = value_of(facts_[i], c, scratch.positions);
  const templates::Extractor::ExtractionContext context{reading, scratch.positions, c.relations(), scratch.facts};
  const std::size_t begin = row.size();
  extractor_->add_fixed(context, memo, dictionary, row);
  extractor_->add_labelled(context, memo, dictionary, row);
  templates::make_set(row, begin);
}

std::int32_t ConfigurationFeatures::value_of(const Fact& fact, const Configuration& c,
                                             std::span<const std::int64_t> positions) {
  const auto word = static_cast<Word>(positions[fact.place]);
  if (word == no_word || positions[fact.other] == no_word) return no_relation;
  switch (fact.kind) {
    case Fact::Kind::lefts:
      return std::min(c.lefts(word), most_dependents);
    case Fact::Kind::rights:
      return std::min(c.rights(word), most_dependents);
    case Fact::Kind::distance:
      break;
  }
  return distance_class(std::abs(positions[fact.other] - positions[fact.place]));
}

}  // namespace gristmill::text_apps::parsing
