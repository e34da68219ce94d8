// SPDX-License-Identifier: BSD-3-Clause
// What follows the header of a compiled YamCha model, for both of its solvers.
#pragma once
#include <optional>

#include "text/byte_cursor.hpp"
#include "text/yamcha_model.hpp"

namespace gristmill::text {

// Where the arrays of a PKI model are.
struct YamchaPostings {
  Packed<std::uint32_t> features;               // double array: feature to a place in `table`, or in `starts`
  std::optional<Packed<std::uint32_t>> starts;  // in the older format: places in `table`
  Packed<std::int32_t> table;                   // lists of support vectors, ended by -1
};

// Where the arrays of a PKE model are.
struct YamchaConjunctions {
  Packed<std::uint32_t> features;  // double array: feature to id
  Packed<std::uint32_t> keys;      // double array: ids to a place in `owners`
  Packed<std::int32_t> owners;     // runs of ascending classifier numbers
  Packed<double> weights;          // one for each
};

// A weight of a support vector; -1 ends a classifier.
struct YamchaWeight {
  std::int32_t vector;
  double weight;
  std::size_t offset;
};

// Adds the next weight of PKI to the model. `classifier` counts the end marks. `vectors` are as many as the header
// says.
void add_weight(YamchaModel& model, const YamchaWeight& weight, std::size_t vectors, std::size_t& classifier);

// Fills features and rows; `vectors` as above.
void read_postings(YamchaModel& model, const YamchaPostings& arrays, std::size_t vectors);

// Fills features, rows and weights. `most` limits the weights, which conjunctions may share.
void read_conjunctions(YamchaModel& model, const YamchaConjunctions& arrays, std::size_t most);

}  // namespace gristmill::text
