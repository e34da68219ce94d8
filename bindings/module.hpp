// SPDX-License-Identifier: BSD-3-Clause
// One register function per room of the core.
#pragma once
#include <nanobind/nanobind.h>

namespace gristmill::bindings {

namespace nb = nanobind;

namespace bind_rows {
void add_to(nb::module_& m);
}
namespace bind_kernel {
void add_to(nb::module_& m);
}
namespace bind_score {
void add_to(nb::module_& m);
}
namespace bind_conjunctions {
void add_to(nb::module_& m);
}
namespace bind_explain {
void add_to(nb::module_& m);
}
namespace bind_decisions {
void add_to(nb::module_& m);
}
namespace bind_expanded {
void add_to(nb::module_& m);
}
namespace bind_online {
void add_to(nb::module_& m);
}
namespace bind_batch {
void add_to(nb::module_& m);
}
namespace bind_dual_cd {
void add_to(nb::module_& m);
}
namespace bind_logistic {
void add_to(nb::module_& m);
}
namespace bind_text {
void add_to(nb::module_& m);
}
namespace bind_delimited {
void add_to(nb::module_& m);
}
namespace bind_yamcha {
void add_to(nb::module_& m);
}
namespace bind_forest {
void add_to(nb::module_& m);
}
namespace bind_trees {
void add_to(nb::module_& m);
}
namespace bind_mining {
void add_to(nb::module_& m);
}
namespace bind_operator {
void add_to(nb::module_& m);
}
namespace bind_planes {
void add_to(nb::module_& m);
}
namespace bind_bundle {
void add_to(nb::module_& m);
}
namespace bind_templates {
void add_to(nb::module_& m);
}
namespace bind_tag {
void add_to(nb::module_& m);
}
namespace bind_segment {
void add_to(nb::module_& m);
}
namespace bind_tokenize {
void add_to(nb::module_& m);
}
namespace bind_chunks {
void add_to(nb::module_& m);
}
namespace bind_transitions {
void add_to(nb::module_& m);
}
namespace bind_parse {
void add_to(nb::module_& m);
}
namespace bind_conllu {
void add_to(nb::module_& m);
}
namespace bind_linked_chunks {
void add_to(nb::module_& m);
}
namespace bind_forest_scorer {
void add_to(nb::module_& m);
}
namespace bind_fragments {
void add_to(nb::module_& m);
}
namespace bind_node_shares {
void add_to(nb::module_& m);
}
namespace bind_reference {
void add_to(nb::module_& m);
}
namespace bind_rules {
void add_to(nb::module_& m);
}
namespace bind_search {
void add_to(nb::module_& m);
}
namespace bind_tables {
void add_to(nb::module_& m);
}

}  // namespace gristmill::bindings
