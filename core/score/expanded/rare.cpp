// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/rare.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace gristmill::score::expanded {
namespace {

std::size_t bitmapped(std::span<const rows::Rank> more_frequent) {
  return static_cast<std::size_t>(std::ranges::lower_bound(more_frequent, bitmap_ranks) - more_frequent.begin());
}

void write_listed(std::span<const rows::Rank> more_frequent, std::size_t least, std::uint64_t nobody, unsigned bits,
                  std::span<std::uint64_t> words) {
  std::size_t at = bitmapped(more_frequent);
  const auto rank_at = [&](std::size_t position) {
    if (position < more_frequent.size()) return std::uint64_t{more_frequent[position]};
    return position < least ? nobody + 1 : nobody;  // everybody comes next
  };
  for (std::uint64_t& word : words) {
    for (unsigned shift = 0; shift < 64; shift += bits, ++at) word |= rank_at(at) << shift;
  }
}

template <class Rare>
std::size_t words_a_line(const Rare& features, rows::Rank rank) {
  return RarePostings::line_head + RarePostings::listing_words(features, rank);
}

}  // namespace

template <class Rare>
std::size_t RarePostings::listing_words(const Rare& features, rows::Rank rank) {
  std::size_t listed = 0;
  features.for_each_line(rank, [&](RowId, std::span<const rows::Rank> more_frequent) {
    listed = std::max(listed, std::max(more_frequent.size(), features.least_listed()) - bitmapped(more_frequent));
  });
  return (listed * bits_for(features.features()) + 63) / 64;
}

template <class Rare>
std::size_t RarePostings::nbytes_for(const Rare& features) {
  std::size_t words = 0;
  for (rows::Rank rank = features.first(); rank < features.features(); ++rank) {
    words += 1 + features.count(rank) * words_a_line(features, rank);
  }
  return words * sizeof(std::uint64_t);
}

template <class Rare>
RarePostings::RarePostings(const Rare& features, std::span<const std::uint64_t> payloads,
                           std::vector<std::uint32_t>& starts) {
  set_bits_for(features.features());
  LargeVector<std::uint64_t> words;
  words.reserve(nbytes_for(features) / sizeof(std::uint64_t));
  for (rows::Rank rank = features.first(); rank < features.features(); ++rank) {
    const std::size_t stride = words_a_line(features, rank);
    starts.push_back(static_cast<std::uint32_t>(words.size()));
    words.push_back(features.count(rank) | std::uint64_t{stride} << 32);
    features.for_each_line(rank, [&](RowId row, std::span<const rows::Rank> more_frequent) {
      const std::size_t start = words.size();
      words.resize(start + stride, 0);
      const std::span<std::uint64_t> line = std::span(words).subspan(start);
      line[0] = payloads[row];
      for (const rows::Rank other : more_frequent.first(bitmapped(more_frequent))) {
        line[1 + other / 64] |= std::uint64_t{1} << (other % 64);
      }
      write_listed(more_frequent, features.least_listed(), features.features(), bits(), line.subspan(line_head));
    });
    if (words.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw std::length_error("the rare features need more than 2^32 words");
    }
  }
  words_ = Buffer<std::uint64_t>(std::move(words));
}

template RarePostings::RarePostings(const SharedRare&, std::span<const std::uint64_t>, std::vector<std::uint32_t>&);
template RarePostings::RarePostings(const GivenRare&, std::span<const std::uint64_t>, std::vector<std::uint32_t>&);
template std::size_t RarePostings::listing_words(const SharedRare&, rows::Rank);
template std::size_t RarePostings::listing_words(const GivenRare&, rows::Rank);
template std::size_t RarePostings::nbytes_for(const SharedRare&);
template std::size_t RarePostings::nbytes_for(const GivenRare&);

}  // namespace gristmill::score::expanded
