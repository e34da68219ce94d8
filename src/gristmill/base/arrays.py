"""Names of the array types that signatures repeat."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]  # positions in another array
Int32s = NDArray[np.int32]  # ids of features, numbers of classes
Int64s = NDArray[np.int64]  # offsets, counts
Uint32s = NDArray[np.uint32]
Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Arrays = dict[str, NDArray[Any]]
