// SPDX-License-Identifier: BSD-3-Clause
#include "module.hpp"

#include "base/errors.hpp"

namespace gristmill::bindings {
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
}  // namespace gristmill::bindings

NB_MODULE(_core, m) {
  using namespace gristmill::bindings;
  m.doc() = "The C++ core of gristmill. Private: use the gristmill package.";
  nanobind::set_leak_warnings(false);  // what lives until the interpreter ends is no leak
  nanobind::register_exception_translator(translate_parse_error);
  bind_rows::add_to(m);
  bind_kernel::add_to(m);
  bind_score::add_to(m);
  bind_conjunctions::add_to(m);
  bind_expanded::add_to(m);
  bind_explain::add_to(m);
  bind_decisions::add_to(m);
  bind_online::add_to(m);
  bind_batch::add_to(m);
  bind_dual_cd::add_to(m);
  bind_logistic::add_to(m);
  bind_text::add_to(m);
  bind_delimited::add_to(m);
  bind_yamcha::add_to(m);
  bind_forest::add_to(m);
  bind_trees::add_to(m);
  bind_mining::add_to(m);
  bind_operator::add_to(m);
  bind_planes::add_to(m);
  bind_bundle::add_to(m);
  bind_templates::add_to(m);
  bind_tag::add_to(m);
  bind_segment::add_to(m);
  bind_tokenize::add_to(m);
  bind_chunks::add_to(m);
  bind_transitions::add_to(m);
  bind_parse::add_to(m);
  bind_conllu::add_to(m);
  bind_linked_chunks::add_to(m);
  bind_forest_scorer::add_to(m);
  bind_fragments::add_to(m);
  bind_node_shares::add_to(m);
  bind_reference::add_to(m);
  bind_rules::add_to(m);
  bind_search::add_to(m);
  bind_tables::add_to(m);
}
