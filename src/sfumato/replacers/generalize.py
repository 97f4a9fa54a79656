"""The replacer ``generalize``: the most specific true generalization from which the original is not guessed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from sfumato import registry
from sfumato.annotated_text import read_once
from sfumato.attacks.inference import GUESSES, ChatGuesser, Guesser
from sfumato.document import Document, Edit, LazyEdits, Span
from sfumato.errors import RecipeError, suggest
from sfumato.generalize.clauses import is_bound_of_time, may_widen_mention
from sfumato.generalize.hierarchy import WITHOUT_HIERARCHY, Level, Mention, generalize, is_ruled_out
from sfumato.generalize.places.countries import stating_country
from sfumato.lexicon.grammar import lemma
from sfumato.lexicon.name_lists import common_words, demonyms, family_names, given_names, groups, places
from sfumato.lexicon.tables import table_lines
from sfumato.llm.chat import Chat
from sfumato.llm.usage import CountsUsage, Usage
from sfumato.replacers.base import (
    EntityKey,
    PendingDocument,
    detection_reason,
    entity_key,
    language_of,
    numbered_label,
)
from sfumato.replacers.select import (
    DEFAULT_PROMPT,
    NO_MENTIONS,
    ChatCandidates,
    DisclosureFilter,
    EntityCandidates,
    LevelAssignment,
    Replacement,
    UserHierarchy,
    candidate_levels,
    is_known_unfit,
    select_least_specific,
    select_under_attack,
)
from sfumato.vault.ledger import Ledger

# Edits of an assignment, each with the less specific alternatives.
#
# The mentions of one entity line up: the i-th alternative of each of them has the same level, so that a thing that is
# generalized further is generalized everywhere. Where that level is not grammatical at a mention, the mention takes the
# next one that is, twice or more if need be. Levels at which no mention would change are left out. The last alternative
# is the numbered label; a mention that has the label already has no alternatives.


def make_edits(assignment: LevelAssignment, spans: Sequence[Span]) -> list[Edit]:
    """An edit for each span of the assignment, in the order of the spans."""
    make_alternatives = _Alternatives(assignment, spans).of_mention
    edits: dict[int, Edit] = {}
    for entity in assignment.entities:
        for index in entity.mentions:
            replacement = assignment.replacement(index)
            alternatives = () if replacement.level is None else LazyEdits(make_alternatives, index)
            edits[index] = _edit(entity, index, spans[index], replacement, alternatives)
    assignment.forget_replacements()  # the edits say it all, and a caller may keep those of a whole corpus
    return [edits[index] for index in range(len(spans))]


class _Alternatives:
    """The less specific alternatives of a document's edits."""

    def __init__(self, assignment: LevelAssignment, spans: Sequence[Span]) -> None:
        self._assignment, self._spans = assignment, spans
        self._levels: dict[int, list[int]] = {}
        """By the first mention of an entity, the levels of its alternatives."""

    def of_mention(self, index: int) -> tuple[Edit, ...]:
        assignment, entity = self._assignment, self._assignment.entity(index)
        first = entity.mentions[0]
        if first not in self._levels:
            self._levels[first] = _higher_levels(assignment, entity)
        replacements = [assignment.replacement_at(index, level) for level in self._levels[first]]
        return tuple(_edit(entity, index, self._spans[index], replacement) for replacement in replacements)


def _higher_levels(assignment: LevelAssignment, entity: EntityCandidates) -> list[int]:
    """The levels above the entity's own that change a mention; one past the last candidate is the label."""
    indexes = [index for index in entity.mentions if assignment.replacement(index).level is not None]
    levels = range(entity.level, len(entity.candidates) + 1)
    rendered = [[assignment.replacement_at(index, level).rendered for index in indexes] for level in levels]
    return [level for level, (before, now) in zip(levels[1:], pairwise(rendered), strict=True) if now != before]


