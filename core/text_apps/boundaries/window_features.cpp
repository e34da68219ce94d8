// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/boundaries/window_features.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace gristmill::text_apps::boundaries {
namespace {

using Kind = Meaning::Kind;

constexpr int longest_reach = 16;
constexpr char32_t beyond_unicode = 0x110000;  // values from here on are places outside

// An item of the templates: what its features look like.
struct Form {
  Kind kind;
  int distance;
  std::string before, after;

  friend bool operator==(const Form&, const Form&) = default;
};

// A feature as it was read; value: a character, a type, a fact, or a place outside.
struct Found {
  Kind kind = Kind::none;
  int distance = 0;
  char32_t value = 0;
};

std::optional<Kind> kind_of(const templates::Sight& sight) {
  const templates::View& view = sight.view;
  if (sight.column == 1) {
    return view.kind == templates::View::Kind::pieces && !view.lower ? std::optional(Kind::fact) : std::nullopt;
  }
  if (sight.column != 0 || view.lower) return std::nullopt;
  if (view.kind == templates::View::Kind::whole) return Kind::letter;
  if (view.kind == templates::View::Kind::type) return Kind::type;
  return std::nullopt;
}

std::optional<std::vector<Form>> forms_of(const tagging::Window& window) {
  const templates::Templates& templates = window.extractor().templates();
  std::vector<std::int64_t> distances;
  window.positions_at(0, distances);
  std::vector<Form> forms;
  for (const templates::TemplateItem& item : templates.items) {
    if (item.pieces.size() != 1 || !item.pieces[0].is_fixed()) return std::nullopt;
    const templates::Piece& piece = item.pieces[0];
    const std::optional<Kind> kind = kind_of(templates.sights[piece.sight]);
    const std::int64_t distance = distances[piece.place];
    if (!kind || std::abs(distance) > longest_reach || (kind == Kind::fact && distance != 0)) return std::nullopt;
    Form form{*kind, static_cast<int>(distance), piece.before, item.after};
    if (std::ranges::find(forms, form) == forms.end()) forms.push_back(std::move(form));
  }
  return forms;
}

// Values of features as texts.
class Values {
 public:
  explicit Values(const templates::Templates& templates) : reach_(templates.silent ? 0 : templates.reach) {
    const templates::Outside& names = templates.outside;
    for (unsigned i = 1; i <= reach_; ++i) {
      const std::string number = std::to_string(i);
      outside_.emplace(names.left_before + number + names.left_after, beyond_unicode + 2 * i);
      outside_.emplace(names.right_before + number + names.right_after, beyond_unicode + 2 * i + 1);
    }
  }

  [[nodiscard]] unsigned reach() const noexcept { return reach_; }
  [[nodiscard]] static OutsidePlace place_of(char32_t value) {
    return {(value - beyond_unicode) % 2 == 1, static_cast<unsigned>(value - beyond_unicode) / 2};
  }

  [[nodiscard]] std::optional<char32_t> read(Kind kind, std::string_view text) const {
    if (kind == Kind::fact) return fact(text);
    if (const auto found = outside_.find(std::string(text)); found != outside_.end()) return found->second;
    return kind == Kind::letter ? character(text) : type(text);
  }

 private:
  static std::optional<char32_t> character(std::string_view text) {
    if (text.empty() || text.size() != text::width_of(text[0])) return std::nullopt;
    return text::first_of(text);
  }
  static std::optional<char32_t> type(std::string_view text) {
    for (std::size_t type = 0; type < character_types; ++type) {
      const char letter = text::letter_of(static_cast<text::CharacterType>(type));
      if (text == std::string_view(&letter, 1)) return static_cast<char32_t>(type);
    }
    return std::nullopt;
  }
  static std::optional<char32_t> fact(std::string_view text) {
    const std::size_t name = text.empty() ? std::string_view::npos : std::string_view("LRI").find(text[0]);
    if (text.size() != 2 || name == std::string_view::npos || text[1] < '0') return std::nullopt;
    const auto value = static_cast<std::size_t>(text[1] - '0');
    if (value >= fact_values) return std::nullopt;
    return static_cast<char32_t>(name * fact_values + value);
  }

