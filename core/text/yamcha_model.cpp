// SPDX-License-Identifier: BSD-3-Clause
#include "text/yamcha_model.hpp"

#include "text/byte_cursor.hpp"
#include "text/yamcha_parts.hpp"

namespace gristmill::text {
namespace {

constexpr std::size_t name_size = 32;
constexpr std::string_view current_version = "0.4";

// Counts of the header, by YamCha's names.
struct Sizes {
  std::uint32_t models, classes, features, array_bytes, vectors, table, weights, parameters;
};

// A file must be exactly as long as its header says: then every count has bytes to stand for it.
void check_size(std::uint64_t wanted, std::size_t got, const ByteCursor& cursor) {
  if (wanted == got) return;
  cursor.fail("by its header the file has " + std::to_string(wanted) + " bytes, but there are " + std::to_string(got) +
              "; is it truncated?");
}

// Every support vector has a weight; more of them would be memory for nothing.
void check_vectors(const Sizes& sizes, const ByteCursor& cursor) {
  if (sizes.vectors > std::uint64_t{sizes.weights} + 1) {
    cursor.fail(std::to_string(sizes.vectors) + " support vectors, but only " + std::to_string(sizes.weights) +
                " weights");
  }
}

void read_kernel(ByteCursor& cursor, YamchaModel& model) {
  model.degree = cursor.whole("the degree");
  model.g = cursor.finite("the kernel parameter g");
  model.r = cursor.finite("the kernel parameter r");
  model.s = cursor.finite("the kernel parameter s");
}

void read_classifiers(ByteCursor& cursor, const Sizes& sizes, YamchaModel& model) {
  for (std::uint32_t i = 0; i < sizes.classes; ++i)
    model.classes.emplace_back(cursor.padded(name_size, "a class name"));
  for (std::uint32_t i = 0; i < sizes.models; ++i) {
    const std::size_t start = cursor.offset();
    const std::uint32_t positive = cursor.whole("a positive class");
    const std::uint32_t negative = cursor.whole("a negative class");
    if (positive >= sizes.classes || negative >= sizes.classes || positive == negative) {
      throw ByteError("a classifier for classes " + std::to_string(positive) + " and " + std::to_string(negative) +
                          " of " + std::to_string(sizes.classes),
                      start);
    }
    model.classifiers.push_back({positive, negative, cursor.finite("a threshold")});
  }
}

Packed<std::uint32_t> take_double_array(ByteCursor& cursor, std::uint32_t size) {
  if (size % 8 != 0) cursor.fail("a double array of " + std::to_string(size) + " bytes, no multiple of 8");
  return cursor.take_packed<std::uint32_t>(size / 4, "a double array");
}

// --- format 0.4 ------------------------------------------------------------------------------------------------------

YamchaModel::Solver solver_of(std::uint32_t number, const ByteCursor& cursor) {
  if (number != 1 && number != 2) {
    const bool swapped = number == 0x01000000 || number == 0x02000000;
    cursor.fail("expected solver 1 (PKI) or 2 (PKE), got " + std::to_string(number) +
                (swapped ? "; the file was compiled on a big-endian machine" : ""));
  }
  return static_cast<YamchaModel::Solver>(number);
}

void read_pki(ByteCursor& cursor, const Sizes& sizes, YamchaModel& model) {
  check_vectors(sizes, cursor);
  const auto features = take_double_array(cursor, sizes.array_bytes);
  const auto table = cursor.take_packed<std::int32_t>(sizes.table, "the table");
  const auto owners = cursor.take_packed<std::int32_t>(sizes.weights, "the support vectors");
  const auto weights = cursor.take_packed<double>(sizes.weights, "the weights");
  std::size_t classifier = 0;
  for (std::size_t at = 0; classifier < sizes.models; ++at) {
    if (at == owners.size()) owners.fail_at(at, "fewer end marks than classifiers");
    add_weight(model, {owners[at], weights[at], owners.offset_of(at)}, sizes.vectors, classifier);
  }
  read_postings(model, {features, {}, table}, sizes.vectors);
}

void read_pke(ByteCursor& cursor, const Sizes& sizes, std::size_t most, YamchaModel& model) {
  if (model.degree < 1 || model.degree > 3) cursor.fail("degree " + std::to_string(model.degree) + "; PKE has 1 to 3");
  const auto features = take_double_array(cursor, sizes.array_bytes);
  const auto keys = take_double_array(cursor, sizes.table);
  const auto owners = cursor.take_packed<std::int32_t>(sizes.weights, "the classifiers of the weights");
  const auto weights = cursor.take_packed<double>(sizes.weights, "the weights");
  read_conjunctions(model, {features, keys, owners, weights}, most);
}

Sizes read_sizes(ByteCursor& cursor) {
  Sizes sizes{};
  sizes.models = cursor.whole("the number of classifiers");
  sizes.classes = cursor.whole("the number of classes");
  cursor.whole("the largest feature id");
  cursor.whole("the longest support vector");
  sizes.array_bytes = cursor.whole("the size of the double array");
  sizes.vectors = cursor.whole("the number of support vectors");
  sizes.table = cursor.whole("the size of the table");
  sizes.weights = cursor.whole("the number of weights");
  cursor.take(8, "the header");
  sizes.parameters = cursor.whole("the size of the parameters");
  return sizes;
}

std::uint64_t size_of_rest(const Sizes& sizes, YamchaModel::Solver solver) {
  const std::uint64_t entry = solver == YamchaModel::Solver::pki ? 4 : 1;
  return std::uint64_t{sizes.parameters} + std::uint64_t{sizes.classes} * name_size + std::uint64_t{sizes.models} * 16 +
         sizes.array_bytes + sizes.table * entry + std::uint64_t{sizes.weights} * 12;
}

void parse_current(std::string_view bytes, ByteCursor& cursor, YamchaModel& model) {
  model.solver = solver_of(cursor.whole("the solver"), cursor);
  const std::uint32_t one_vs_rest = cursor.whole("the one-vs-rest mark");
  if (one_vs_rest > 1) cursor.fail("the one-vs-rest mark is 0 or 1, got " + std::to_string(one_vs_rest));
  model.one_vs_rest = one_vs_rest == 1;
  cursor.take(name_size, "the kernel's name");  // the program does not look at it either
  read_kernel(cursor, model);
  const Sizes sizes = read_sizes(cursor);
  check_size(cursor.offset() + size_of_rest(sizes, model.solver), bytes.size(), cursor);
  model.parameters = cursor.take(sizes.parameters, "the parameters");
  read_classifiers(cursor, sizes, model);
  if (model.solver == YamchaModel::Solver::pki) {
    read_pki(cursor, sizes, model);
  } else {
    read_pke(cursor, sizes, 8 * bytes.size(), model);
  }
}

// --- the format before it (YamCha 0.2x), from its loader's source: no file was found to try --------------------------

void parse_older(std::string_view bytes, ByteCursor& cursor, YamchaModel& model) {
  cursor.take(name_size, "the kernel's name");
  read_kernel(cursor, model);
  Sizes sizes{};
  sizes.models = cursor.whole("the number of classifiers");
  sizes.classes = cursor.whole("the number of classes");
  sizes.weights = cursor.whole("the number of weights");
  sizes.vectors = cursor.whole("the number of support vectors");
  sizes.table = cursor.whole("the size of the table");
  sizes.features = cursor.whole("the number of features");
  cursor.whole("the longest support vector");
  sizes.array_bytes = cursor.whole("the size of the double array");
  sizes.parameters = cursor.whole("the size of the parameters");
  const std::uint64_t entries = std::uint64_t{sizes.weights} + sizes.models;  // each classifier has its end mark
  const std::uint64_t rest = std::uint64_t{sizes.parameters} + std::uint64_t{sizes.classes} * name_size +
                             std::uint64_t{sizes.models} * 16 + entries * 12 + std::uint64_t{sizes.features} * 4 +
                             std::uint64_t{sizes.table} * 4 + sizes.array_bytes;
  check_size(cursor.offset() + rest, bytes.size(), cursor);
  check_vectors(sizes, cursor);
  model.one_vs_rest = sizes.models != 1 && std::uint64_t{sizes.models} + 1 == sizes.classes;
  model.parameters = cursor.take(sizes.parameters, "the parameters");
  read_classifiers(cursor, sizes, model);
  std::size_t classifier = 0;
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::size_t offset = cursor.offset();
    const auto vector = static_cast<std::int32_t>(cursor.whole("a support vector"));
    const YamchaWeight weight{vector, cursor.finite("a weight"), offset};
    if (classifier == sizes.models) cursor.fail("more end marks than classifiers");
    add_weight(model, weight, sizes.vectors, classifier);
  }
  const auto starts = cursor.take_packed<std::uint32_t>(sizes.features, "the features");
  const auto table = cursor.take_packed<std::int32_t>(sizes.table, "the table");
  const auto features = take_double_array(cursor, sizes.array_bytes);
  read_postings(model, {features, starts, table}, sizes.vectors);
}

}  // namespace

YamchaModel parse_yamcha_model(std::string_view bytes) {
  ByteCursor cursor(bytes);
  YamchaModel model;
  model.version = cursor.padded(name_size, "the version");
  if (model.version == current_version) {
    parse_current(bytes, cursor, model);
  } else {
    parse_older(bytes, cursor, model);
  }
  return model;
}

}  // namespace gristmill::text
