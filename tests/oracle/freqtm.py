"""FREQTM by the book (docs/formulas.md C6-C8; Kazama and Torisawa 2005, Algorithm 4.2), with every rule switchable.

Fragments grow to the right: of K_lo by a node, of K_c by a production. An occurrence list maps (tree, position) to the
number of embeddings there: a set of positions would lose those that share their last node.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from fractions import Fraction
from itertools import combinations

from tests.oracle.trees import MARKED, children, is_marked, label, node, nodes, of_productions, ordered, productions


@dataclass(frozen=True)
class Rules:
    """The letters of the paper, in the order of the native rules."""

    size_limit: bool = True  # P
    same_support: bool = True  # P1
    known_pairs: bool = True  # P2
    precheck: bool = False  # PC
    early_stop: bool = True  # R: changes nothing here but the moment
    list_limit: bool = True  # S
    post_order: bool = True  # F
    same_places: bool = True  # of the native miner alone: here every fragment is looked at
    marks: bool = True  # section 6
    max_support: bool = False  # Table 2, of P2


NO_RULES = Rules(**dict.fromkeys((f.name for f in fields(Rules)), False))


class Nodes:
    """A tree as arrays in preorder; `ends` are one past the last node below."""

    def __init__(self, tree):
        self.labels, self.parents, self.children, self.ends = [], [], [], []
        self._add(tree, None)
        self.marked = [bool(MARKED.fullmatch(name)) for name in self.labels]

    def _add(self, tree, parent):
        n = len(self.labels)
        for values, value in ((self.labels, label(tree)), (self.parents, parent), (self.ends, None)):
            values.append(value)
        self.children.append([])
        self.children[n] += [self._add(child, n) for child in children(tree)]
        self.ends[n] = len(self.labels)
        return n

    def production(self, n):
        return self.labels[n], *(self.labels[child] for child in self.children[n])


# --- how fragments grow -----------------------------------------------------------------------------------------------


class OrderedGrowth:
    """K_lo. A fragment is its (depth, label) pairs in preorder, the position of an occurrence its last node."""

    single_nodes = False  # those that do not grow

    @staticmethod
    def enumerate(tree):
        return Counter(fragment for n in nodes(tree) for fragment in ordered(n))

    @staticmethod
    def weight_size(tree):
        return len(nodes(tree))

    @staticmethod
    def seeds(tree):
        return [(((0, name),), n) for n, name in enumerate(tree.labels)]

    @staticmethod
    def extensions(fragment, tree, last):
        """Below each node of the path from the last one up to the root, to the right of the path."""
        node, right_of = last, -1
        for depth in range(fragment[-1][0], -1, -1):
            for child in tree.children[node]:
                if child > right_of:
                    yield (*fragment, (depth + 1, tree.labels[child])), child
            node, right_of = tree.parents[node], node

    @staticmethod
    def can_be_marked(fragment, tree, last):
        root = last
        for _ in range(fragment[-1][0]):
            root = tree.parents[root]
        return any(tree.marked[last + 1 : tree.ends[root]])

    @staticmethod
    def as_tree(fragment):
        def take(depth):
            name, below = places.pop(0)[1], []
            while places and places[0][0] == depth + 1:
                below.append(take(depth + 1))
            return node(name, below)

        places = list(fragment)
        return take(0)


class ProductionGrowth:
    """K_c. A fragment is its (path from the root, production) pairs in preorder, its occurrence the root.

    Paths are numbers of children; as tuples they compare in preorder. Single nodes, if they count, do not grow.
    """

    def __init__(self, single_nodes=False):
        self.single_nodes = single_nodes

    def enumerate(self, tree):
        return Counter(f for n in nodes(tree) for f in of_productions(n) + [label(n)] * self.single_nodes)

    @staticmethod
    def weight_size(tree):
        return productions(tree)

    @staticmethod
    def seeds(tree):
        return [((((), tree.production(n)),), n) for n in range(len(tree.labels)) if tree.children[n]]

    @staticmethod
    def extensions(fragment, tree, root):
        """At each node that is not expanded and comes later than the last that is."""
        last = fragment[-1][0]
        frontier = [(*path, child) for path, production in fragment for child in range(len(production) - 1)]
        for path in sorted(frontier):
            n = follow(tree, root, path)
            if path > last and tree.children[n]:
                yield (*fragment, (path, tree.production(n))), root

    @staticmethod
    def can_be_marked(fragment, tree, root):
        later = range(follow(tree, root, fragment[-1][0]) + 1, tree.ends[root])
        return any(is_marked(tree.production(n)) for n in later if tree.children[n])

    @staticmethod
    def as_tree(fragment):
        def take(path, name):
            below = expanded.get(path, (name,))[1:]
            return node(name, [take((*path, number), child) for number, child in enumerate(below)])

        expanded = dict(fragment)
        return take((), expanded[()][0])


def follow(tree, n, path):
    for child in path:
        n = tree.children[n][child]
    return n


# --- the search -------------------------------------------------------------------------------------------------------


@dataclass
class Search:
    """Algorithm 4.2. After run(): the pairs of `malicious`, and the fragments registered with the trees they are in."""

    trees: list
    growth: object
    marked: bool
    max_size: int
    max_embeddings: float
    rules: Rules = field(default_factory=Rules)
    min_support: int = 2

    def run(self):
        self._nodes = [Nodes(tree) for tree in self.trees]
        self.malicious, self.registered, self.searched = set(), {}, Counter()
        self.trace, self.registered_growths = [], []  # fragments as they grow, in the order of the search
        self.malicious_after_pass, self.searched_in_pass = [], []
        self._widest = 0  # trees of a fragment that failed
        seeds = [self.growth.seeds(tree) for tree in self._nodes]
        holders = Counter(symbol for some in seeds for symbol in {fragment[-1][1] for fragment, _ in some})
        self._shared = {symbol for symbol, trees in holders.items() if trees >= 2}
        first = {}
        for number, some in enumerate(seeds):
            for fragment, position in some:
                self._count(first, fragment, (number, position), 1)
        for precheck in [True, False] if self.rules.precheck else [False]:
            before = len(self.trace)
            for fragment, occurrences in first.items():
                if len(support(occurrences)) >= 2:
                    self._search(fragment, occurrences, precheck)
            self.malicious_after_pass.append(set(self.malicious))
            self.searched_in_pass.append(len(self.trace) - before)
        if self.growth.single_nodes:
            self._add_single_nodes()
        return self

    def _search(self, fragment, occurrences, precheck):
        tree = self.growth.as_tree(fragment)
        self.searched[tree] += 1
        self.trace.append(fragment)
        grown = None
        is_too_large = self.rules.size_limit and len(nodes(tree)) >= self.max_size
        if not is_too_large and len(support(occurrences)) >= self.min_support:
            grown = self._generate(fragment, occurrences)
        if grown is None:
            self._register_malicious(occurrences)
            return False
        if not self.rules.post_order:
            self._register(tree, occurrences, precheck)
        for longer, found in grown.items():
            if self.rules.known_pairs and self._is_malicious(found):
                continue
            went_well = self._search(longer, found, precheck)
            if self.rules.same_support and not went_well and support(occurrences) == support(found):
                return False
        if self.rules.post_order:
            self._register(tree, occurrences, precheck)
            self.registered_growths.append(fragment)
        return True

    def _register_malicious(self, occurrences):
        self.malicious |= pairs(occurrences)
        self._widest = max(self._widest, len(support(occurrences)))

    def _is_malicious(self, occurrences):
        looks = not self.rules.max_support or len(support(occurrences)) <= self._widest
        return looks and pairs(occurrences) <= self.malicious

    def _generate(self, fragment, occurrences):
        """The fragments longer by one step that two trees share, or None if a fragment is found too often.

        Those that end with a label (a production) that only one tree has are not worth a list.
        """
        grown = {}
        for (number, position), times in occurrences.items():
            for longer, at in self.growth.extensions(fragment, self._nodes[number], position):
                if longer[-1][1] in self._shared:
                    self._count(grown, longer, (number, at), times)
        most = max((sum(found.values()) for found in grown.values()), default=0)
        if self.rules.list_limit and most > self.max_embeddings * len(support(occurrences)):
            return None
        return {longer: found for longer, found in grown.items() if len(support(found)) >= 2}

    def _count(self, lists, fragment, occurrence, times):
        number, position = occurrence
        needs_mark = self.marked and self.rules.marks and not is_marked(self.growth.as_tree(fragment))
        if not needs_mark or self.growth.can_be_marked(fragment, self._nodes[number], position):
            lists.setdefault(fragment, Counter())[occurrence] += times

    def _add_single_nodes(self):
        names = {name for tree in self._nodes for name in tree.labels}
        for name in names:
            where = {
                (t, n): 1 for t, tree in enumerate(self._nodes) for n, own in enumerate(tree.labels) if own == name
            }
            if len(support(where)) < 2 or (self.marked and not is_marked(name)):
                continue
            if (self.rules.size_limit and self.max_size <= 1) or len(support(where)) < self.min_support:
                self._register_malicious(where)
            else:
                self._register(name, where, precheck=False)

    def _register(self, tree, occurrences, precheck):
        if not precheck and (is_marked(tree) or not self.marked):
            counts = Counter()
            for (number, _), times in occurrences.items():
                counts[number] += times
            self.registered[tree] = pattern(counts)


def support(occurrences):
    return {number for number, _ in occurrences}


def pairs(occurrences):
    return set(combinations(sorted(support(occurrences)), 2))


def pattern(counts):
    """OP: (tree, times) for all trees that hold the fragment."""
    return tuple(sorted(counts.items()))


# --- what the search must find ----------------------------------------------------------------------------------------


def features(trees, growth, marked, malicious=frozenset()):
    """{fragment: OP}, enumerated: all (with `marked` the marked ones) that are in two trees which are not malicious."""
    found = {}
    for number, tree in enumerate(trees):
        for fragment, times in growth.enumerate(tree).items():
            found.setdefault(fragment, {})[number] = times
    return {
        fragment: pattern(counts)
        for fragment, counts in found.items()
        if (is_marked(fragment) or not marked) and not set(combinations(counts, 2)) <= set(malicious)
    }


def compressed(found, growth):
    """{OP: Counter of the sizes of its fragments}."""
    patterns = {}
    for fragment, occurrences in found.items():
        patterns.setdefault(occurrences, Counter())[growth.weight_size(fragment)] += 1
    return patterns


def inner_product(patterns, decay, i, j):
    """Sum over patterns of W * times in i * times in j, exactly."""
    total = Fraction(0)
    for occurrences, sizes in patterns.items():
        times = dict(occurrences)
        weight = sum(number * Fraction(decay) ** size for size, number in sizes.items())
        total += weight * times.get(i, 0) * times.get(j, 0)
    return total
