// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "text_apps/tagging/chunk_tags.hpp"
#include "text_apps/tagging/tag_rules.hpp"

namespace gristmill::bindings::bind_chunks {

using namespace nb::literals;
using namespace text_apps::tagging;

namespace {

void check(std::span<const std::int32_t> numbers, std::span<const Offset> starts, std::size_t tags) {
  const auto wrong = [tags](std::int32_t number) { return number < 0 || static_cast<std::size_t>(number) >= tags; };
  if (std::ranges::any_of(numbers, wrong)) throw std::invalid_argument("a number has no tag");
  const bool whole = !starts.empty() && starts.front() == 0 && starts.back() == static_cast<Offset>(numbers.size());
  if (!whole || !std::ranges::is_sorted(starts)) {
    throw std::invalid_argument("starts must ascend from 0 to the number of tokens");
  }
}

// visit(its numbers) for each sentence.
template <class Number, class Visit>
void for_each_sentence(std::span<Number> numbers, std::span<const Offset> starts, Visit visit) {
  for (std::size_t at = 0; at + 1 < starts.size(); ++at) {
    const auto start = static_cast<std::size_t>(starts[at]);
    visit(numbers.subspan(start, static_cast<std::size_t>(starts[at + 1]) - start));
  }
}

using ChunkParts = std::tuple<NumpyArray<Offset>, NumpyArray<Offset>, NumpyArray<std::int32_t>>;

ChunkParts chunks_of(const ChunkTags& tags, const Array<std::int32_t>& numbers, const Array<Offset>& starts) {
  Chunks chunks = without_gil([&] {
    check(span_of(numbers), span_of(starts), tags.size());
    return tags.chunks(span_of(numbers), span_of(starts));
  });
  return {to_numpy(std::move(chunks.first)), to_numpy(std::move(chunks.last)), to_numpy(std::move(chunks.type))};
}

NumpyArray<std::int32_t> convert(const TagConverter& converter, const Array<std::int32_t>& numbers,
                                 const Array<Offset>& starts) {
  std::vector<std::int32_t> out = copy_of(numbers);
  without_gil([&] {
    check(out, span_of(starts), converter.inputs());
    for_each_sentence(std::span(out), span_of(starts), [&](auto sentence) { converter.convert(sentence, sentence); });
  });
  return to_numpy(std::move(out));
}

// The marks of all tokens, one after the other.
NumpyArray<std::uint8_t> allowed_tags(const TagRules& rules, const Array<std::int32_t>& numbers,
                                      const Array<Offset>& starts) {
  std::vector<std::uint8_t> marks;
  without_gil([&] {
    check(span_of(numbers), span_of(starts), rules.size());
    for_each_sentence(span_of(numbers), span_of(starts), [&](auto sentence) { rules.add_allowed(sentence, marks); });
  });
  return to_numpy(std::move(marks));
}

void make_rules(TagRules* place, const std::vector<std::string>& tags, const std::string& scheme, bool backward) {
  new (place) TagRules(tags, chunk_scheme(scheme), backward);
}

void make_converter(TagConverter* place, const std::vector<std::string>& tags, const std::string& scheme) {
  new (place) TagConverter(tags, chunk_scheme(scheme));
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<ChunkTags>(m, "ChunkTags")
      .def(
          "__init__", [](ChunkTags* place, const std::vector<std::string>& tags) { new (place) ChunkTags(tags); },
          "tags"_a)
      .def_prop_ro("types", &ChunkTags::types)
      .def("chunks", &chunks_of, "numbers"_a.noconvert(), "starts"_a.noconvert(),
           "(first tokens, last tokens, numbers of types)");
  nb::class_<TagConverter>(m, "TagConverter")
      .def("__init__", &make_converter, "tags"_a, "scheme"_a)
      .def_prop_ro("tags", &TagConverter::tags, "what converted numbers stand for")
      .def("convert", &convert, "numbers"_a.noconvert(), "starts"_a.noconvert());
  nb::class_<TagRules>(m, "TagRules")
      .def("__init__", &make_rules, "tags"_a, "scheme"_a, "backward"_a = false)
      .def("allowed", &allowed_tags, "numbers"_a.noconvert(), "starts"_a.noconvert(),
           "a mark for each tag of each token, given the tags around it");
  m.def("is_chunk_tag", [](const std::string& tag) { return split_chunk_tag(tag).has_value(); }, "tag"_a);
}

}  // namespace gristmill::bindings::bind_chunks
