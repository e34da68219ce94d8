// SPDX-License-Identifier: BSD-3-Clause
#include "bind_forest.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "call.hpp"
#include "forest/flat_forest.hpp"
#include "forest/subtrees.hpp"
#include "forest/unfolding.hpp"
#include "module.hpp"
#include "text/bracketed.hpp"

namespace gristmill::bindings::bind_forest {

using namespace nb::literals;
using namespace forest;

namespace {

using Strings = nb::typed<nb::tuple, nb::str, nb::ellipsis>;
using Labels = nb::typed<nb::list, nb::str>;

std::vector<NodeId> parse_strings(SharedForest& forest, const Strings& strings, const text::BracketOptions& options,
                                  nb::object progress) {
  std::vector<std::string_view> texts;
  for (const nb::handle& one : strings) texts.push_back(nb::cast<std::string_view>(one));
  return watched(std::move(progress), [&](Observer& observer) {
    return forest.write([&](Forest& trees) {
      std::vector<NodeId> roots;
      for (std::size_t at = 0; at < texts.size(); ++at) {
        if (at % 256 == 0) require(observer, at, texts.size());
        const text::Extent whole{0, texts[at].size()};
        try {
          roots.push_back(text::parse_tree(trees, texts[at], whole, options, observer));
        } catch (const ParseError& error) {
          throw ParseError("tree " + std::to_string(at) + ": " + error.what(), error.line(), error.column());
        }
      }
      return roots;
    });
  });
}

NumpyArray<NodeId> parse_parts(SharedForest& forest, const nb::bytes& text, const Array<std::int64_t>& begins,
                               const Array<std::int64_t>& ends, const text::BracketOptions& options,
                               nb::object progress) {
  std::vector<text::Extent> parts;
  for (std::size_t at = 0; at < begins.size(); ++at) {
    parts.push_back({static_cast<std::size_t>(begins(at)), static_cast<std::size_t>(ends(at))});
    if (parts.back().begin > parts.back().end || parts.back().end > text.size()) {
      throw std::invalid_argument("a part lies outside of the text");
    }
  }
  return to_numpy(watched(std::move(progress), [&](Observer& observer) {
    return forest.write([&](Forest& trees) { return text::parse_trees(trees, view(text), parts, options, observer); });
  }));
}

using FileParts = std::tuple<NumpyArray<NodeId>, NumpyArray<std::int64_t>, NumpyArray<std::int64_t>>;

FileParts parse_file(SharedForest& forest, const nb::bytes& text, const text::BracketOptions& options,
                     nb::object progress) {
  text::TreeFile found = watched(std::move(progress), [&](Observer& observer) {
    return forest.write([&](Forest& trees) { return text::parse_tree_file(trees, view(text), options, observer); });
  });
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;
  for (const text::Extent& before : found.before) {
    begins.push_back(static_cast<std::int64_t>(before.begin));
    ends.push_back(static_cast<std::int64_t>(before.end));
  }
  return {to_numpy(std::move(found.roots)), to_numpy(std::move(begins)), to_numpy(std::move(ends))};
}

// Nodes in post-order: a node's children are the last that many finished subtrees. What nobody takes is a root.
std::vector<NodeId> add_post_order(SharedForest& forest, const Labels& labels, const Array<std::int64_t>& children,
                                   bool marks) {
  if (labels.size() != children.size()) throw std::invalid_argument("a number of children for every label");
  std::vector<std::string_view> texts;
  for (const nb::handle& one : labels) texts.push_back(nb::cast<std::string_view>(one));
  return without_gil([&] {
    return forest.write([&](Forest& trees) {
      std::vector<NodeId> done;
      for (std::size_t at = 0; at < texts.size(); ++at) {
        if (children(at) < 0 || static_cast<std::size_t>(children(at)) > done.size()) {
          throw std::invalid_argument("a node has more children than there are");
        }
        const std::size_t begin = done.size() - static_cast<std::size_t>(children(at));
        const NodeId node =
            trees.add(text::intern_label(trees.symbols(), texts[at], marks), std::span(done).subspan(begin));
        done.resize(begin);
        done.push_back(node);
      }
      return done;
    });
  });
}

std::vector<std::string> to_strings(const SharedForest& forest, const Roots& roots) {
  return without_gil([&] {
    return forest.read([&](const Forest& trees) {
      check_roots(trees, span_of(roots));
      check_unfolding(trees, span_of(roots));
      std::vector<std::string> texts;
      std::size_t room = text::most_written(trees);
      for (const NodeId root : span_of(roots)) {
        text::write_tree(trees, root, texts.emplace_back(), room);
        room -= std::min(room, texts.back().size());
      }
      return texts;
    });
  });
}

using FlatParts = std::tuple<nb::bytes, NumpyArray<Offset>, NumpyArray<std::uint32_t>, NumpyArray<Offset>,
                             NumpyArray<std::uint32_t>, NumpyArray<NodeId>>;

FlatParts flatten_forest(const SharedForest& forest, const Roots& roots) {
  FlatForest flat = without_gil([&] {
    return forest.read([&](const Forest& trees) {
      check_roots(trees, span_of(roots));
      return flatten(trees, span_of(roots));
    });
  });
  return {to_bytes(flat.texts),
          to_numpy(std::move(flat.text_ends)),
          to_numpy(std::move(flat.marks)),
          to_numpy(std::move(flat.node_ends)),
          to_numpy(std::move(flat.nodes)),
          to_numpy(std::move(flat.roots))};
}

NumpyArray<NodeId> unflatten_forest(SharedForest& forest, const nb::bytes& texts, const Array<Offset>& text_ends,
                                    const Array<std::uint32_t>& marks, const Array<Offset>& node_ends,
                                    const Array<std::uint32_t>& nodes, const Roots& roots) {
  const FlatForest flat{std::string(view(texts)), copy_of(text_ends), copy_of(marks),
                        copy_of(node_ends),       copy_of(nodes),     copy_of(roots)};
  return to_numpy(without_gil([&] { return forest.write([&](Forest& trees) { return unflatten(trees, flat); }); }));
}

// (nodes, leaves, levels) of each tree.
using ShapeParts = std::tuple<NumpyArray<std::uint64_t>, NumpyArray<std::uint64_t>, NumpyArray<std::uint64_t>>;

ShapeParts forest_shapes(const SharedForest& forest, const Roots& roots) {
  std::vector<std::uint64_t> nodes;
  std::vector<std::uint64_t> leaves;
  std::vector<std::uint64_t> depths;
  without_gil([&] {
    forest.read([&](const Forest& trees) {
      check_roots(trees, span_of(roots));
      for (const TreeShape& shape : shapes(trees, span_of(roots))) {
        nodes.push_back(shape.nodes);
        leaves.push_back(shape.leaves);
        depths.push_back(shape.depth);
      }
    });
  });
  return {to_numpy(std::move(nodes)), to_numpy(std::move(leaves)), to_numpy(std::move(depths))};
}

void check_nodes(const SharedForest& forest, const Roots& roots) {
  without_gil([&] {
    forest.read([&](const Forest& trees) {
      check_roots(trees, span_of(roots));
      check_unfolding(trees, span_of(roots));
    });
  });
}

std::size_t count_subtrees(const SharedForest& self, const Array<NodeId>& roots) {
  return without_gil([&] {
    return self.read([&](const Forest& forest) {
      check_roots(forest, span_of(roots));
      Subtrees subtrees(forest, roots.size());
      for (const NodeId root : span_of(roots)) subtrees.add(forest, root);
      return subtrees.subtrees();
    });
  });
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<text::BracketOptions>(m, "BracketOptions")
      .def(
          "__init__",
          [](text::BracketOptions* self, bool marks, bool quoted, bool keep_traces, bool keep_functions) {
            new (self) text::BracketOptions{marks, quoted, keep_traces, keep_functions};
          },
          "marks"_a = false, "quoted"_a = false, "keep_traces"_a = true, "keep_functions"_a = true);
  nb::class_<SharedForest>(m, "Forest")
      .def(nb::init<>())
      .def(
          "parse_strings",
          [](SharedForest& self, const Strings& strings, const text::BracketOptions& options, nb::object progress) {
            return to_numpy(parse_strings(self, strings, options, std::move(progress)));
          },
          "strings"_a, "options"_a, progress_arg(), "Roots of the trees.")
      .def("parse_parts", &parse_parts, "text"_a, "begins"_a.noconvert(), "ends"_a.noconvert(), "options"_a,
           progress_arg(), "Roots of the trees in parts of a text.")
      .def("parse_file", &parse_file, "text"_a, "options"_a, progress_arg(),
           "(roots, begins and ends of what stands before each tree)")
      .def(
          "add_post_order",
          [](SharedForest& self, const Labels& labels, const Array<std::int64_t>& children, bool marks) {
            return to_numpy(add_post_order(self, labels, children, marks));
          },
          "labels"_a, "children"_a.noconvert(), "marks"_a, "Roots of the trees.")
      .def("to_strings", &to_strings, "roots"_a.noconvert())
      .def("flatten", &flatten_forest, "roots"_a.noconvert(),
           "(texts of symbols, their ends, their marks, ends of nodes, nodes as label and children, roots)")
      .def("unflatten", &unflatten_forest, "texts"_a, "text_ends"_a.noconvert(), "marks"_a.noconvert(),
           "node_ends"_a.noconvert(), "nodes"_a.noconvert(), "roots"_a.noconvert(), "Roots of the trees.")
      .def("count_subtrees", &count_subtrees, "roots"_a.noconvert(), "Different subtrees of all trees")
      .def("check_unfolding", &check_nodes, "roots"_a.noconvert(),
           "Raises ValueError where the trees have far more nodes than their graph, too many to take them one by one.")
      .def("shapes", &forest_shapes, "roots"_a.noconvert(), "(nodes, leaves, levels) of each tree")
      .def_prop_ro("n_nodes",
                   [](const SharedForest& self) {
                     return without_gil([&] { return self.read([](const Forest& trees) { return trees.size(); }); });
                   })
      .def_prop_ro("nbytes", [](const SharedForest& self) {
        return without_gil([&] { return self.read([](const Forest& trees) { return trees.nbytes(); }); });
      });
}

}  // namespace gristmill::bindings::bind_forest
