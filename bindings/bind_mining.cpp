// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind_trees.hpp"
#include "call.hpp"
#include "mine/fragments/converted_rows.hpp"
#include "module.hpp"
#include "solve/batch/callback_rows.hpp"

namespace gristmill::bindings::bind_mining {

using namespace nb::literals;
using namespace mine::fragments;

namespace {

using Numbers = Array<std::uint32_t>;

std::pair<NumpyArray<std::uint32_t>, NumpyArray<std::uint32_t>> malicious_pairs(const SubtreePatterns& patterns) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t tree = 0; tree < patterns.trees(); ++tree) {
    for (const std::uint32_t partner : patterns.malicious().below(tree)) pairs.emplace_back(partner, tree);
  }
  std::ranges::sort(pairs);
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> right;
  for (const auto& [one, other] : pairs) {
    left.push_back(one);
    right.push_back(other);
  }
  return {to_numpy(std::move(left)), to_numpy(std::move(right))};
}

auto pattern_arrays(const SubtreePatterns& patterns) {
  std::vector<std::int64_t> starts{0};
  std::vector<std::uint32_t> trees;
  std::vector<std::uint32_t> counts;
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
    patterns.for_each_tree(pattern, [&](std::uint32_t tree, std::uint32_t count) {
      trees.push_back(tree);
      counts.push_back(count);
    });
    starts.push_back(static_cast<std::int64_t>(trees.size()));
  }
  return std::tuple(to_numpy(std::move(starts)), to_numpy(std::move(trees)), to_numpy(std::move(counts)));
}

auto histogram_arrays(const SubtreePatterns& patterns) {
  std::vector<std::int64_t> starts{0};
  std::vector<std::uint32_t> sizes;
  std::vector<double> counts;
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
    const std::span<const double> terms = patterns.histogram(pattern);
    for (std::size_t at = 0; at < terms.size(); at += 2) {
      sizes.push_back(static_cast<std::uint32_t>(terms[at]));
      counts.push_back(terms[at + 1]);
    }
    starts.push_back(static_cast<std::int64_t>(sizes.size()));
  }
  return std::tuple(to_numpy(std::move(starts)), to_numpy(std::move(sizes)), to_numpy(std::move(counts)));
}

void check_trees(const ConvertedRows& rows, const Numbers& queries, const OutMatrix& out) {
  for (std::size_t at = 0; at < queries.size(); ++at) {
    if (queries(at) >= rows.trees()) throw std::invalid_argument("no such tree");
  }
  if (out.shape(0) != queries.size() || out.shape(1) != rows.size())
    throw std::invalid_argument("out has another shape");
}

std::shared_ptr<solve::batch::SolverRows> asked_rows(const nb::object& rows, const Array<double>& scales,
                                                     std::size_t max_bytes) {
  const std::shared_ptr<const ConvertedRows> kept_rows(kept(rows), nb::cast<const ConvertedRows*>(rows));
  if (scales.size() != 0 && scales.size() != kept_rows->size()) throw std::invalid_argument("scales have another size");
  std::vector<double> kept_scales = copy_of(scales);
  std::vector<double> diagonal = kept_rows->column_diagonal(kept_scales);
  return std::make_shared<solve::batch::CallbackRows>(
      std::move(diagonal),
      [kept_rows, kept_scales = std::move(kept_scales)](std::span<const RowId> numbers, std::span<double> out) {
        for (std::size_t at = 0; at < numbers.size(); ++at) {
          kept_rows->fill_own(numbers[at], kept_scales, out.subspan(at * kept_rows->size(), kept_rows->size()));
        }
      },
      1, max_bytes);
}

void register_patterns(nb::module_& m) {
  nb::class_<SubtreePatterns>(m, "SubtreePatterns")
      .def(
          "__init__",
          [](SubtreePatterns* self, const kernel::trees::TreeKernel& kernel, const IndexedForest& indexed,
             std::size_t max_size, double max_embeddings, const MiningRules& rules, bool compress,
             std::size_t max_bytes, std::size_t threads, nb::object progress, std::size_t min_support) {
            const MiningOptions options{max_size, max_embeddings, rules, compress, max_bytes, min_support};
            watched(std::move(progress), [&](Observer& observer) {
              new (self) SubtreePatterns(kernel, *indexed.index, options, threads, observer);
            });
          },
          "kernel"_a, "indexed"_a, "max_size"_a, "max_embeddings"_a, "rules"_a, "compress"_a, "max_bytes"_a,
          "threads"_a, progress_arg(), "min_support"_a = MiningOptions{}.min_support)
      .def_prop_ro("n_trees", &SubtreePatterns::trees)
      .def_prop_ro("searched", &SubtreePatterns::searched)
      .def_prop_ro("features",
                   [](const SubtreePatterns& self) { return nb::steal<nb::int_>(PyLong_FromDouble(self.features())); })
      .def_prop_ro("size", &SubtreePatterns::size)
      .def_prop_ro("entries", &SubtreePatterns::entries)
      .def_prop_ro("n_malicious", [](const SubtreePatterns& self) { return self.malicious().size(); })
      .def_prop_ro("nbytes", &SubtreePatterns::nbytes)
      .def("malicious", &malicious_pairs)
      .def("patterns", &pattern_arrays)
      .def("histograms", &histogram_arrays);
}

