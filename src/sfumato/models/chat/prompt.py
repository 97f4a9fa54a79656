"""A prompt as a data file: versioned, named in every result, replaceable by the user."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import RecipeError
from sfumato.models.chat.base import Message, Request

_BLANK = re.compile(r"\{([a-z_]+)\}")
_WRITTEN: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "version": int,
    "user": str,
    "temperature": (int, float),
    "max_tokens": int,
}
_KNOWN = {*_WRITTEN, "system", "example_user", "example_answer", "example", "fields"}


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told, with {blanks} for what it is asked about."""

    name: str
    """The file's name and version; of a user's own file also a digest of its content."""
    user: str
    temperature: float
    max_tokens: int
    system: str = ""
    example: tuple[str, str] | None = None
    """A question and its answer, shown as an earlier turn."""
    examples: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Examples by type, where a file has one for each."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What else the file holds for the method that reads it."""

    @classmethod
    def load(cls, path: str | Path, blanks: Collection[str] = (), *, own: Path | None = None) -> Prompt:
        """A prompt from a TOML file with the keys of ours; ``blanks``: those that the question must have.

        ``own``: the folder of the shipped ones. A file from elsewhere is named with a digest of its content.
        """
        path = Path(path)
        try:
            content = path.read_bytes()
            written: dict[str, Any] = tomllib.loads(content.decode("utf-8"))
        except (OSError, ValueError) as error:
            raise RecipeError(f"prompt {path} cannot be read ({type(error).__name__}): name a TOML file") from None
        _check(path, written, blanks)
        name = f"{written['name']}@{written['version']}"
        if own is not None and path.parent != own:
            name += f"#{hashlib.sha256(content).hexdigest()[:8]}"
        shown = (written["example_user"], written["example_answer"]) if "example_user" in written else None
        return cls(
            name,
            written["user"],
            float(written["temperature"]),
            written["max_tokens"],
            written.get("system", ""),
            shown,
            {key: (one["user"], one["answer"]) for key, one in written.get("example", {}).items()},
            written.get("fields", {}),
        )

    def request(
        self, blanks: Mapping[str, str], *, example: str | None = None, schema: Mapping[str, Any] | None = None
    ) -> Request:
        """The question with its blanks filled in, after the instructions and the example (the one of a type)."""
        shown = self.examples[example] if example is not None else self.example
        turns = [Message("system", self.system.strip())] if self.system else []
        if shown is not None:
            turns += [Message("user", shown[0].strip()), Message("assistant", shown[1].strip())]
        turns.append(Message("user", filled(self.user, blanks)))
        return Request(tuple(turns), self.temperature, self.max_tokens, schema=schema)

    @property
    def size(self) -> int:
        """Characters of everything but what fills the blanks."""
        examples = [self.example or ("", ""), *self.examples.values()]
        return len(self.system) + len(self.user) + max(len(user) + len(answer) for user, answer in examples)


def filled(template: str, blanks: Mapping[str, str]) -> str:
    """A question with its {blanks} filled in; {fence} marks off texts by a line that none of them can know."""
    mark = hashlib.sha256("\0".join(blanks.values()).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    values = {**blanks, "fence": f"=== {mark}"}
    # One pass: a blank that stands in a document is not filled in.
    return _BLANK.sub(lambda blank: values.get(blank[1], blank[0]), template).strip()


def _check(path: Path, written: Mapping[str, Any], blanks: Collection[str]) -> None:
    for key, kind in _WRITTEN.items():
        if not isinstance(written.get(key), kind) or isinstance(written.get(key), bool):
            wanted = "a number" if isinstance(kind, tuple) else f"of type {kind.__name__}"
            raise RecipeError(f"prompt {path}: {key} must be there, {wanted}")
    if strange := set(written) - _KNOWN:
        raise RecipeError(f"prompt {path}: no key {min(strange)!r} is known; what a method adds goes under [fields]")
    if missing := set(blanks) - set(_BLANK.findall(written["user"])):
        raise RecipeError(f"prompt {path}: user lacks the blank {{{min(missing)}}}")
    if ("example_user" in written) != ("example_answer" in written):
        raise RecipeError(f"prompt {path}: example_user and example_answer belong together")
    for one in written.get("example", {}).values():
        if not isinstance(one, Mapping) or not {"user", "answer"} <= set(one):
            raise RecipeError(f"prompt {path}: each [example.TYPE] needs user and answer")
