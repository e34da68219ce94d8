// SPDX-License-Identifier: BSD-3-Clause
#include "text/yamcha_parts.hpp"

#include <algorithm>
#include <utility>

#include "text/double_array.hpp"

namespace gristmill::text {
namespace {

constexpr std::size_t longest_feature = 511;  // YamCha's own room for one

// --- PKI -------------------------------------------------------------------------------------------------------------

struct Posting {
  std::int32_t vector;
  FeatureId feature;
};

class PostingReader {
 public:
  PostingReader(const YamchaPostings& arrays, std::size_t vectors)
      : arrays_(arrays), vectors_(vectors), seen_(arrays.table.size()) {}

  void read_list(std::uint32_t value, FeatureId feature) {
    const Packed<std::int32_t>& table = arrays_.table;
    std::int32_t last = -1;
    for (std::size_t at = start_of(value); table[at] != -1; ++at) {
      const std::int32_t vector = table[at];
      if (vector <= last || static_cast<std::size_t>(vector) >= vectors_) {
        table.fail_at(at, "expected a support vector after " + std::to_string(last) + " and below " +
                              std::to_string(vectors_) + ", got " + std::to_string(vector));
      }
      // lists in common would let a small file claim any number of postings
      if (seen_[at]) table.fail_at(at, "two features share their list of support vectors");
      if (at + 1 == table.size()) table.fail_at(at, "a list of support vectors has no end");
      seen_[at] = true;
      last = vector;
      postings.push_back({vector, feature});
    }
  }

  std::vector<Posting> postings;

 private:
  [[nodiscard]] std::size_t start_of(std::uint32_t value) const {
    std::size_t start = value;
    if (arrays_.starts) {
      if (value >= arrays_.starts->size()) arrays_.features.fail_at(0, "a feature has a number beyond the last");
      start = (*arrays_.starts)[value];
    }
    if (start >= arrays_.table.size()) {
      arrays_.features.fail_at(0, "a feature points to entry " + std::to_string(start) + " of a table of " +
                                      std::to_string(arrays_.table.size()));
    }
    return start;
  }

  const YamchaPostings& arrays_;
  std::size_t vectors_;
  std::vector<bool> seen_;
};

// From lists of vectors by feature to lists of features by vector. Features came in order, so they ascend.
void fill_rows(YamchaModel& model, const std::vector<Posting>& postings) {
  std::int32_t last = -1;
  for (const Posting& posting : postings) last = std::max(last, posting.vector);
  for (const std::int32_t row : model.weight_rows) last = std::max(last, row);
  const auto rows = static_cast<std::size_t>(std::int64_t{last} + 1);
  model.offsets.assign(rows + 1, 0);
  for (const Posting& posting : postings) ++model.offsets[static_cast<std::size_t>(posting.vector) + 1];
  for (std::size_t row = 0; row < rows; ++row) model.offsets[row + 1] += model.offsets[row];
  model.ids.resize(postings.size());
  std::vector<Offset> next = model.offsets;
  for (const Posting& posting : postings) {
    model.ids[static_cast<std::size_t>(next[static_cast<std::size_t>(posting.vector)]++)] = posting.feature;
  }
}

// --- PKE -------------------------------------------------------------------------------------------------------------

// Features by the id they have in the file.
using Numbered = std::vector<std::pair<std::uint32_t, FeatureId>>;

constexpr FeatureId unknown = -1;

FeatureId find(const Numbered& numbered, std::uint32_t id) {
  const auto found = std::ranges::lower_bound(numbered, id, {}, &Numbered::value_type::first);
  return found != numbered.end() && found->first == id ? found->second : unknown;
}

Numbered read_numbered(YamchaModel& model, const Packed<std::uint32_t>& features) {
  Numbered numbered;
  for_each_key(features, longest_feature, [&](std::string_view name, std::uint32_t id) {
    numbered.emplace_back(id, static_cast<FeatureId>(model.features.size()));
    model.features.emplace_back(name);
  });
  std::ranges::sort(numbered);
  if (std::ranges::adjacent_find(numbered, {}, &Numbered::value_type::first) != numbered.end()) {
    features.fail_at(0, "two features have one id");
  }
  return numbered;
}

class ConjunctionReader {
 public:
  ConjunctionReader(YamchaModel& model, const YamchaConjunctions& arrays, std::size_t most)
      : model_(model), arrays_(arrays), most_(most), numbered_(read_numbered(model, arrays.features)) {}

