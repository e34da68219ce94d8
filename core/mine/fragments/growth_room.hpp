// SPDX-License-Identifier: BSD-3-Clause
// How much more a place may weigh when its fragment grows: a bound that lets a search for heavy fragments turn back.
//
// An embedding grows below its last node and to the right of its path. Whatever one fragment takes there, it weighs no
// more than the product, over the nodes of the path and over the labels below them, of
//
//   max over j of e_j(z of the children with this label),   e_j: sum over all choices of j of them of their product,
//
// z being the most a child brings. For K_c and SST every child has a place of its own, and the bound is decay, or more
// where decay is above 1. It counts choices of children by label alone, so it is loose where labels repeat.
// Cost: children with equal labels under one node, squared while they are few.
#pragma once
#include "mine/fragments/mined_trees.hpp"

namespace gristmill::mine::fragments {

class GrowthRoom {
 public:
  GrowthRoom(const kernel::trees::TreeKernel& kernel, const MinedTrees& trees);

  // By how much the weight of an embedding that ends here is multiplied at most when its fragment grows by one symbol
  // or more; 0 if it cannot.
  [[nodiscard]] double at(TreeNode last, std::uint32_t depth) const;

 private:
  // any: by how much at most, 1 for nothing; any * share: the same for something. Products of independent choices
  // multiply `any` and take the largest share.
  struct Room {
    double any = 1;
    double share = 0;

    [[nodiscard]] double strict() const { return share == 0 ? 0 : any * share; }
  };
  // Children of one node with the same label, as they are added.
  struct Alike {
    std::vector<double> choices{1};  // e_j, while they are few
    double all = 1;                  // sum of all e_j
    double most = 0;                 // max over j > 0, or a bound of it

    void add(double z);
  };

  void look_below(TreeNode node);
  void add(Room& room, const MinedTrees::Child& child, double z);
  [[nodiscard]] Alike& alike(FragmentSymbol symbol);

  const kernel::trees::TreeKernel& kernel_;
  const MinedTrees& trees_;
  bool by_production_;
  std::vector<Room> inner_;           // below a node
  std::vector<Room> right_;           // among the siblings behind it
  std::vector<std::uint32_t> slots_;  // per symbol: in alike_, while a node is looked at
  std::vector<Alike> alike_;
};

}  // namespace gristmill::mine::fragments
