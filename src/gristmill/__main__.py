"""python -m gristmill."""

from gristmill.cli import main

main()
