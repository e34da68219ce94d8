// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
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

SvmlightData parse_svmlight_bytes(const nb::bytes& text, IdBase base, LabelKind kind, nb::object progress) {
  return watched(std::move(progress),
                 [&](Observer& observer) { return parse_svmlight(view(text), base, kind, observer); });
}

LibsvmModel parse_libsvm_bytes(const nb::bytes& text) {
  return watched(nb::none(), [&](Observer& observer) { return parse_libsvm_model(view(text), observer); });
}

// Without the cursor: Python says where the support vectors start by numbers.
struct Header {
  std::string program;
  std::vector<AnnotatedHeader::Entry> entries;
  std::size_t offset, line;
};

Header parse_annotated_bytes(const nb::bytes& text) {
  AnnotatedHeader header = parse_annotated_header(Cursor(view(text)));
  const auto offset = static_cast<std::size_t>(header.rest.mark() - text.c_str());
  return {std::move(header.program), std::move(header.entries), offset, header.rest.line()};
}

CoefRows parse_coef_rows_bytes(const nb::bytes& text, std::size_t offset, std::size_t line, std::size_t per_row) {
  if (offset > text.size()) throw std::invalid_argument("the offset lies behind the text");
  return watched(nb::none(), [&](Observer& observer) {
    return read_coef_rows(Cursor(view(text).substr(offset), line), per_row, observer);
  });
}

void register_rows(nb::module_& m) {
  nb::class_<FeatureLists>(m, "FeatureLists")
      .def_prop_ro("offsets", array_in(&FeatureLists::offsets), nb::rv_policy::automatic)
      .def_prop_ro("ids", array_in(&FeatureLists::ids), nb::rv_policy::automatic)
      .def_prop_ro("values", array_in(&FeatureLists::values), nb::rv_policy::automatic, "Empty when all are 1.")
      .def_prop_ro("zero_based", &FeatureLists::zero_based);
  nb::class_<SvmlightData>(m, "SvmlightData")
      .def_prop_ro("labels", array_in(&SvmlightData::labels), nb::rv_policy::automatic, "Or positions in words.")
      .def_prop_ro("words", [](const SvmlightData& data) { return to_bytes(data.words); })
      .def_prop_ro("queries", array_in(&SvmlightData::queries), nb::rv_policy::automatic)
      .def_ro("rows", &SvmlightData::rows);
  nb::class_<CoefRows>(m, "CoefRows")
      .def_prop_ro("coefs", array_in(&CoefRows::coefs), nb::rv_policy::automatic)
      .def_ro("per_row", &CoefRows::per_row)
      .def_ro("rows", &CoefRows::rows);
}

void register_models(nb::module_& m) {
  nb::class_<LibsvmModel>(m, "LibsvmModel")
      .def_ro("svm_type", &LibsvmModel::svm_type)
      .def_ro("kernel_type", &LibsvmModel::kernel_type)
      .def_ro("scalars", &LibsvmModel::scalars)
      .def_ro("vectors", &LibsvmModel::vectors)
      .def_ro("support", &LibsvmModel::support);
  nb::class_<AnnotatedHeader::Entry>(m, "AnnotatedEntry")
      .def_prop_ro("value", [](const AnnotatedHeader::Entry& entry) { return to_bytes(entry.value); })
      .def_prop_ro("name", [](const AnnotatedHeader::Entry& entry) { return to_bytes(entry.name); })
      .def_ro("line", &AnnotatedHeader::Entry::line);
  nb::class_<Header>(m, "AnnotatedHeader")
      .def_prop_ro("program", [](const Header& header) { return to_bytes(header.program); })
      .def_ro("entries", &Header::entries)
      .def_ro("offset", &Header::offset, "Of the support vectors.")
      .def_ro("line", &Header::line, "Of the support vectors.");
}

}  // namespace

void add_to(nb::module_& m) {
  nb::enum_<IdBase>(m, "IdBase")
      .value("automatic", IdBase::automatic)
      .value("zero", IdBase::zero)
      .value("one", IdBase::one)
      .value("one_lenient", IdBase::one_lenient);
  nb::enum_<LabelKind>(m, "LabelKind").value("numbers", LabelKind::numbers).value("words", LabelKind::words);
  register_rows(m);
  register_models(m);
  m.def("parse_svmlight", &parse_svmlight_bytes, "text"_a, "base"_a, "kind"_a, progress_arg());
  m.def(
      "format_svmlight",
      [](const Array<double>& labels, const Array<std::int64_t>& queries, const Array<Offset>& offsets,
         const Array<FeatureId>& ids, const Array<double>& values, bool one_based) {
        return to_bytes(
            format_svmlight(span_of(labels), span_of(queries), {rows_of(offsets, ids), span_of(values)}, one_based));
      },
      "labels"_a.noconvert(), "queries"_a.noconvert(), "offsets"_a.noconvert(), "ids"_a.noconvert(),
      "values"_a.noconvert(), "one_based"_a);
  m.def("parse_libsvm_model", &parse_libsvm_bytes, "text"_a);
  m.def("parse_annotated_header", &parse_annotated_bytes, "text"_a);
  m.def("parse_coef_rows", &parse_coef_rows_bytes, "text"_a, "offset"_a, "line"_a, "per_row"_a);
  m.def(
      "format_coef_rows",
      [](const Array<double>& coefs, const Array<Offset>& offsets, const Array<FeatureId>& ids,
         const Array<double>& values, bool one_based) {
        return to_bytes(format_coef_rows(span_of(coefs), {rows_of(offsets, ids), span_of(values)}, one_based));
      },
      "coefs"_a.noconvert(), "offsets"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "one_based"_a);
}

}  // namespace gristmill::bindings::bind_text
