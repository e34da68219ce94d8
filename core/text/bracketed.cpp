// SPDX-License-Identifier: BSD-3-Clause
#include "text/bracketed.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "base/utf8.hpp"
#include "text/cursor.hpp"

namespace gristmill::text {
namespace {

enum Kind : std::uint8_t { letter, space, bracket, backslash };

constexpr std::array<Kind, 256> kinds = [] {
  std::array<Kind, 256> table{};
  for (const unsigned char c : {' ', '\t', '\n', '\v', '\f', '\r'}) table[c] = space;
  table['('] = table[')'] = bracket;
  table['\\'] = backslash;
  return table;
}();

Kind kind_of(char c) { return kinds[static_cast<unsigned char>(c)]; }
bool is_space(char c) { return kind_of(c) == space; }
bool is_bracket(char c) { return kind_of(c) == bracket; }
bool needs_escape(char c) { return kind_of(c) != letter; }

// The digits behind the last '*' of a label such as NP*1; 0 where there are none.
std::uint32_t mark_of(std::string_view label, std::size_t& star) {
  star = label.rfind('*');
  if (star == std::string_view::npos || star == 0 || star + 1 == label.size() || label[star + 1] == '0') return 0;
  std::uint32_t mark = 0;
  const auto [end, error] = std::from_chars(label.data() + star + 1, label.data() + label.size(), mark);
  if (error == std::errc::result_out_of_range) throw std::invalid_argument("a mark must be below 2^32");
  return end == label.data() + label.size() ? mark : 0;
}

// What stands here, for error messages.
std::string next_bytes(const Cursor& at) { return quoted(at.rest().substr(0, 20)); }

class TreeReader {
 public:
  TreeReader(forest::Forest& forest, std::string_view text, const BracketOptions& options, Observer& observer)
      : forest_(forest), text_(text), options_(options), observer_(observer) {}

  // Reads the tree that begins at an opening bracket; returns where it ends.
  std::size_t read(Extent part, forest::NodeId& root) {
    open_.clear();
    done_.clear();
    at_ = Cursor(text_, part.begin, part.end);
    const char* begin = at_.mark();
    do {
      report();
      step();
    } while (!open_.empty());
    if (done_.empty()) at_.fail_at(begin, "nothing is left of the tree without its traces");
    root = done_.back();
    return offset();
  }

 private:
  struct Open {
    std::string_view label;  // as it is written; empty for an empty bracket
    std::size_t begin;       // of its children among those done
    const char* place;       // of its bracket
    bool lost = false;       // had children, and lost some as traces
  };

  [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(at_.mark() - text_.data()); }

  // A single tree may be as large as a file.
  void report() {
    constexpr std::size_t often = std::size_t{1} << 16U;
    if (++steps_ % often == 0) require(observer_, offset(), text_.size());
  }

  void skip_space() {
    while (!at_.at_end() && is_space(at_.peek())) at_.skip();
  }

  void step() {
    skip_space();
    if (at_.at_end()) {
      at_.fail_at(open_.back().place, "this bracket is never closed");
    } else if (at_.peek() == '(') {
      open();
    } else if (at_.peek() == ')') {
      close();
    } else {
      add_leaf();
    }
  }

  void open() {
    const char* place = at_.mark();
    at_.skip();
    skip_space();
    if (at_.at_end()) at_.fail_at(place, "this bracket is never closed");
    const bool empty = is_bracket(at_.peek());
    if (empty && (!open_.empty() || at_.peek() == ')')) at_.fail("expected a label after the opening bracket");
    open_.push_back({empty ? std::string_view() : token(), done_.size(), place});
  }

  void close() {
    const Open node = open_.back();
    open_.pop_back();
    at_.skip();
    const std::span<const forest::NodeId> children(done_.begin() + static_cast<std::ptrdiff_t>(node.begin),
                                                   done_.end());
    if (node.label.empty()) {
      if (children.size() > 1) at_.fail_at(node.place, "an empty bracket holds one tree; give this node a label");
      return;
    }
    if (is_trace(node, children)) {
      done_.resize(node.begin);
      if (!open_.empty()) open_.back().lost = true;
      return;
    }
    const forest::NodeId made = forest_.add(symbol(node.label, !children.empty()), children);
    done_.resize(node.begin);
    done_.push_back(made);
  }

