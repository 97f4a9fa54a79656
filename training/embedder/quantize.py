"""Matrices as bytes with one scale a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def rows_to_bytes(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """``bytes * scale[:, None]`` is the matrix to within half a scale; a row of zeros has scale 0."""
    scale = (np.abs(matrix).max(1) / 127).astype(np.float32)
    safe = np.where(scale > 0, scale, 1)[:, None]
    return np.rint(matrix / safe).astype(np.int8), scale
