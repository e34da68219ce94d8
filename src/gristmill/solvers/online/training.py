"""A training over a file: all epochs, from a position to the end or to an interruption."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gristmill.solvers.online.checkpoint import Run
from gristmill.solvers.online.examples import Block, FileInMemory, FileStream, example_weights
from gristmill.solvers.online.learner import OnlineLearner

Watch = Callable[[int, int | None], None]  # visits made, and visits in all where that is known


@dataclass
class Training:
    """A learner and the file it learns from.

    watch : called some twenty times a second and between blocks; may raise KeyboardInterrupt to stop
    """

    learner: OnlineLearner
    source: FileInMemory | FileStream
    weights: list[float]  # by class
    seed: int | None
    watch: Watch
    visited: int = 0
    n_jobs: int | None = None
    head: str | None = None  # of a stream that is resumed: see Run

    def run(self) -> None:
        """Learn until the end or until stopped; `visited` is then the position."""
        if isinstance(self.source, FileInMemory):
            self._all_at_once(self.source)
        else:
            self._block_by_block(self.source)

    def position(self) -> Run:
        """The position of the run, for a checkpoint."""
        source = self.source
        if isinstance(source, FileInMemory):
            return Run(self.visited, self.seed, source.first_id, self.weights, source.checksum)
        head = source.head(self.visited) or self.head
        return Run(self.visited, self.seed, source.first_id, self.weights, None, head)

    def _all_at_once(self, source: FileInMemory) -> None:
        def progress(done: int, total: int) -> None:
            self.visited = done
            self.watch(done, total)

        epochs = self.learner.settings.epochs
        how: dict[str, Any] = {"passes": epochs, "seed": self.seed, "visited": self.visited, "n_jobs": self.n_jobs}
        self.learner.learn(*source.all, example_weights(self.weights, source.all.labels), **how, progress=progress)
        self.visited = epochs * len(source.all.rows)

    def _block_by_block(self, source: FileStream) -> None:
        epochs = self.learner.settings.epochs
        total = epochs * source.size if source.size else None
        before = 0  # examples in the file up to here, over all epochs
        for _ in range(epochs):
            for block in source.blocks():
                self._check_head(source)
                if before + len(block.rows) > self.visited:
                    self._block(block, before, total)
                before += len(block.rows)
        if self.visited > before:
            raise ValueError(f"{source} holds {before} examples in {epochs} epochs, {self.visited} were learned before")

    def _check_head(self, source: FileStream) -> None:
        """What was learned before is skipped, so it must be the same."""
        found = source.head(self.visited)
        if found is None or self.head is None:
            return
        if found != self.head:
            raise ValueError(
                f"{source} does not begin with the examples that the checkpoint was learning from: --resume continues "
                "with the same file; `--init MODEL` continues from a model with other data"
            )
        self.head = None

    def _block(self, block: Block, before: int, total: int | None) -> None:
        def progress(done: int, _: int) -> None:
            self.visited = before + done
            self.watch(before + done, total)

        self.learner.ensure_begun(block.rows)  # a checkpoint may be written before the first example
        progress(self.visited - before, 0)
        factors = example_weights(self.weights, block.labels)
        self.learner.learn(*block, factors, visited=self.visited - before, stream=True, progress=progress)
        self.visited = before + len(block.rows)