  [[nodiscard]] bool is_trace(const Open& node, std::span<const forest::NodeId> children) const {
    if (options_.keep_traces) return false;
    return node.label == "-NONE-" || (node.lost && children.empty());
  }

  void add_leaf() {
    if (open_.back().label.empty()) at_.fail("expected an opening bracket, got " + next_bytes(at_));
    done_.push_back(forest_.add(symbol(token(), false), {}));
  }

  // Past a label, which is given with its quotes and escapes.
  std::string_view token() {
    if (options_.quoted && at_.peek() == '"') return quotation();
    const char* begin = at_.mark();
    while (!at_.at_end()) {
      const Kind kind = kind_of(at_.peek());
      if (kind == space || kind == bracket) break;
      at_.skip();
      if (kind == backslash && !at_.at_end() && needs_escape(at_.peek())) at_.skip();
    }
    return at_.since(begin);
  }

  std::string_view quotation() {
    const char* begin = at_.mark();
    at_.skip();
    while (!at_.at_end() && at_.peek() != '"') {
      at_.take('\\');
      if (!at_.at_end()) at_.skip();
    }
    if (!at_.take('"')) at_.fail_at(begin, "this quotation mark is never closed");
    if (!at_.at_end() && !is_space(at_.peek()) && !is_bracket(at_.peek())) {
      at_.fail("expected a space or bracket after the quoted label, got " + next_bytes(at_));
    }
    return at_.since(begin);
  }

  forest::Symbol symbol(std::string_view written, bool inner) {
    const char* place = written.data();
    std::string_view label = plain(written);
    if (label.empty()) at_.fail_at(place, "a label cannot be empty");
    try {
      if (inner && !options_.keep_functions) label = without_functions(label);
      return intern_label(forest_.symbols(), label, options_.marks);
    } catch (const std::invalid_argument& error) {
      at_.fail_at(place, error.what());
    }
  }

  // NP-SBJ*1 is NP*1; labels such as -LRB- stay.
  std::string_view without_functions(std::string_view label) {
    std::size_t star = label.size();
    if (!options_.marks || mark_of(label, star) == 0) star = label.size();
    const std::string_view name = label.substr(0, star);
    const std::size_t cut = name.front() == '-' ? name.size() : std::min(name.find_first_of("-=", 1), name.size());
    if (star == label.size()) return name.substr(0, cut);
    cut_.assign(name.substr(0, cut)).append(label.substr(star));
    return cut_;
  }

  // Without quotes and escapes.
  std::string_view plain(std::string_view label) {
    const bool in_quotes = options_.quoted && label.front() == '"';
    if (in_quotes) label = label.substr(1, label.size() - 2);
    if (label.find('\\') == std::string_view::npos) return label;
    plain_.clear();
    for (std::size_t i = 0; i < label.size(); ++i) {
      const bool escapes = label[i] == '\\' && i + 1 < label.size() &&
                           (needs_escape(label[i + 1]) || (in_quotes && label[i + 1] == '"'));
      if (escapes) ++i;
      plain_.push_back(label[i]);
    }
    return plain_;
  }