def _edit(
    entity: EntityCandidates, index: int, span: Span, replacement: Replacement, alternatives: Sequence[Edit] = ()
) -> Edit:
    rendered = replacement.rendered
    where = span.moved(rendered.start, rendered.end)
    reasons = (detection_reason(span), *entity.guessed)
    if replacement.level is None:
        chosen = "label"
        if entity.candidates and index not in entity.labelled:
            chosen = "label: no candidate is left"
        elif entity.candidates and not is_direct(span):
            chosen = "label: nothing wider is true here"
        return Edit(where, rendered.text, (*reasons, chosen))
    level = replacement.level + 1
    chosen = f"level {level} of {len(entity.candidates)} ({entity.candidates[replacement.level].source})"
    return Edit(where, rendered.text, (*reasons, chosen), level, alternatives)


# The entities of a document.

FREQUENT_WORDS = 1000
"""So many of a language's most used words disclose nothing: replacing a court by a court gives no court away."""


def mentions_of(document: Document, spans: Sequence[Span]) -> list[Mention]:
    """The spans in their document."""
    language = language_of(document)
    order = document.meta.get("date_order")
    return [Mention(document.text, span.start, span.end, span.label, language, order) for span in spans]


def group_by_entity(document: Document, spans: Sequence[Span]) -> dict[EntityKey, list[int]]:
    """The indexes of the spans of each entity, by the entity's key."""
    groups: dict[EntityKey, list[int]] = defaultdict(list)
    for index, span in enumerate(spans):
        groups[entity_key(document, span)].append(index)
    return dict(groups)


@cache
def most_used_lemmas(language: str, most: int = FREQUENT_WORDS) -> frozenset[str]:
    """The lemmas of a language's most used words; of one without a table, of English."""
    from sfumato.models.table_scorers import FREQUENCY_LANGUAGES, frequencies

    language = language if language in FREQUENCY_LANGUAGES else "en"
    lemmas = table_lines(f"{language}/frequent_lemmas")
    if most <= len(lemmas):
        return frozenset(lemmas[:most])
    rarity = frequencies(language)
    return frozenset(lemma(word, language) for word in sorted(rarity, key=lambda word: (rarity[word], word))[:most])


@cache
def most_used_words(language: str, most: int = FREQUENT_WORDS) -> frozenset[str]:
    """Those of ``most_used_lemmas`` that are no names. However common, London, American and John tell who is meant."""
    names = given_names().keys() | family_names() | places()
    peoples = demonyms() | groups()

    def is_name(word: str) -> bool:
        return bool({word, word.capitalize()} & peoples) or (word in names and word not in common_words())

    return frozenset(word for word in most_used_lemmas(language, most) if not is_name(word))


def is_direct(span: Span) -> bool:
    """Whether it names someone by itself, so that a label stands in its place."""
    return span.label in WITHOUT_HIERARCHY or span.identifier == "direct"


def stated_roles(mentions: Sequence[Mention], indexes: Sequence[int]) -> tuple[tuple[Level, ...], frozenset[int]]:
    """The role that the text states for a person, and the mentions that keep the label because it is stated there."""
    if mentions[0].label != "PERSON":
        return (), NO_MENTIONS
    stated = [_stated_role(mention.text, mention.end) for mention in mentions]
    roles = {role for role in stated if role}
    if len(roles) != 1:
        return (), NO_MENTIONS
    level = Level(roles.pop(), 1.0, "the", source="role stated in the text")
    return (level,), frozenset(index for index, role in zip(indexes, stated, strict=True) if role)


_QUOTED_ROLE = re.compile(r"[“\"‘'«„](?P<role>the [a-z]+(?: [a-z]+)?)[”\"’'»“]\s*\)")
_STATED_ROLE = re.compile(
    r"\s*+[,(]?+\s*+\(?+\s*+(?:hereinafter|hereafter)?+,?+\s*+" + _QUOTED_ROLE.pattern,
)


