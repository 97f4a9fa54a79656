"""The plug-ins of a recipe, made ready, with the language model that some of them ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato import registry
from sfumato.models.chat import Chat, Spent
from sfumato.recipe import Choice, Recipe
from sfumato.vault.ledger import Ledger


class Staff:
    """Makes plug-ins as a recipe chooses them, and knows what those that ask have cost."""

    def __init__(self, recipe: Recipe, chat: Chat | None, dial: Mapping[str, Any], ledger: Ledger) -> None:
        """``chat``: the language model, else the one that the recipe names. ``dial``: what options may change."""
        self._dial, self._ledger = dial, ledger
        self._chat = chat if chat is not None else _named_in(recipe)
        self._made: dict[tuple[str, str], tuple[str, Any]] = {}
        """By kind and choice: its name, and the plug-in."""

    def get(self, kind: str, choice: Choice) -> Any:
        """The plug-in; chosen twice with the same options, it is made once."""
        key = (kind, choice.model_dump_json())
        if key not in self._made:
            plugin = registry.create(
                kind, choice.use, choice.options, defaults=self._dial, ledger=self._ledger, chat=self._chat
            )
            self._made[key] = choice.use, plugin
        return self._made[key][1]

    @property
    def spent(self) -> dict[str, Spent]:
        """What each plug-in that asks has cost so far, by its name."""
        found: dict[str, Spent] = {}
        for name, plugin in self._made.values():
            spent = getattr(plugin, "spent", None)
            if isinstance(spent, Spent):
                found[name] = found.get(name, Spent()) + spent
        return found

    @property
    def remarks(self) -> list[str]:
        """What plug-ins have to say of a run as a whole (their ``remarks``), each thing once."""
        said = [remark for _, plugin in self._made.values() for remark in getattr(plugin, "remarks", ())]
        return list(dict.fromkeys(said))


def _named_in(recipe: Recipe) -> Chat | None:
    if recipe.chat is None or not recipe.asking:
        return None
    from sfumato.models.chat.open import open_chat

    return open_chat(recipe.chat)
