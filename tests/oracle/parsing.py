"""Parsing by the definitions: trees as lists of heads (-1 for the root), transition systems over plain lists."""

from __future__ import annotations

from itertools import pairwise

LINKS = ("left", "right")


# --- trees ------------------------------------------------------------------------------------------------------------


def above(heads, word):
    """The heads of a word, from its own up to the root; None if there is no end."""
    found = []
    while heads[word] >= 0:
        word = heads[word]
        if word in found:
            return None
        found.append(word)
    return found


def is_tree(heads):
    """One root, and every word is below it. No words are a tree too."""
    if any(not -1 <= head < len(heads) for head in heads):
        return False
    return not heads or (heads.count(-1) == 1 and all(above(heads, word) is not None for word in range(len(heads))))


def is_projective(heads):
    """Whether all words between a word and its head are below that head."""
    arcs = [(head, word) for word, head in enumerate(heads) if head >= 0]
    return all(head in above(heads, w) for head, word in arcs for w in range(min(head, word) + 1, max(head, word)))


def is_head_final(heads):
    return all(head < 0 or head > word for word, head in enumerate(heads))


# --- transition systems -----------------------------------------------------------------------------------------------
#
# Each yields (stack, buffer, legal moves) and is sent a move, until the tree is done; link(head, word) makes an arc.


def arc_standard(words, heads, link, may_swap=False):
    stack, buffer = [], list(range(words))
    while buffer or len(stack) > 1:
        legal = {"shift"} if buffer else set()
        if len(stack) > 1:
            legal |= {"left", "right"}
            legal |= {"swap"} if may_swap and stack[-2] < stack[-1] else set()
        move = yield stack, buffer, legal
        if move == "shift":
            stack.append(buffer.pop(0))
        elif move == "swap":
            buffer.insert(0, stack.pop(-2))
        elif move == "left":
            link(stack[-1], stack.pop(-2))
        else:
            link(stack[-2], stack.pop())


def swap(words, heads, link):
    return arc_standard(words, heads, link, may_swap=True)


def arc_eager(words, heads, link, may_go_back=True):
    stack, buffer, is_reading = [], list(range(words)), True
    while True:
        while may_go_back and not buffer and len(stack) > 1:  # one root must be left
            word = stack.pop()
            if heads[word] < 0:
                buffer, is_reading = [word], False
        if not buffer:
            return
        has_head = bool(stack) and heads[stack[-1]] >= 0
        legal = {"right", "reduce" if has_head else "left"} if stack else set()
        legal |= {"shift"} if is_reading or not stack else set()
        move = yield stack, buffer, legal
        if move == "left":
            link(buffer[0], stack.pop())
        elif move == "reduce":
            stack.pop()
        else:
            if move == "right":
                link(stack[-1], buffer[0])
            stack.append(buffer.pop(0))


def plain_eager(words, heads, link):
    """As Nivre 2003 has it: it ends with the buffer, whatever is left on the stack."""
    return arc_eager(words, heads, link, may_go_back=False)


def head_final(words, heads, link):
    """Sassano 2004, figure 4: the next unit is asked about those on the stack, until one does not depend on it."""
    stack = []
    for word in range(words):
        is_last = word == words - 1
        while stack:
            move = yield stack, list(range(word, words)), {"left"} if is_last else {"left", "shift"}
            if move == "shift":
                break
            link(word, stack.pop())
        stack.append(word)


def cascade(words, heads, link):
    """Kudo and Matsumoto 2002, section 3: tags D and O in passes; what has D behind an O or in front is left out."""
    left = list(range(words))
    while len(left) > 1:
        for at, (word, neighbour) in enumerate(pairwise(left)):
            if heads[word] < 0:
                is_last = neighbour == left[-1]
                move = yield left[: at + 1], left[at + 1 :], {"left"} if is_last else {"left", "shift"}
                if move == "left":
                    link(neighbour, word)
        tags = ["D" if heads[word] >= 0 else "O" for word in left]
        left = [
            word for word, tag, before in zip(left, tags, ["O", *tags], strict=False) if (before, tag) != ("O", "D")
        ]


