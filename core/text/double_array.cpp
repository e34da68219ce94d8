// SPDX-License-Identifier: BSD-3-Clause
#include "text/double_array.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace gristmill::text {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFF;
constexpr std::size_t codes = 257;  // the end of a key and 256 bytes
constexpr std::uint32_t root_base = 1;

// --- reading ---------------------------------------------------------------------------------------------------------

// The units by the base that claims them. A unit's check names the only base it can be a child of.
class Children {
 public:
  explicit Children(const Packed<std::uint32_t>& words)
      : words_(words), first_(words.size() / 2, none), next_(words.size() / 2, none), entered_(words.size() / 2) {
    for (std::size_t unit = first_.size(); unit-- > 1;) {
      const std::uint32_t parent = check(unit);
      if (parent == 0 || parent > unit || unit - parent >= codes) continue;
      next_[unit] = first_[parent];
      first_[parent] = static_cast<std::uint32_t>(unit);
    }
  }

  [[nodiscard]] bool empty() const noexcept { return first_.empty(); }
  [[nodiscard]] std::uint32_t base(std::size_t unit) const { return words_[2 * unit]; }
  [[nodiscard]] std::uint32_t check(std::size_t unit) const { return words_[2 * unit + 1]; }
  [[nodiscard]] std::uint32_t next(std::size_t unit) const { return next_[unit]; }

  // The first child of a unit, or none.
  [[nodiscard]] std::uint32_t enter(std::size_t unit) {
    const std::uint32_t base_of_unit = base(unit);
    if (base_of_unit == 0 || base_of_unit >= first_.size()) return none;
    if (entered_[base_of_unit]) words_.fail_at(2 * unit, "two nodes of a double array share their children");
    entered_[base_of_unit] = true;
    return first_[base_of_unit];
  }

 private:
  const Packed<std::uint32_t>& words_;
  std::vector<std::uint32_t> first_;  // by base
  std::vector<std::uint32_t> next_;   // by unit
  std::vector<bool> entered_;         // by base
};

}  // namespace

void for_each_key(const Packed<std::uint32_t>& words, std::size_t longest, const KeyVisitor& visit) {
  Children children(words);
  if (children.empty()) return;
  std::string key;
  std::vector<std::uint32_t> path{children.enter(0)};  // the unit to look at next, on each level
  while (!path.empty()) {
    const std::uint32_t unit = path.back();
    if (unit == none) {
      path.pop_back();
      if (!key.empty()) key.pop_back();
      continue;
    }
    path.back() = children.next(unit);
    const std::uint32_t code = unit - children.check(unit);
    const std::uint32_t base = children.base(unit);
    if (code == 0) {
      if (base > 0x7FFFFFFF) visit(key, ~base);  // -base - 1 of a negative base
      continue;
    }
    if (key.size() == longest) {
      words.fail_at(2 * std::size_t{unit},
                    "a key of a double array is longer than " + std::to_string(longest) + " bytes");
    }
    key.push_back(static_cast<char>(code - 1));
    path.push_back(children.enter(unit));
  }
}

// --- building --------------------------------------------------------------------------------------------------------

namespace {

struct Node {
  std::uint32_t unit;
  std::size_t begin;  // of its keys
  std::size_t end;
  std::size_t depth;
};

struct Branch {
  std::uint32_t code;
  std::size_t begin;
  std::size_t end;
};

class Builder {
 public:
  Builder(std::span<const std::string> keys, std::span<const std::uint32_t> values) : keys_(keys), values_(values) {
    grow(codes);
  }

  std::string build() {
    std::vector<Node> pending{{0, 0, keys_.size(), 0}};
    while (!pending.empty()) {
      const Node node = pending.back();
      pending.pop_back();
      place(node, pending);
    }
    return bytes();
  }