  void read(std::string_view key, std::uint32_t start) {
    if (!read_row(key)) return;
    const auto row = static_cast<std::int32_t>(model_.offsets.size() - 1);
    read_run(row, start);
    model_.offsets.push_back(static_cast<Offset>(model_.ids.size()));
  }

 private:
  // False, and nothing read, for a conjunction with an id that no feature has: it can never be met.
  bool read_row(std::string_view key) {
    if (key.empty() || key.size() % 4 != 0) arrays_.keys.fail_at(0, "a conjunction is not a list of feature ids");
    const std::size_t begin = model_.ids.size();
    for (std::int64_t last = -1; !key.empty(); key.remove_prefix(4)) {
      const auto id = little_endian<std::uint32_t>(key);
      if (id <= last) arrays_.keys.fail_at(0, "the feature ids of a conjunction must ascend");
      last = id;
      model_.ids.push_back(find(numbered_, id));
    }
    const auto row = model_.ids.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(row, model_.ids.end());
    const bool known = *row != unknown;
    if (!known) model_.ids.resize(begin);
    return known;
  }

  // The program reads on while the numbers ascend, past the end of a vector into the next one, because files have no
  // end marks; so must whoever wants its answers.
  void read_run(std::int32_t row, std::uint32_t start) {
    const Packed<std::int32_t>& owners = arrays_.owners;
    if (start >= owners.size()) arrays_.keys.fail_at(0, "a conjunction points behind the last weight");
    std::int32_t last = -1;
    for (std::size_t at = start; at < owners.size() && owners[at] > last; ++at) {
      last = owners[at];
      if (static_cast<std::size_t>(last) >= model_.classifiers.size()) owners.fail_at(at, "a weight of no classifier");
      const double weight = arrays_.weights[at];
      if (!std::isfinite(weight)) arrays_.weights.fail_at(at, "a weight is not a finite number");
      if (model_.weights.size() == most_) owners.fail_at(at, "the conjunctions share implausibly many weights");
      model_.weight_rows.push_back(row);
      model_.weight_classifiers.push_back(last);
      model_.weights.push_back(weight);
    }
  }

  YamchaModel& model_;
  const YamchaConjunctions& arrays_;
  std::size_t most_;
  Numbered numbered_;
};

}  // namespace

void add_weight(YamchaModel& model, const YamchaWeight& weight, std::size_t vectors, std::size_t& classifier) {
  if (weight.vector == -1) {
    ++classifier;
    return;
  }
  if (weight.vector < 0 || static_cast<std::size_t>(weight.vector) >= vectors) {
    throw ByteError(
        "expected a support vector below " + std::to_string(vectors) + ", got " + std::to_string(weight.vector),
        weight.offset);
  }
  if (!std::isfinite(weight.weight)) throw ByteError("the weight of this entry is not a finite number", weight.offset);
  model.weight_rows.push_back(weight.vector);
  model.weight_classifiers.push_back(static_cast<std::int32_t>(classifier));
  model.weights.push_back(weight.weight);
}

void read_postings(YamchaModel& model, const YamchaPostings& arrays, std::size_t vectors) {
  PostingReader reader(arrays, vectors);
  for_each_key(arrays.features, longest_feature, [&](std::string_view name, std::uint32_t value) {
    reader.read_list(value, static_cast<FeatureId>(model.features.size()));
    model.features.emplace_back(name);
  });
  fill_rows(model, reader.postings);
}

void read_conjunctions(YamchaModel& model, const YamchaConjunctions& arrays, std::size_t most) {
  ConjunctionReader reader(model, arrays, most);
  for_each_key(arrays.keys, std::size_t{4} * model.degree,
               [&](std::string_view key, std::uint32_t start) { reader.read(key, start); });
}

}  // namespace gristmill::text
