// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "text/annotated_header.hpp"
#include "text/coef_rows.hpp"
#include "text/libsvm_model.hpp"
#include "text/svmlight.hpp"

namespace gristmill::bindings::bind_text {

using namespace nb::literals;
using namespace text;

namespace {

// (offsets, ids, values or empty when all are 1, zero_based)
using Lists = std::tuple<NumpyArray<Offset>, NumpyArray<FeatureId>, NumpyArray<double>, bool>;

Lists take_lists(FeatureLists& lists) {
  return {to_numpy(std::move(lists.offsets)), to_numpy(std::move(lists.ids)), to_numpy(std::move(lists.values)),
          lists.zero_based()};
}

using SvmlightParts = std::tuple<NumpyArray<double>, std::vector<nb::bytes>, NumpyArray<std::int64_t>, Lists>;

SvmlightParts parse_svmlight_bytes(const nb::bytes& text, IdBase base, LabelKind kind, nb::object progress) {
  SvmlightData data = watched(std::move(progress),
                              [&](Observer& observer) { return parse_svmlight(view(text), base, kind, observer); });
  return {to_numpy(std::move(data.labels)), to_bytes(data.words), to_numpy(std::move(data.queries)),
          take_lists(data.rows)};
}

// (coefs, coefs a row, lists)
using CoefRowsParts = std::tuple<NumpyArray<double>, std::size_t, Lists>;

CoefRowsParts take_coef_rows(CoefRows& found) {
  return {to_numpy(std::move(found.coefs)), found.per_row, take_lists(found.rows)};
}

using LibsvmParts = std::tuple<std::string, std::string, std::map<std::string, double>,
                               std::map<std::string, std::vector<double>>, CoefRowsParts>;

LibsvmParts parse_libsvm_bytes(const nb::bytes& text) {
  LibsvmModel model = watched(nb::none(), [&](Observer& observer) { return parse_libsvm_model(view(text), observer); });
  return {model.svm_type, model.kernel_type, model.scalars, model.vectors, take_coef_rows(model.support)};
}

// (program, [(value, name, line)], where the support vectors start: offset and line)
using HeaderParts =
    std::tuple<nb::bytes, std::vector<std::tuple<nb::bytes, nb::bytes, std::size_t>>, std::size_t, std::size_t>;

HeaderParts parse_annotated_bytes(const nb::bytes& text) {
  const AnnotatedHeader header = parse_annotated_header(Cursor(view(text)));
  std::vector<std::tuple<nb::bytes, nb::bytes, std::size_t>> entries;
  for (const auto& [value, name, line] : header.entries) entries.emplace_back(to_bytes(value), to_bytes(name), line);
  const auto offset = static_cast<std::size_t>(header.rest.mark() - text.c_str());
  return {to_bytes(header.program), std::move(entries), offset, header.rest.line()};
}

CoefRowsParts parse_coef_rows_bytes(const nb::bytes& text, std::size_t offset, std::size_t line, std::size_t per_row) {
  if (offset > text.size()) throw std::invalid_argument("the offset lies behind the text");
  CoefRows found = watched(nb::none(), [&](Observer& observer) {
    return read_coef_rows(Cursor(view(text).substr(offset), line), per_row, observer);
  });
  return take_coef_rows(found);
}

}  // namespace

void add_to(nb::module_& m) {
  nb::enum_<IdBase>(m, "IdBase")
      .value("automatic", IdBase::automatic)
      .value("zero", IdBase::zero)
      .value("one", IdBase::one)
      .value("one_lenient", IdBase::one_lenient);
  nb::enum_<LabelKind>(m, "LabelKind").value("numbers", LabelKind::numbers).value("words", LabelKind::words);
  m.def("parse_svmlight", &parse_svmlight_bytes, "text"_a, "base"_a, "kind"_a, progress_arg(),
        "(labels or their positions in words, words, queries, (offsets, ids, values or empty when all are 1, "
        "zero_based))");
  m.def(
      "format_svmlight",
      [](const Array<double>& labels, const Array<std::int64_t>& queries, const Array<Offset>& offsets,
         const Array<FeatureId>& ids, const Array<double>& values, bool one_based) {
        return to_bytes(
            format_svmlight(span_of(labels), span_of(queries), {rows_of(offsets, ids), span_of(values)}, one_based));
      },
      "labels"_a.noconvert(), "queries"_a.noconvert(), "offsets"_a.noconvert(), "ids"_a.noconvert(),
      "values"_a.noconvert(), "one_based"_a);
  m.def("parse_libsvm_model", &parse_libsvm_bytes, "text"_a,
        "(svm_type, kernel_type, scalars, vectors, support as parse_coef_rows gives it)");
  m.def("parse_annotated_header", &parse_annotated_bytes, "text"_a,
        "(program, [(value, name, line)], offset and line of the support vectors)");
  m.def("parse_coef_rows", &parse_coef_rows_bytes, "text"_a, "offset"_a, "line"_a, "per_row"_a,
        "(coefs, coefs a row, (offsets, ids, values or empty when all are 1, zero_based))");
  m.def(
      "format_coef_rows",
      [](const Array<double>& coefs, const Array<Offset>& offsets, const Array<FeatureId>& ids,
         const Array<double>& values, bool one_based) {
        return to_bytes(format_coef_rows(span_of(coefs), {rows_of(offsets, ids), span_of(values)}, one_based));
      },
      "coefs"_a.noconvert(), "offsets"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "one_based"_a);
}

}  // namespace gristmill::bindings::bind_text
