"""The types of the arrays that compiled functions take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Uint8s = NDArray[np.uint8]
Int32s = NDArray[np.int32]
Uint32s = NDArray[np.uint32]
Int64s = NDArray[np.int64]
