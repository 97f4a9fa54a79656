"""Keeping what functions say of texts: of the last short ones, of fewer long ones, or without keeping the texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache, wraps
from hashlib import blake2b
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

LONG = 50_000
"""Characters; a text with more is a long one."""
PARAGRAPHS = 2**17
"""So many paragraphs are kept of: those of a text of 10 to 50 MB, in some 30 MB."""
_BATCH = 64
"""Texts that a batch has at most."""

T = TypeVar("T")
Others = ParamSpec("Others")

_kept_of_long_texts: list[list[Any]] = []
_forgetting: list[Callable[[], None]] = []


def forget_long_texts() -> None:
    """Give up what ``cache_by_text`` keeps of long texts: between steps that read other texts, or ask other things.

    In all threads: another one that is at work on a long text makes again what it asks for again.
    """
    for kept in _kept_of_long_texts:
        kept.clear()


def forget_texts() -> None:
    """Give up everything that is kept under a text or a part of one: when a run ends, no original stays in memory."""
    forget_long_texts()
    for forget in _forgetting:
        forget()


def remember_in_run(most: int) -> Callable[[Callable[Others, T]], Callable[Others, T]]:
    """``lru_cache`` for a function whose arguments hold a text, or a part of one: until ``forget_texts``."""

    def decorate(function: Callable[Others, T]) -> Callable[Others, T]:
        cached = lru_cache(maxsize=most)(function)
        _forgetting.append(cached.cache_clear)
        return cast(Callable[Others, T], cached)

    return decorate


def cache_by_text(
    results: int, *, of_long_texts: int = 1
) -> Callable[[Callable[Concatenate[str, Others], T]], Callable[Concatenate[str, Others], T]]:
    """Keep the last results of a function whose first argument is a text, and of long texts so many.

    Several releases of a long text, with what is known of each, would take many times its memory.
    """

    def decorate(function: Callable[Concatenate[str, Others], T]) -> Callable[Concatenate[str, Others], T]:
        of_usual_text = lru_cache(maxsize=results)(function)
        last: list[tuple[Any, T]] = []
        _kept_of_long_texts.append(last)
        _forgetting.append(of_usual_text.cache_clear)

        @wraps(function)
        def cached(text: str, /, *others: Others.args, **named: Others.kwargs) -> T:
            if len(text) <= LONG:
                return of_usual_text(text, *others, **named)  # type: ignore[arg-type]  # which are hashable
            key = (text, others, named)
            for known, result in last[:]:
                if known == key:
                    return result
            del last[of_long_texts - 1 :]  # before the next is made
            result = function(text, *others, **named)
            last.insert(0, (key, result))
            return result

        return cached

    return decorate


remember_by_text = cache_by_text(_BATCH, of_long_texts=2)
"""For what detectors ask about a text: they read all documents of a batch, original and folded, before it is merged."""


def remember_by_digest(most: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Keep what a function says of many short texts, without the texts. Where there are more, it begins anew."""

    missing = object()

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        known: dict[bytes, T] = {}

        @wraps(function)
        def remembered(text: str) -> T:
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            kept = known.get(digest, missing)
            if kept is not missing:
                return cast(T, kept)
            result = function(text)
            if len(known) >= most:
                known.clear()
            known[digest] = result
            return result

        return remembered

    return decorate


class HashedOnce(tuple[T, ...]):
    """A tuple whose hash is kept: for a long one that is an argument of a function that keeps its results."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return HashedOnce, (tuple(self),)  # hashes of strings differ from process to process