SYSTEMS = {
    "arc_standard": arc_standard,
    "swap": swap,
    "arc_eager": arc_eager,
    "plain_eager": plain_eager,
    "head_final": head_final,
    "cascade": cascade,
}


class Parser:
    """A parser on its way. Shifts and reductions that are no choice are made by themselves."""

    def __init__(self, system, words, actions=()):
        self.heads, self.relations, self.actions = [-1] * words, [-1] * words, []
        self.stack, self.buffer = [], []
        self._system, self._relation = system, -1
        self._moves = SYSTEMS[system](words, self.heads, self._link)
        self._send(None)
        for action in actions:
            self.take(*action)

    def take(self, move, relation=-1):
        assert move in self.legal
        self.actions.append((move, relation if move in LINKS else -1))
        self._relation = relation
        self._send(move)

    def after(self, move, relation=-1):
        """Another parser, one move further."""
        return Parser(self._system, len(self.heads), [*self.actions, (move, relation)])

    def _send(self, move):
        self.legal = set()
        try:
            self.stack, self.buffer, legal = self._moves.send(move)
            while legal in ({"shift"}, {"reduce"}):
                self.stack, self.buffer, legal = self._moves.send(*legal)
            self.legal = legal
        except StopIteration:
            pass

    def _link(self, head, word):
        assert self.heads[word] < 0
        self.heads[word], self.relations[word] = head, self._relation


def all_ways(system, words):
    """Every parser that legal moves lead to, on its way and at its end."""
    open_ways = [Parser(system, words)]
    while open_ways:
        parser = open_ways.pop()
        yield parser
        open_ways += [parser.after(move) for move in sorted(parser.legal)]


# --- what can still be had --------------------------------------------------------------------------------------------


def kept_arcs(parser, gold, memo):
    """The most arcs of a tree that a parser can end with, whatever it does; the root counts as one."""
    key = (*parser.stack, None, *parser.buffer, None, *parser.heads, "shift" in parser.legal)
    if key not in memo:
        own = sum(head == known for head, known in zip(parser.heads, gold, strict=True))
        later = (kept_arcs(parser.after(move), gold, memo) for move in parser.legal)
        memo[key] = max(later) if parser.legal else own
    return memo[key]


# --- crossing arcs ----------------------------------------------------------------------------------------------------


def lifted(heads):
    """Heads without crossing arcs; the head that lifted words had; words that others were lifted from or through.

    Nivre and Nilsson 2005, section 2: the shortest crossing arc goes up by one head, until there is none.
    """
    now, way = list(heads), [0] * len(heads)

    def crosses(word):
        between = range(min(word, now[word]) + 1, max(word, now[word]))
        return now[word] >= 0 and any(now[word] not in above(now, other) for other in between)

    while crossing := [word for word in range(len(now)) if crosses(word)]:
        word = min(crossing, key=lambda w: abs(w - now[w]))
        way[now[word]] = 1
        now[word] = now[now[word]]
    before = [head if head != own else -1 for head, own in zip(heads, now, strict=True)]
    return now, before, way


def lowered(heads, relations, marks):
    """The way back: from left to right every lifted word looks below the head it has.

    Marks of relations: (plain relation, was it lifted, the relation of the head it had or -1, is it on a way). Where
    the relation of the head is known: the first one below, level by level, that has it, on marked ways if there is one
    there. Else down marked ways to their end.
    """
    heads = list(heads)
    given = [None if relation < 0 else marks[relation] for relation in relations]
    for word, mark in enumerate(given):
        if mark is not None and mark[1]:
            heads[word] = _by_relation(heads, given, word) if mark[2] >= 0 else _by_way(heads, given, word)
    return heads, [-1 if mark is None else mark[0] for mark in given]


def _by_relation(heads, given, word):
    for only_ways in (True, False):
        level = [heads[word]]
        while level:
            below = [[w for w, head in enumerate(heads) if head == one and w != word] for one in level]
            level = [w for some in below for w in some if given[w][3] or not only_ways]
            found = [w for w in level if given[w][0] == given[word][2]]
            if found:
                return found[0]
    return heads[word]


def _by_way(heads, given, word):
    at = heads[word]
    while below := [w for w, head in enumerate(heads) if head == at and w != word and given[w][3]]:
        at = below[0]
    return at
