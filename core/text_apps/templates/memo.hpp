// SPDX-License-Identifier: BSD-3-Clause
// What an extractor remembers: strings it has met as numbers, and the features they make. One per thread. It grows with
// the text and says when it is time to begin anew; nothing depends on what it remembers but time.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/edge_map.hpp"
#include "base/lists.hpp"
#include "base/sequence_table.hpp"
#include "base/types.hpp"
#include "text_apps/templates/templates.hpp"

namespace gristmill::text_apps::templates {

using Strings = SequenceTable<char>;

constexpr FeatureId no_feature = -1;

// Where features have numbers.
class FeatureDictionary {
 public:
  FeatureDictionary() = default;
  FeatureDictionary(const FeatureDictionary&) = delete;
  FeatureDictionary& operator=(const FeatureDictionary&) = delete;
  virtual ~FeatureDictionary() = default;
  // Or no_feature.
  virtual FeatureId number_of(std::string_view name) = 0;
};

// A dictionary that is closed: threads may share the strings.
class KnownFeatures final : public FeatureDictionary {
 public:
  explicit KnownFeatures(const Strings& names) : names_(names) {}
  FeatureId number_of(std::string_view name) override {
    const Strings::Id id = names_.find(name);
    return id == Strings::none ? no_feature : static_cast<FeatureId>(id);
  }

 private:
  const Strings& names_;
};

// A dictionary that takes every feature it is asked for.
class NewFeatures final : public FeatureDictionary {
 public:
  explicit NewFeatures(Strings& names) : names_(names) {}
  FeatureId number_of(std::string_view name) override;

 private:
  Strings& names_;
};

class Memo {
 public:
  using Value = std::uint32_t;
  static constexpr Value nothing = std::numeric_limits<Value>::max();

  // widths: of each sight, and at last of labels and of facts, how many items have it as their only piece.
  Memo(const Templates& templates, std::vector<std::uint32_t> widths);

  // What is seen of a cell: the values of all sights of its column, in their order; of a bag its number.
  [[nodiscard]] std::span<const std::uint32_t> sights_of(std::uint32_t column) const { return columns_[column].sights; }
  [[nodiscard]] const Value* values_of(std::uint32_t column, std::string_view cell) {
    ColumnMemo& memo = columns_[column];
    const std::size_t begin = memo.cells.intern(cell) * memo.sights.size();
    if (begin == memo.seen.size()) see_new(memo, cell);
    return memo.seen.data() + begin;
  }
  // Of the token so far before the first one (below 0) or behind the last one (above 0), up to the templates' reach.
  [[nodiscard]] Value value_outside(std::uint32_t sight, std::int64_t distance) const {
    return outside_[std::size_t{sight} * 2 * templates_.reach +
                    static_cast<std::size_t>(distance < 0 ? -distance - 1 : distance - 1 + templates_.reach)];
  }
  [[nodiscard]] std::span<const Value> bag(std::uint32_t sight, Value number) const {
    return sights_[sight].bags[number];
  }
  [[nodiscard]] std::string_view text(std::uint32_t sight, Value value) const;

  // Features that were asked for before; `unknown` is what it has not heard of. Those of one value stand together: the
  // tokens around a token soon ask for all of them.
  struct Place {
    std::uint32_t table;  // a sight, or the number of sights for labels, one more for facts
    std::uint32_t slot;   // of the item, among those of the table
  };
  static constexpr FeatureId unknown = -2;
  [[nodiscard]] FeatureId single(Place place, Value value) const {
    const std::size_t at = std::size_t{value} * widths_[place.table] + place.slot;
    const std::vector<FeatureId>& known = singles_[place.table];
    return at < known.size() ? known[at] : unknown;
  }
  void keep_single(Place place, Value value, FeatureId feature);
  // The node of a sequence of values.
  EdgeMap::Node node_of(std::uint32_t item, std::span<const Value> values);
  [[nodiscard]] FeatureId at_node(EdgeMap::Node node) const { return node < nodes_.size() ? nodes_[node] : unknown; }
  void keep_node(EdgeMap::Node node, FeatureId feature);

  [[nodiscard]] bool is_full() const noexcept;
  void forget() { begin(); }

 private:
  struct ColumnMemo {
    Strings cells;
    std::vector<std::uint32_t> sights;
    std::vector<Value> seen;  // cells x sights
  };
  struct SightMemo {
    Strings values;
    Lists<Value> bags;
  };

  void see_new(ColumnMemo& memo, std::string_view cell);
  Value see_one(std::uint32_t sight, std::string_view cell);
  Value see_outside(std::uint32_t sight, std::string_view text);
  static Value new_bag(SightMemo& memo);
  void begin();

  const Templates& templates_;
  std::vector<std::uint32_t> widths_;
  std::vector<ColumnMemo> columns_;
  std::vector<SightMemo> sights_;
  std::vector<Value> outside_;                   // sights x (1, 2, ... to the left, 1, 2, ... to the right)
  std::vector<std::vector<FeatureId>> singles_;  // by table: values x slots
  EdgeMap chains_;
  std::vector<FeatureId> nodes_;
  ViewBuffers buffers_;
};

}  // namespace gristmill::text_apps::templates
