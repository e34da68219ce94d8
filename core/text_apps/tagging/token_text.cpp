// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/token_text.hpp"

#include <stdexcept>

namespace gristmill::text_apps::tagging {
namespace {

void check_endings(const RawText& text, std::span<const std::int32_t> endings) {
  if (endings.size() != text.size()) throw std::invalid_argument("endings do not fit the characters");
}

bool ends_token(const RawText& text, std::span<const std::int32_t> endings, std::size_t at) {
  return endings[at] > 0 || at + 1 == text.size();
}

bool ends_sentence(const RawText& text, std::span<const std::int32_t> endings, std::size_t at) {
  return endings[at] == static_cast<std::int32_t>(Ending::sentence) || at + 1 == text.size();
}

class TokenWriter {
 public:
  TokenWriter(const RawText& text, std::span<const std::int32_t> endings, std::size_t number, bool begins_paragraph)
      : text_(text), endings_(endings), number_(number), begins_paragraph_(begins_paragraph) {}

  std::string run() {
    out_.reserve(text_.size() * 6);
    for (std::size_t begin = 0, at = 0; at < text_.size(); ++at) {
      if (!ends_sentence(text_, endings_, at)) continue;
      add_sentence(begin, at);
      begins_paragraph_ = text_.gap(at) == Gap::paragraph;
      begin = at + 1;
    }
    return std::move(out_);
  }

 private:
  void add_sentence(std::size_t first, std::size_t last) {
    if (begins_paragraph_) out_ += "# newpar\n";
    out_ += "# sent_id = " + std::to_string(number_++) + "\n# text = ";
    out_ += text_.between(first, last);
    out_ += '\n';
    std::size_t number = 0;
    for (std::size_t begin = first, at = first; at <= last; ++at) {
      if (!ends_token(text_, endings_, at)) continue;
      out_ += std::to_string(++number) + '\t';
      out_ += text_.between(begin, at);
      out_ += "\t_\t_\t_\t_\t_\t_\t_\t";
      out_ += text_.gap(at) == Gap::none ? "SpaceAfter=No\n" : "_\n";
      begin = at + 1;
    }
    out_ += '\n';
  }

  const RawText& text_;
  std::span<const std::int32_t> endings_;
  std::size_t number_;
  bool begins_paragraph_;
  std::string out_;
};

}  // namespace

std::string token_conllu(const RawText& text, std::span<const std::int32_t> endings, std::size_t number,
                         bool begins_paragraph) {
  check_endings(text, endings);
  return TokenWriter(text, endings, number, begins_paragraph).run();
}

std::vector<std::int64_t> token_spans(const RawText& text, std::span<const std::int32_t> endings) {
  check_endings(text, endings);
  std::vector<std::int64_t> spans;
  for (std::size_t begin = 0, at = 0; at < text.size(); ++at) {
    if (!ends_token(text, endings, at)) continue;
    spans.push_back(static_cast<std::int64_t>(text.source(begin)));
    spans.push_back(static_cast<std::int64_t>(text.source(at) + 1));
    spans.push_back(ends_sentence(text, endings, at) ? 1 : 0);
    begin = at + 1;
  }
  return spans;
}

}  // namespace gristmill::text_apps::tagging
