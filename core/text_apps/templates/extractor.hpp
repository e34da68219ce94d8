// SPDX-License-Identifier: BSD-3-Clause
// Features of tokens by templates (see templates.hpp).
//
//   read a sentence once: every cell becomes the numbers of what is seen of it
//   then, for any positions of the places: the features of items without labels, and of items with labels
//
// Cost: a hash of each cell when it is read; then two loads for each feature of one piece that was met before, and a
// hash of its values for one of several.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "text/cells.hpp"
#include "text_apps/templates/memo.hpp"
#include "text_apps/templates/templates.hpp"

namespace gristmill::text_apps::templates {

// A sentence as an extractor sees it; its values belong to one memo.
class Reading {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // position: of a token, or outside of the sentence by up to the templates' reach.
  [[nodiscard]] Memo::Value at(std::int64_t position, std::uint32_t sight) const {
    return values_[static_cast<std::size_t>(position + reach_) * sights_ + sight];
  }

 private:
  friend class Extractor;

  std::size_t size_ = 0;
  std::size_t sights_ = 0;
  std::int64_t reach_ = 0;
  std::vector<Memo::Value> values_;  // (reach + size + reach) x sights
};

class Extractor {
 public:
  static constexpr std::int32_t no_label = -1;

  // What features are collected from: where places are, the labels of tokens (no_label where there is none), and
  // facts (below 0 where there is none).
  struct ExtractionContext {
    const Reading& reading;
    std::span<const std::int64_t> positions;
    std::span<const std::int32_t> labels;
    std::span<const std::int32_t> facts = {};
  };

  Extractor(Templates templates, std::vector<std::string> labels);
  // Memos point to its templates.
  Extractor(const Extractor&) = delete;
  Extractor& operator=(const Extractor&) = delete;

  [[nodiscard]] const Templates& templates() const noexcept { return templates_; }
  [[nodiscard]] const std::vector<std::string>& labels() const noexcept { return labels_; }
  [[nodiscard]] std::uint32_t columns() const noexcept { return columns_; }
  // Labels or facts: what is not known in advance.
  [[nodiscard]] bool uses_labels() const noexcept { return !single_turns_.empty() || !turn_chains_.empty(); }
  [[nodiscard]] Memo make_memo() const { return {templates_, widths_}; }

  void read(const text::Cells& cells, Memo& memo, Reading& reading) const;

  // Features are appended, in no order and perhaps twice: those of cells alone, and those that take labels or facts.
  void add_fixed(const ExtractionContext& context, Memo& memo, FeatureDictionary& dictionary,
                 std::vector<FeatureId>& row) const;
  void add_labelled(const ExtractionContext& context, Memo& memo, FeatureDictionary& dictionary,
                    std::vector<FeatureId>& row) const;

 private:
  struct Single {
    std::uint32_t item, place;
    Memo::Place kept;
  };

  void sort_items();
  [[nodiscard]] std::uint32_t table_of(const Piece& piece) const;
  // A label or a fact; below 0 where there is none.
  [[nodiscard]] static std::int32_t turn_of(bool is_fact, std::uint32_t place, const ExtractionContext& context);
  // False where a piece has no value.
  [[nodiscard]] bool gather(const TemplateItem& item, const ExtractionContext& context,
                            std::span<Memo::Value> values) const;
  void add_chain(std::uint32_t item, const ExtractionContext& context, Memo& memo, FeatureDictionary& dictionary,
                 std::vector<FeatureId>& row) const;
  void add_single(const Single& single, Memo::Value value, Memo& memo, FeatureDictionary& dictionary,
                  std::vector<FeatureId>& row) const;
  FeatureId new_single(const Single& single, Memo::Value value, Memo& memo, FeatureDictionary& dictionary) const;
  [[nodiscard]] std::string name_of(std::uint32_t item, std::span<const Memo::Value> values, const Memo& memo) const;

  Templates templates_;
  std::vector<std::string> labels_;
  std::uint32_t columns_;
  std::vector<std::uint32_t> widths_;  // see Memo
  std::vector<Single> singles_, bags_, single_turns_;
  std::vector<std::uint32_t> chains_, turn_chains_;  // items of no or several pieces
};

// Ascending, each once.
void make_set(std::vector<FeatureId>& row, std::size_t begin);

}  // namespace gristmill::text_apps::templates
