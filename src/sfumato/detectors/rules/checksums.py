"""Check digits, by python-stdnum."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any


def checker(module: str) -> Callable[[str], bool]:
    """The validity test of one stdnum module, which is imported when it is first asked."""

    def is_valid(number: str) -> bool:
        return bool(_module(module).is_valid(number))

    return is_valid


@cache
def _module(name: str) -> Any:
    return importlib.import_module(f"stdnum.{name}")