  unsigned reach_;
  std::map<std::string, char32_t> outside_;
};

std::optional<char32_t> read(const Form& form, std::string_view name, const Values& values) {
  if (name.size() < form.before.size() + form.after.size()) return std::nullopt;
  if (!name.starts_with(form.before) || !name.ends_with(form.after)) return std::nullopt;
  name.remove_prefix(form.before.size());
  name.remove_suffix(form.after.size());
  return values.read(form.kind, name);
}

// Nothing where a name may be of several items.
std::optional<std::vector<Found>> read_all(std::span<const Form> forms, const templates::Strings& names,
                                           const Values& values) {
  std::vector<Found> all(names.size());
  for (templates::Strings::Id id = 0; id < names.size(); ++id) {
    const std::string_view name(names[id].data(), names[id].size());
    for (const Form& form : forms) {
      const std::optional<char32_t> value = read(form, name, values);
      if (!value) continue;
      if (all[id].kind != Kind::none) return std::nullopt;
      all[id] = {form.kind, form.distance, *value};
    }
  }
  return all;
}

bool is_character(const Found& found) { return found.kind == Kind::letter && found.value < beyond_unicode; }

// Characters of features and of words, the frequent ones first.
std::vector<char32_t> characters_of(std::span<const Found> all, rows::Rows support, const tagging::Dictionary* words) {
  std::map<char32_t, std::size_t> counts;
  for (const Found& found : all) {
    if (is_character(found)) ++counts[found.value];
  }
  for (const FeatureId id : support.ids) {
    if (is_character(all[static_cast<std::size_t>(id)])) ++counts[all[static_cast<std::size_t>(id)].value];
  }
  for (std::uint32_t id = 0; words != nullptr && id < words->words().size(); ++id) {
    const std::string_view word(words->words()[id].data(), words->words()[id].size());
    for (std::size_t at = 0; at < word.size(); at += text::width_of(word[at]))
      ++counts[text::first_of(word.substr(at))];
  }
  std::vector<char32_t> characters;
  characters.reserve(counts.size());
  for (const auto& [character, count] : counts) characters.push_back(character);
  std::ranges::stable_sort(characters, std::ranges::greater{}, [&](char32_t character) { return counts[character]; });
  return characters;
}

void number_types(std::span<const Found> all, Alphabet& alphabet) {
  std::vector<char32_t> values;
  for (const Found& found : all) {
    if (found.kind == Kind::type) values.push_back(found.value);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());  // clang 14 has no ranges::unique here
  for (const char32_t value : values) {
    if (value < beyond_unicode) {
      alphabet.number_type(static_cast<text::CharacterType>(value));
    } else {
      alphabet.number_type(Values::place_of(value));
    }
  }
}

Meaning meaning_of(const Found& found, int first, const Alphabet& alphabet) {
  if (found.kind == Kind::none || found.kind == Kind::fact) {
    return {found.kind, 0, static_cast<std::uint16_t>(found.value)};
  }
  const bool is_outside = found.value >= beyond_unicode;
  Letter letter = Alphabet::nothing;
  if (is_outside) {
    letter = alphabet.outside(Values::place_of(found.value));
  } else {
    letter = found.kind == Kind::letter ? alphabet.of(found.value)
                                        : alphabet.unknown(static_cast<text::CharacterType>(found.value));
  }
  const auto place = static_cast<std::uint8_t>(found.distance - first);
  return {found.kind, place, found.kind == Kind::letter ? letter : Letter{alphabet.type_of(letter)}};
}

void keep_inverse(WindowFeatures& features) {
  features.of_letter.assign(features.alphabet.size() * features.places, templates::no_feature);
  features.of_type.assign(features.alphabet.types() * features.places, templates::no_feature);
  features.of_fact.fill(templates::no_feature);
  for (std::size_t feature = 0; feature < features.meanings.size(); ++feature) {
    const Meaning meaning = features.meanings[feature];
    const std::size_t at = meaning.value * features.places + meaning.place;
    const auto id = static_cast<FeatureId>(feature);
    if (meaning.kind == Kind::letter) features.of_letter[at] = id;
    if (meaning.kind == Kind::type) features.of_type[at] = id;
    if (meaning.kind == Kind::fact) features.of_fact[meaning.value] = id;
  }
}

// The distances from the first to the last one of characters.
std::optional<std::pair<int, std::size_t>> extent(std::span<const Form> forms) {
  int first = longest_reach;
  int last = -longest_reach;
  for (const Form& form : forms) {
    if (form.kind == Kind::fact) continue;
    first = std::min(first, form.distance);
    last = std::max(last, form.distance);
  }
  if (first > last) return std::pair(0, std::size_t{1});
  const auto places = static_cast<std::size_t>(last - first) + 1;
  return places <= most_places ? std::optional(std::pair(first, places)) : std::nullopt;
}

}  // namespace

std::optional<WindowFeatures> features_of_window(const tagging::Window& window, const templates::Strings& names,
                                                 rows::Rows support, const tagging::Dictionary* words) {
  const std::optional<std::vector<Form>> forms = forms_of(window);
  if (!forms || window.extractor().templates().reach > longest_reach) return std::nullopt;
  const auto range = extent(*forms);
  const Values values(window.extractor().templates());
  const std::optional<std::vector<Found>> all = read_all(*forms, names, values);
  if (!range || !all) return std::nullopt;
  const std::vector<char32_t> characters = characters_of(*all, support, words);
  if (characters.size() + 1 + 2 * std::size_t{values.reach()} + character_types > Alphabet::most) return std::nullopt;
  WindowFeatures features{range->first, range->second, Alphabet(characters, values.reach()), {}, {}, {}, {}};
  number_types(*all, features.alphabet);
  for (const Found& found : *all) features.meanings.push_back(meaning_of(found, range->first, features.alphabet));
  keep_inverse(features);
  return features;
}

}  // namespace gristmill::text_apps::boundaries