void register_converted_rows(nb::module_& m) {
  nb::class_<ConvertedRows>(m, "ConvertedRows")
      .def(
          "__init__",
          [](ConvertedRows* self, const SubtreePatterns& patterns, const kernel::trees::TreeKernel& kernel,
             const IndexedForest& indexed, const Numbers& columns, std::size_t threads, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              new (self) ConvertedRows(patterns, kernel, *indexed.index, span_of(columns), threads, observer);
            });
          },
          "patterns"_a, "kernel"_a, "indexed"_a, "columns"_a.noconvert(), "threads"_a, progress_arg())
      .def_prop_ro("nbytes", &ConvertedRows::nbytes)
      .def_prop_ro("work", &ConvertedRows::work)
      .def_prop_ro(
          "diagonal", [](const ConvertedRows& self) { return copied(self.diagonal()); }, nb::rv_policy::automatic)
      .def(
          "fill",
          [](const ConvertedRows& self, const Numbers& queries, const Array<double>& query_scales,
             const Array<double>& column_scales, const OutMatrix& out, std::size_t threads, nb::object progress) {
            check_trees(self, queries, out);
            watched(std::move(progress), [&](Observer& observer) {
              self.fill(span_of(queries), span_of(query_scales), span_of(column_scales), span_of(out), threads,
                        observer);
            });
          },
          "queries"_a.noconvert(), "query_scales"_a.noconvert(), "column_scales"_a.noconvert(), "out"_a.noconvert(),
          "threads"_a, progress_arg())
      .def(
          "fill_symmetric",
          [](const ConvertedRows& self, const Array<double>& scales, const OutMatrix& out, std::size_t threads,
             nb::object progress) {
            if (out.shape(0) != self.size() || out.shape(1) != self.size()) {
              throw std::invalid_argument("out has another shape");
            }
            watched(std::move(progress),
                    [&](Observer& observer) { self.fill_symmetric(span_of(scales), span_of(out), threads, observer); });
          },
          "scales"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg());
}

}  // namespace

void add_to(nb::module_& m) {
  const MiningRules on;
  nb::class_<MiningRules>(m, "MiningRules")
      .def(
          "__init__",
          [](MiningRules* self, bool size_limit, bool same_support, bool known_pairs, bool precheck, bool early_stop,
             bool list_limit, bool post_order, bool same_places, bool marks, bool max_support) {
            new (self) MiningRules{size_limit, same_support, known_pairs, precheck, early_stop,
                                   list_limit, post_order,   same_places, marks,    max_support};
          },
          "size_limit"_a = on.size_limit, "same_support"_a = on.same_support, "known_pairs"_a = on.known_pairs,
          "precheck"_a = on.precheck, "early_stop"_a = on.early_stop, "list_limit"_a = on.list_limit,
          "post_order"_a = on.post_order, "same_places"_a = on.same_places, "marks"_a = on.marks,
          "max_support"_a = on.max_support)
      .def_ro("size_limit", &MiningRules::size_limit)
      .def_ro("same_support", &MiningRules::same_support)
      .def_ro("known_pairs", &MiningRules::known_pairs)
      .def_ro("precheck", &MiningRules::precheck)
      .def_ro("early_stop", &MiningRules::early_stop)
      .def_ro("list_limit", &MiningRules::list_limit)
      .def_ro("post_order", &MiningRules::post_order)
      .def_ro("same_places", &MiningRules::same_places)
      .def_ro("marks", &MiningRules::marks)
      .def_ro("max_support", &MiningRules::max_support);
  m.def("supports_mining", &supports_mining, "kernel"_a);
  register_patterns(m);
  register_converted_rows(m);
  m.def("asked_rows", &asked_rows, "rows"_a, "scales"_a.noconvert(), "max_bytes"_a,
        nb::sig("def asked_rows(rows: ConvertedRows, scales: numpy.typing.NDArray[numpy.float64], max_bytes: int) -> "
                "SolverRows"));
}

}  // namespace gristmill::bindings::bind_mining