  forest::Forest& forest_;
  std::string_view text_;
  const BracketOptions& options_;
  Observer& observer_;
  std::size_t steps_ = 0;
  Cursor at_{{}};
  std::vector<Open> open_;            // nodes whose closing bracket is still to come
  std::vector<forest::NodeId> done_;  // finished subtrees that have no parent yet
  std::string plain_;
  std::string cut_;
};

Extent trimmed(std::string_view text, Extent part) {
  while (part.begin < part.end && is_space(text[part.begin])) ++part.begin;
  while (part.begin < part.end && is_space(text[part.end - 1])) --part.end;
  return part;
}

forest::NodeId read_part(TreeReader& reader, std::string_view text, Extent whole) {
  const Extent part = trimmed(text, whole);
  if (part.begin == part.end) Cursor(text, whole.begin, whole.end).fail("expected a tree, got nothing");
  const Cursor first(text, part.begin, part.end);
  if (first.peek() != '(') first.fail("a tree begins with '(', got " + next_bytes(first));
  forest::NodeId root = forest::Forest::none;
  const std::size_t stop = reader.read(part, root);
  if (stop != part.end) Cursor(text, stop, part.end).fail("the tree ends here, but something follows");
  return root;
}

void report(std::size_t tree, std::size_t done, std::size_t total, Observer& observer) {
  constexpr std::size_t trees = 256;
  if (tree % trees == 0) require(observer, done, total);
}

}  // namespace

forest::NodeId parse_tree(forest::Forest& forest, std::string_view text, Extent part, const BracketOptions& options,
                          Observer& observer) {
  TreeReader reader(forest, text, options, observer);
  return read_part(reader, text, part);
}

std::vector<forest::NodeId> parse_trees(forest::Forest& forest, std::string_view text, std::span<const Extent> parts,
                                        const BracketOptions& options, Observer& observer) {
  TreeReader reader(forest, text, options, observer);
  std::vector<forest::NodeId> roots;
  for (const Extent& part : parts) {
    report(roots.size(), roots.size(), parts.size(), observer);
    roots.push_back(read_part(reader, text, part));
  }
  return roots;
}

TreeFile parse_tree_file(forest::Forest& forest, std::string_view text, const BracketOptions& options,
                         Observer& observer) {
  TreeReader reader(forest, text, options, observer);
  TreeFile found;
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // the byte order mark that some editors leave
  for (;;) {
    report(found.roots.size(), at, text.size(), observer);
    const std::size_t begin = std::min(text.find_first_of("()", at), text.size());
    const Extent before = trimmed(text, {at, begin});
    if (begin == text.size()) {
      if (before.begin != before.end) Cursor(text, before.begin, begin).fail("expected a tree behind this");
      return found;
    }
    if (text[begin] == ')') Cursor(text, begin, text.size()).fail("a closing bracket without an opening one");
    found.before.push_back(before);
    at = reader.read({begin, text.size()}, found.roots.emplace_back());
  }
}

forest::Symbol intern_label(forest::Symbols& symbols, std::string_view label, bool marks) {
  std::size_t star = 0;
  const std::uint32_t mark = marks ? mark_of(label, star) : 0;
  const std::string_view text = mark == 0 ? label : label.substr(0, star);
  if (!is_utf8(text)) throw std::invalid_argument("the label " + quoted(text) + " is not UTF-8");
  return symbols.intern(text, mark);
}

namespace {

void write_label(const forest::Symbols& symbols, forest::Symbol symbol, std::string& out) {
  const std::string_view text = symbols.text(symbol);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool last = i + 1 == text.size();
    const bool escape = text[i] == '\\' ? last || needs_escape(text[i + 1]) : needs_escape(text[i]);
    if (escape) out.push_back('\\');
    out.push_back(text[i]);
  }
  if (symbols.mark(symbol) != 0) out.append("*").append(std::to_string(symbols.mark(symbol)));
}

}  // namespace

void write_tree(const forest::Forest& forest, forest::NodeId root, std::string& out, std::size_t most_bytes) {
  struct Open {
    forest::NodeId node;
    std::size_t next;  // child to write
  };
  const auto open = [&](forest::NodeId node) {
    out.push_back('(');
    write_label(forest.symbols(), forest.label(node), out);
  };
  std::vector<Open> stack{{root, 0}};
  open(root);
  while (!stack.empty()) {
    if (out.size() > most_bytes) {
      throw std::length_error("the text of the trees takes more than " + std::to_string(most_bytes) +
                              " bytes, though their graph is far smaller; take fewer trees at once");
    }
    Open& top = stack.back();
    const std::span<const forest::NodeId> children = forest.children(top.node);
    if (top.next == children.size()) {
      out.push_back(')');
      stack.pop_back();
      continue;
    }
    const forest::NodeId child = children[top.next++];
    out.push_back(' ');
    if (forest.children(child).empty()) {
      write_label(forest.symbols(), forest.label(child), out);
    } else {
      open(child);
      stack.push_back({child, 0});
    }
  }
}

}  // namespace gristmill::text
