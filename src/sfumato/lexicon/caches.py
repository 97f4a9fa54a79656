"""Keeping what functions say of phrases of a text, until the run ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

T = TypeVar("T")
Others = ParamSpec("Others")

_forgetting: list[Callable[[], None]] = []


def forget_texts() -> None:
    """Give up everything that is kept under a part of a text: when a run ends, no original stays in memory."""
    for forget in _forgetting:
        forget()


def remember_in_run(most: int) -> Callable[[Callable[Others, T]], Callable[Others, T]]:
    """``lru_cache`` for a function whose arguments hold a text, or a part of one: until ``forget_texts``."""

    def decorate(function: Callable[Others, T]) -> Callable[Others, T]:
        cached = lru_cache(maxsize=most)(function)
        _forgetting.append(cached.cache_clear)
        return cast(Callable[Others, T], cached)

    return decorate
