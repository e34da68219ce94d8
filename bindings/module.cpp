// SPDX-License-Identifier: BSD-3-Clause
#include "module.hpp"

#include "base/errors.hpp"

namespace gristmill {
namespace {

void translate_parse_error(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const ParseError& e) {
    const nb::object type = nb::module_::import_("gristmill.base.errors").attr("FormatError");
    const nb::object value = type(e.what(), nb::none(), e.line(), e.column());
    PyErr_SetObject(type.ptr(), value.ptr());
  } catch (const ByteError& e) {
    const nb::object type = nb::module_::import_("gristmill.base.errors").attr("FormatError");
    PyErr_SetObject(type.ptr(), type(e.what()).ptr());
  }
}

}  // namespace
}  // namespace gristmill

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of gristmill. Private: use the gristmill package.";
  nanobind::set_leak_warnings(false);  // what lives until the interpreter ends is no leak
  nanobind::register_exception_translator(gristmill::translate_parse_error);
  gristmill::register_rows(m);
  gristmill::register_kernel(m);
  gristmill::register_score(m);
  gristmill::register_expanded(m);
  gristmill::register_explain(m);
  gristmill::register_online(m);
  gristmill::register_batch(m);
  gristmill::register_dual_cd(m);
  gristmill::register_loglinear(m);
  gristmill::register_text(m);
  gristmill::register_yamcha(m);
  gristmill::register_forest(m);
  gristmill::register_trees(m);
  gristmill::register_mining(m);
  gristmill::register_operator(m);
  gristmill::register_planes(m);
  gristmill::register_bundle(m);
  gristmill::register_templates(m);
  gristmill::register_tag(m);
  gristmill::register_segment(m);
  gristmill::register_chunks(m);
  gristmill::register_parse(m);
  gristmill::register_conllu(m);
  gristmill::register_units(m);
  gristmill::register_forest_scorer(m);
  gristmill::register_fragments(m);
  gristmill::register_node_shares(m);
  gristmill::register_reference(m);
  gristmill::register_rules(m);
}
