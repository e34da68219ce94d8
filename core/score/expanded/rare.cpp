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

void write_listed(std::span<const rows::Rank> more_frequent, std::uint64_t nobody, unsigned bits,
                  std::span<std::uint64_t> words) {
  std::size_t at = bitmapped(more_frequent);
  for (std::uint64_t& word : words) {
    for (unsigned shift = 0; shift < 64; shift += bits, ++at) {
      word |= (at < more_frequent.size() ? more_frequent[at] : nobody) << shift;
    }
  }
}

void write_line(const rows::RankedRows& rows, rows::RankedRows::Place place, std::uint64_t payload, unsigned bits,
                std::span<std::uint64_t> line) {
  const std::span<const rows::Rank> more_frequent = rows.more_frequent(place);
  line[0] = payload;
  for (const rows::Rank rank : more_frequent.first(bitmapped(more_frequent)))
    line[1 + rank / 64] |= std::uint64_t{1} << (rank % 64);
  write_listed(more_frequent, rows.features().size(), bits, line.subspan(RarePostings::line_head));
}

std::size_t words_a_line(const rows::RankedRows& rows, rows::Rank rank) {
  return RarePostings::line_head + RarePostings::listing_words(rows, rank);
}

}  // namespace

std::size_t RarePostings::listing_words(const rows::RankedRows& rows, rows::Rank rank) {
  std::size_t listed = 0;
  for (const auto place : rows.places(rank)) {
    listed = std::max(listed, place.at - bitmapped(rows.more_frequent(place)));
  }
  return (listed * bits_for(rows.features().size()) + 63) / 64;
}

std::size_t RarePostings::nbytes_for(const RareFeatures& features) {
  std::size_t words = 0;
  for (rows::Rank rank = features.first; rank < features.rows.features().size(); ++rank) {
    words += 1 + features.places(rank).size() * words_a_line(features.rows, rank);
  }
  return words * sizeof(std::uint64_t);
}

RarePostings::RarePostings(const RareFeatures& features, std::span<const std::uint64_t> payloads,
                           std::vector<std::uint32_t>& starts) {
  const rows::RankedRows& rows = features.rows;
  set_bits_for(rows.features().size());
  LargeVector<std::uint64_t> words;
  words.reserve(nbytes_for(features) / sizeof(std::uint64_t));
  for (rows::Rank rank = features.first; rank < rows.features().size(); ++rank) {
    const std::size_t stride = words_a_line(rows, rank);
    starts.push_back(static_cast<std::uint32_t>(words.size()));
    words.push_back(features.places(rank).size() | std::uint64_t{stride} << 32);
    for (const auto place : features.places(rank)) {
      const std::size_t start = words.size();
      words.resize(start + stride, 0);
      write_line(rows, place, payloads[place.row], bits(), std::span(words).subspan(start));
    }
    if (words.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw std::length_error("the rare features need more than 2^32 words");
    }
  }
  words_ = Buffer<std::uint64_t>(std::move(words));
}

}  // namespace gristmill::score::expanded
