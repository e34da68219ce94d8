// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "text_apps/boundaries/boundary_decoder.hpp"
#include "text_apps/tagging/character_lines.hpp"
#include "text_apps/tagging/dictionary.hpp"
#include "text_apps/tagging/window.hpp"
#include "text_apps/tagging/word_text.hpp"

namespace gristmill::bindings::bind_segment {

using namespace nb::literals;
using namespace text_apps::tagging;

namespace {

std::shared_ptr<CharacterLines> make_lines(const nb::bytes& text, bool segmented, std::size_t line) {
  return without_gil([&] { return std::make_shared<CharacterLines>(view(text), segmented, line); });
}

NumpyArray<bool> flags_of(std::span<const std::uint8_t> flags) {
  auto* kept = new bool[flags.size()];
  std::ranges::transform(flags, kept, [](std::uint8_t flag) { return flag != 0; });
  const nb::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  return NumpyArray<bool>(kept, {flags.size()}, owner);
}

text::Columns columns_of(const CharacterLines& lines, const Dictionary* dictionary, bool learning, std::size_t threads,
                         nb::object progress) {
  return watched(std::move(progress),
                 [&](Observer& observer) { return lines.columns(dictionary, learning, threads, observer); });
}

// A function that makes text of decided lines, as one that makes bytes.
template <auto Write>
nb::bytes written(const CharacterLines& lines, const Array<std::int32_t>& classes) {
  return to_bytes(without_gil([&] { return Write(lines, span_of(classes)); }));
}

nb::bytes joined(const CharacterLines& lines) {
  return to_bytes(without_gil([&] { return joined_text(lines); }));
}

std::shared_ptr<Dictionary> dictionary_of(const std::vector<std::string>& words, std::size_t longest) {
  auto dictionary = std::make_shared<Dictionary>(longest);
  for (const std::string& word : words) dictionary->add(word);
  return dictionary;
}

std::vector<std::string> words_of(const Dictionary& dictionary) {
  std::vector<std::string> words;
  for (std::uint32_t id = 0; id < dictionary.words().size(); ++id) {
    words.emplace_back(dictionary.words()[id].data(), dictionary.words()[id].size());
  }
  return words;
}

// None where the machine and the templates have no such tables.
std::shared_ptr<text_apps::boundaries::BoundaryDecoder> make_decoder(const Window& window,
                                                                     const text_apps::templates::Strings& names,
                                                                     const Dictionary* words,
                                                                     const score::decision::Labeller& labeller,
                                                                     std::size_t max_bytes) {
  return watched(nb::none(), [&](Observer& observer) {
    return std::shared_ptr(
        text_apps::boundaries::BoundaryDecoder::make(window, names, words, labeller, max_bytes, observer));
  });
}

NumpyArray<std::int32_t> decode(const text_apps::boundaries::BoundaryDecoder& decoder, const CharacterLines& lines,
                                std::size_t threads, nb::object progress) {
  std::vector<std::int32_t> classes(lines.characters());
  watched(std::move(progress), [&](Observer& observer) { decoder.decode(lines, classes, threads, observer); });
  return to_numpy(std::move(classes));
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<Dictionary>(m, "Dictionary")
      .def(nb::new_(&dictionary_of), "words"_a, "longest"_a)
      .def("__len__", [](const Dictionary& dictionary) { return dictionary.words().size(); })
      .def_prop_ro("longest", &Dictionary::longest)
      .def(
          "learn",
          [](Dictionary& dictionary, const CharacterLines& lines) { without_gil([&] { dictionary.learn(lines); }); },
          "lines"_a)
      .def("words", &words_of);
  nb::class_<CharacterLines>(m, "CharacterLines")
      .def(nb::new_(&make_lines), "text"_a, "segmented"_a = false, "line"_a = 1)
      .def("__len__", &CharacterLines::size)
      .def_prop_ro("characters", &CharacterLines::characters)
      .def("ends", [](const CharacterLines& lines) { return flags_of(lines.ends()); })
      .def("walls", [](const CharacterLines& lines) { return flags_of(lines.walls()); })
      .def("columns", &columns_of, nb::keep_alive<0, 1>(), "dictionary"_a.none() = nb::none(), "learning"_a = false,
           "threads"_a = 1, progress_arg())
      .def("segmented", &written<&segmented_text>, "classes"_a.noconvert())
      .def("conllu", &written<&conllu_text>, "classes"_a.noconvert())
      .def("joined", &joined)
      .def(
          "spans",
          [](const CharacterLines& lines, const Array<std::int32_t>& classes) {
            return to_numpy(word_spans(lines, span_of(classes)));
          },
          "classes"_a.noconvert());
  nb::class_<text_apps::boundaries::BoundaryDecoder>(m, "BoundaryDecoder")
      .def_prop_ro("nbytes", &text_apps::boundaries::BoundaryDecoder::nbytes)
      .def("decode", &decode, "lines"_a, "threads"_a = 1, progress_arg());
  m.def("boundary_decoder", &make_decoder, "window"_a, "names"_a, "words"_a.none(), "labeller"_a, "max_bytes"_a,
        nb::keep_alive<0, 4>());
}

}  // namespace gristmill::bindings::bind_segment
