// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "text_apps/parsing/chunks.hpp"
#include "text_apps/parsing/conllu.hpp"
#include "text_apps/parsing/tree.hpp"

namespace gristmill::bindings::bind_linked_chunks {

using namespace nb::literals;
using namespace text_apps::parsing;

namespace {

using Numbers = Array<std::int32_t>;
using ChunkTagParts = std::tuple<bool, std::int32_t, std::int32_t>;  // begins, relation, away

Chunks chunks_of_tags(const text::Columns& words, const Numbers& numbers, const std::vector<ChunkTagParts>& meanings,
                      std::int32_t fallback) {
  if (numbers.size() != words.tokens()) throw std::invalid_argument("tags do not fit the words");
  std::vector<ChunkTag> tags;
  for (const std::int32_t number : span_of(numbers)) {
    const auto& [begins, relation, away] = meanings.at(static_cast<std::size_t>(number));
    tags.push_back({begins, relation, away});
  }
  return without_gil([&] { return Chunks::of_tags(words, tags, fallback); });
}

Chunks chunks_of_trees(const text::Columns& words, const Array<Word>& heads, const Numbers& relations,
                       const Array<std::uint8_t>& joins) {
  if (heads.size() != words.tokens() || relations.size() != words.tokens()) {
    throw std::invalid_argument("heads and relations do not fit the words");
  }
  for (std::size_t sentence = 0; sentence < words.size(); ++sentence) {
    const std::size_t first = words.first_token(sentence);
    if (fault_of(span_of(heads).subspan(first, words.first_token(sentence + 1) - first))) {
      throw std::invalid_argument("heads that make no tree have no chunks");
    }
  }
  for (const std::int32_t relation : span_of(relations)) {
    if (relation < 0 || static_cast<std::size_t>(relation) >= joins.size()) {
      throw std::invalid_argument("a relation is unknown");
    }
  }
  return Chunks::of_trees(words, span_of(heads), span_of(relations), span_of(joins));
}

std::vector<ChunkTagParts> tags_of(const Chunks& chunks) {
  std::vector<ChunkTagParts> parts;
  for (const ChunkTag& tag : chunks.tags()) parts.emplace_back(tag.begins, tag.relation, tag.away);
  return parts;
}

void check_words(const Chunks& chunks, std::size_t words) {
  if (chunks.starts().back() != words) throw std::invalid_argument("the chunks are of other words");
}

std::tuple<NumpyArray<Word>, NumpyArray<std::int32_t>> composed(const Chunks& chunks, const Array<Word>& links,
                                                                const Numbers& relations) {
  if (links.size() != chunks.size() || relations.size() != chunks.size()) {
    throw std::invalid_argument("links do not fit the chunks");
  }
  if (!chunks.are_links(span_of(links))) throw std::invalid_argument("a link leads out of its sentence");
  std::vector<Word> heads(chunks.starts().back());
  std::vector<std::int32_t> found(heads.size());
  chunks.compose(span_of(links), span_of(relations), heads, found);
  return {to_numpy(std::move(heads)), to_numpy(std::move(found))};
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<Chunks>(m, "Chunks")
      .def_static("of_tags", &chunks_of_tags, "words"_a, "numbers"_a.noconvert(), "meanings"_a, "fallback"_a)
      .def_static("of_trees", &chunks_of_trees, "words"_a, "heads"_a.noconvert(), "relations"_a.noconvert(),
                  "joins"_a.noconvert())
      .def("__len__", &Chunks::size)
      .def("starts", [](const Chunks& chunks) { return copied<std::int64_t>(chunks.starts()); })
      .def("tops", [](const Chunks& chunks) { return copied<std::int64_t>(chunks.tops()); })
      .def("tags", &tags_of)
      .def(
          "columns",
          [](const Chunks& chunks, const text::Columns& words) {
            check_words(chunks, words.tokens());
            if (words.columns() < Conllu::column_count)
              throw std::invalid_argument("words have fewer than five columns");
            return chunks.columns(words);
          },
          "words"_a, nb::keep_alive<0, 2>())
      .def(
          "links",
          [](const Chunks& chunks, const Array<Word>& heads, const Numbers& relations) {
            check_words(chunks, heads.size());
            check_words(chunks, relations.size());
            return std::tuple(to_numpy(chunks.links(span_of(heads))),
                              to_numpy(chunks.relations_of_links(span_of(relations))));
          },
          "heads"_a.noconvert(), "relations"_a.noconvert())
      .def("compose", &composed, "links"_a.noconvert(), "relations"_a.noconvert());
}

}  // namespace gristmill::bindings::bind_linked_chunks