 private:
  void place(const Node& node, std::vector<Node>& pending) {
    split(node);
    const std::uint32_t base = node.unit == 0 ? root_base : find_base();
    grow(base + codes);
    base_taken_[base] = true;
    base_[node.unit] = base;
    for (const Branch& branch : branches_) {
      const std::uint32_t unit = base + branch.code;
      check_[unit] = base;
      if (branch.code == 0) {
        base_[unit] = ~values_[branch.begin];
      } else {
        pending.push_back({unit, branch.begin, branch.end, node.depth + 1});
      }
    }
  }

  // The branches of a node, by ascending code.
  void split(const Node& node) {
    branches_.clear();
    for (std::size_t at = node.begin; at < node.end; ++at) {
      const std::uint32_t code = code_of(keys_[at], node.depth);
      if (branches_.empty() || branches_.back().code != code) branches_.push_back({code, at, at});
      branches_.back().end = at + 1;
    }
  }

  static std::uint32_t code_of(const std::string& key, std::size_t depth) {
    return key.size() == depth ? 0 : static_cast<unsigned char>(key[depth]) + 1U;
  }

  // A base of which no other node is and whose units are free. The search starts behind the part that is nearly full.
  std::uint32_t find_base() {
    const std::uint32_t first_code = branches_.front().code;
    std::uint32_t unit = std::max(from_, first_code + root_base + 1);
    std::size_t seen = 0;
    std::size_t taken = 0;
    for (;; ++unit) {
      grow(unit + codes);
      ++seen;
      if (check_[unit] != 0) {
        ++taken;
      } else if (fits(unit - first_code)) {
        break;
      }
    }
    if (seen >= 32 && taken * 20 >= seen * 19) from_ = unit;
    return unit - first_code;
  }

  bool fits(std::uint32_t base) {
    grow(base + codes);
    return !base_taken_[base] &&
           std::ranges::none_of(branches_, [&](const Branch& branch) { return check_[base + branch.code] != 0; });
  }

  void grow(std::size_t size) {
    if (size <= check_.size()) return;
    if (size > 0x7FFFFFFF) throw std::invalid_argument("too many keys for a double array");
    const std::size_t room = std::max(size, check_.size() + check_.size() / 2);
    check_.resize(room);
    base_.resize(room);
    base_taken_.resize(room);
  }

  [[nodiscard]] std::string bytes() const {
    const auto last = std::ranges::find_if(check_.rbegin(), check_.rend(), [](std::uint32_t c) { return c != 0; });
    const auto used = static_cast<std::size_t>(check_.rend() - last);
    std::string out((used + codes) * 8, '\0');
    for (std::size_t unit = 0; unit < used; ++unit) {
      put(out, 8 * unit, base_[unit]);
      put(out, 8 * unit + 4, check_[unit]);
    }
    if (used == 0) put(out, 0, root_base);
    return out;
  }

  static void put(std::string& out, std::size_t at, std::uint32_t word) {
    for (std::size_t i = 0; i < 4; ++i) out[at + i] = static_cast<char>(word >> (8 * i) & 0xFF);
  }

  std::span<const std::string> keys_;
  std::span<const std::uint32_t> values_;
  std::vector<std::uint32_t> base_;
  std::vector<std::uint32_t> check_;  // 0: free, as no base is 0
  std::vector<bool> base_taken_;
  std::vector<Branch> branches_;
  std::uint32_t from_ = 0;
};

}  // namespace

std::string build_double_array(std::span<const std::string> keys, std::span<const std::uint32_t> values) {
  if (keys.size() != values.size()) throw std::invalid_argument("as many values as keys are needed");
  if (std::ranges::any_of(values, [](std::uint32_t value) { return value > 0x7FFFFFFF; })) {
    throw std::invalid_argument("values of a double array stay below 2^31");
  }
  // std::string compares its characters as unsigned
  if (std::ranges::adjacent_find(keys, std::ranges::greater_equal()) != keys.end()) {
    throw std::invalid_argument("keys of a double array must ascend");
  }
  return Builder(keys, values).build();
}

}  // namespace gristmill::text
