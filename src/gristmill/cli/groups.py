"""Groups of commands that suggest the name that was meant."""

from __future__ import annotations

import difflib

import click


class CommandGroup(click.Group):
    """A group whose error for an unknown command names those that are spelled alike."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = str(args[0])
        if name.startswith("-") or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        raise click.UsageError(f"there is no command {name!r}{self._suggestion(ctx, name)}", ctx)

    def _suggestion(self, ctx: click.Context, name: str) -> str:
        close = difflib.get_close_matches(name.lower(), self.list_commands(ctx))
        if close:
            return f"; did you mean {' or '.join(map(repr, close))}?"
        return f"; there are {', '.join(self.list_commands(ctx))}"