def _stated_role(text: str, end: int) -> str | None:
    """The role that the text gives the person whose name ends at ``end``, and nobody else: (“the applicant”)."""
    match = _STATED_ROLE.match(text, end)
    if match is None:
        return None
    role = match["role"].removeprefix("the ")
    is_plural = role.endswith("s") and not role.endswith("ss")
    return role if _all_stated_roles(text).count(role) == 1 and not is_plural else None


@read_once
def _all_stated_roles(text: str) -> tuple[str, ...]:
    return tuple(match["role"].removeprefix("the ") for match in _QUOTED_ROLE.finditer(text))


# The replacer.

SELECTIONS = ("under-attack", "most-specific", "least-specific")
CANDIDATE_SOURCES = ("hierarchies", "chat", "both")


class Generalize:
    """Put the most specific true generalization from which the original is not guessed; label direct identifiers."""

    cite: ClassVar[str | None] = "pilan2025"
    uses: ClassVar[tuple[str, ...]] = ("ledger", "chat")

    @staticmethod
    def needs_chat(options: Mapping[str, Any]) -> bool:
        """Only where its options ask for a language model's candidates or guesses."""
        return options.get("candidates", "hierarchies") != "hierarchies" or options.get("guesser") == "chat"

    def __init__(
        self,
        *,
        ledger: Ledger,
        choose: str = "under-attack",
        guesser: str | Guesser = "hierarchy",
        guesses: int = GUESSES,
        tables: Sequence[str | Path] = (),
        frequent: int | Collection[str] = FREQUENT_WORDS,
        chat: Chat | None = None,
        candidates: str = "hierarchies",
        prompt: str | Path = DEFAULT_PROMPT,
    ) -> None:
        """Options of the recipe.

        ``choose``: "under-attack", "most-specific" or "least-specific". ``guesser``: the attack, by name or an object.
        ``tables``: the user's own hierarchies. ``frequent``: how many of a language's most used words original and
        level may share, or the lemmas of those words; names are not among them where a chat offers or guesses.
        ``candidates``: from "hierarchies", from the "chat" (dates that a hierarchy reads from hierarchies all the
        same), or from "both". ``prompt``: the prompt for a chat's candidates, a file with the keys of
        prompts/generalize.toml.
        """
        if choose not in SELECTIONS:
            raise RecipeError(f"no choice {choose!r}: {suggest(choose, SELECTIONS)}")
        if not isinstance(guesses, int) or guesses < 1:
            raise RecipeError(f"guesses must be 1 or more; got {guesses!r}")
        if candidates not in CANDIDATE_SOURCES:
            raise RecipeError(f"no source of candidates {candidates!r}: {suggest(candidates, CANDIDATE_SOURCES)}")
        if candidates != "hierarchies" and chat is None:
            raise registry.no_chat(f"candidates = {candidates!r}")
        self._ledger = ledger
        self._choose = choose
        self._guesses = guesses
        self._tables = [UserHierarchy(path) for path in ([tables] if isinstance(tables, str | Path) else tables)]
        self._guesser = _create_guesser(guesser, chat) if isinstance(guesser, str) else guesser
        self._frequent = frequent
        self._asks_chat = candidates != "hierarchies" or isinstance(self._guesser, ChatGuesser)
        self._generalize = dates_only if candidates == "chat" else generalize
        self._chat = ChatCandidates(chat, prompt) if chat and candidates != "hierarchies" else None
        self._offered: dict[tuple[str, str], dict[EntityKey, list[Level]]] = {}

    @property
    def usage(self) -> Usage | None:
        """What a model was asked: for candidates, and for guesses where it is the guesser. None: there is none."""
        parts = [part for part in (self._chat, self._guesser) if isinstance(part, CountsUsage)]
        asked = [usage for part in parts if (usage := part.usage) is not None]
        return sum(asked, start=Usage()) if asked else None

    def prepare(self, batch: Sequence[PendingDocument]) -> None:
        """Ask for the candidates of several documents at once, where a model is asked."""
        self._offered = {}
        if self._chat is None:
            return
        asked: list[tuple[dict[EntityKey, list[Level]], EntityKey, Mention]] = []
        for document, spans, _ in batch:
            mentions = mentions_of(document, spans)
            offers = self._offered[document.id, document.text] = {}
            for key, group in group_by_entity(document, spans).items():
                offers[key] = []
                if not any(is_direct(spans[index]) for index in group) and not dates_only(mentions[group[0]]):
                    asked.append((offers, key, mentions[group[0]]))
        offered = self._chat.offer([mention for *_, mention in asked])
        for (offers, key, mention), levels in zip(asked, offered, strict=True):
            offers[key] = [level for level in levels if not is_known_unfit(mention, level.text)]

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        with stating_country(document.meta.get("country")):
            return self._replace(document, spans)

    def _replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        mentions = mentions_of(document, spans)
        language = mentions[0].language if mentions else "en"
        disclosure = DisclosureFilter.of(mentions, self._frequent_lemmas(language), language)
        assignment = LevelAssignment(document.text, mentions, self._entities(document, spans, mentions, disclosure))
        if self._choose == "under-attack":
            select_under_attack(assignment, self._guesser, self._guesses, disclosure)
        elif self._choose == "least-specific":
            select_least_specific(assignment)
        return make_edits(assignment, spans)

    def _entities(
        self, document: Document, spans: Sequence[Span], mentions: Sequence[Mention], disclosure: DisclosureFilter
    ) -> list[EntityCandidates]:
        groups = group_by_entity(document, spans)
        if self._chat and groups.keys() - self._offered.get((document.id, document.text), {}).keys():
            self.prepare([PendingDocument(document, spans, spans)])
        offered = self._offered.get((document.id, document.text), {})
        entities = []
        for key, group in groups.items():
            entity_mentions = [mentions[index] for index in group]
            labelled = NO_MENTIONS
            if any(is_direct(spans[index]) for index in group) and not self._has_user_levels(entity_mentions):
                levels, labelled = stated_roles(entity_mentions, group)
            else:
                offers = offered.get(key, ())
                levels = candidate_levels(entity_mentions, self._tables, disclosure, offers, self._generalize)
                if levels:
                    labelled = frozenset(index for index in group if _is_untrue(mentions[index], levels[0]))
            label = numbered_label(self._ledger, document, spans[group[0]])
            entities.append(EntityCandidates(tuple(group), levels, label, labelled))
        return entities

    def _has_user_levels(self, mentions: Sequence[Mention]) -> bool:
        """Whether the user's tables say what may stand there; people and codes are labels all the same."""
        return mentions[0].label not in WITHOUT_HIERARCHY and any(
            table.levels(mention) for table in self._tables for mention in mentions
        )

    def _frequent_lemmas(self, language: str) -> frozenset[str]:
        if isinstance(self._frequent, int):
            return (most_used_words if self._asks_chat else most_used_lemmas)(language, self._frequent)
        return frozenset(self._frequent)


def _is_untrue(mention: Mention, level: Level) -> bool:
    """Whether a level that is true of an entity is not where this mention of it stands."""
    if not may_widen_mention(mention) or is_ruled_out(mention, level):
        return True
    is_bound = mention.label == "DATETIME" and is_bound_of_time(mention.text, mention.start, mention.language)
    return is_bound and level not in generalize(mention)


def dates_only(mention: Mention) -> Sequence[Level]:
    """The hierarchy of a date; else none. Pilán et al. (2025) generalize dates by rule, and ask for the rest."""
    return generalize(mention) if mention.label == "DATETIME" else ()


def _create_guesser(guesser: str, chat: Chat | None) -> Guesser:
    plugin = registry.get("guesser", guesser)
    if isinstance(plugin, registry.NeedsBackground) and plugin.needs_background:
        raise RecipeError(
            f"the guesser {guesser!r} learns from a background, which a recipe has none of: fit one and give it "
            "through the library, Generalize(guesser=...)"
        )
    created: Guesser = registry.create("guesser", guesser, {}, chat=chat)
    return created
