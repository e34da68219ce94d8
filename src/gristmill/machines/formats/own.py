"""Our own format, see gristmill.machines.store."""

from __future__ import annotations

from gristmill.kernels import Kernel
from gristmill.machines.store import from_bytes as read
from gristmill.machines.store import to_bytes as write

__all__ = ["KERNELS", "NAME", "TITLE", "read", "sniff", "write"]

NAME = "gristmill"
TITLE = "gristmill safetensors"
KERNELS = (Kernel,)


def sniff(head: bytes) -> bool:
    """Eight bytes of header length, then the JSON header of a safetensors file."""
    return head[8:9] == b"{" and (b'"__metadata__"' in head or b'"dtype"' in head)
