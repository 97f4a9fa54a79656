"""Weights in 8 bits, for ways that carry only small files; ``training.encoder.load_weights`` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def in_eight_bits(weights: Mapping[str, NDArray[Any]]) -> Arrays:
    """Matrices as 8-bit numbers with one scale a row (see ``training.encoder.load_weights``), the rest in 16 bits."""
    packed: Arrays = {}
    for name, value in weights.items():
        if value.ndim != 2:
            packed[name] = value.astype(np.float16)
            continue
        value = value.astype(np.float32)  # the least scale is nothing in half precision
        scale = np.maximum(np.abs(value).max(1), 1e-8) / 127
        # In the order of rows: files are written in the order of memory, and a matrix may have been turned.
        packed[name] = np.ascontiguousarray(np.round(value / scale[:, None]).astype(np.int8))
        packed[f"{name}.scale"] = scale.astype(np.float32)
    return packed
