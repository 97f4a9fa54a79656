"""The role that a text itself gives a person: *the applicant*, of "Ms Ida Brandt (“the applicant”)"."""

from __future__ import annotations

import re
from functools import lru_cache

_STATED = re.compile(
    r"\s*[,(]?\s*\(?\s*(?:hereinafter|hereafter)?,?\s*[“\"‘'«„](?P<role>the [a-z]+(?: [a-z]+)?)[”\"’'»“]\s*\)"
)


def stated_role(text: str, end: int) -> str | None:
    """What the text calls the person whose name ends here, where it says so right there and of nobody else."""
    match = _STATED.match(text, end)
    if match is None:
        return None
    role = match["role"].removeprefix("the ")
    return role if _stated(text).count(role) == 1 and not _is_plural(role) else None


@lru_cache(maxsize=8)
def _stated(text: str) -> tuple[str, ...]:
    return tuple(match["role"].removeprefix("the ") for match in _STATED.finditer(text))


def _is_plural(role: str) -> bool:
    return role.endswith("s") and not role.endswith("ss")
