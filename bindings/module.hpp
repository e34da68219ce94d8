// SPDX-License-Identifier: BSD-3-Clause
// One register function per room of the core.
#pragma once
#include <nanobind/nanobind.h>

namespace gristmill {

namespace nb = nanobind;

void register_rows(nb::module_& m);
void register_kernel(nb::module_& m);
void register_score(nb::module_& m);
void register_explain(nb::module_& m);
void register_expanded(nb::module_& m);
void register_online(nb::module_& m);
void register_batch(nb::module_& m);
void register_dual_cd(nb::module_& m);
void register_loglinear(nb::module_& m);
void register_text(nb::module_& m);
void register_yamcha(nb::module_& m);
void register_forest(nb::module_& m);
void register_trees(nb::module_& m);
void register_mining(nb::module_& m);
void register_operator(nb::module_& m);
void register_planes(nb::module_& m);
void register_bundle(nb::module_& m);
void register_templates(nb::module_& m);
void register_tag(nb::module_& m);
void register_segment(nb::module_& m);
void register_chunks(nb::module_& m);
void register_parse(nb::module_& m);
void register_conllu(nb::module_& m);
void register_units(nb::module_& m);
void register_forest_scorer(nb::module_& m);
void register_fragments(nb::module_& m);
void register_node_shares(nb::module_& m);
void register_reference(nb::module_& m);
void register_rules(nb::module_& m);

}  // namespace gristmill
