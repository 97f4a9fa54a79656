"""Put a level into the sentence where a mention stood: article, preposition, number, capital, possessive.

``fit`` says which range of the original text is replaced and by what. The range covers the mention; it is wider where
an article or a preposition before it, or a possessive ending or a doubled noun after it, no longer fits. ``fits`` says
whether the sentence stays grammatical: where it does not, the next level may.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sfumato.generalize.context import (
    Substitution,
    TrimmedMention,
    begins_sentence,
    is_line_in_capitals,
    trim_mention,
    word_before,
)
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.sentence_en import render_english
from sfumato.generalize.sentence_es import render_spanish
from sfumato.lexicon.grammar_en import indefinite_article, word_classes

Room = tuple[int, int]

_POSSESSIVE = re.compile(r"(?<=s)['’]\Z|['’]s\Z")


@dataclass(frozen=True, slots=True)
class RenderedText:
    """``text`` stands in place of ``original[start:end]``."""

    start: int
    end: int
    text: str


def render_level(level: Level, mention: Mention, room: Room | None = None) -> RenderedText:
    """The level as it stands in the mention's place. ``room`` is the widest range that may be replaced."""
    edges = trim_mention(mention)
    return _finished(_draft(level, mention, edges, _limits(mention, room)), mention, edges)


def is_grammatical(level: Level, mention: Mention, room: Room | None = None) -> bool:
    """Whether ``fit`` finds a grammatical form: no "the large city in England office", no "Mr the applicant"."""
    return _draft(level, mention, trim_mention(mention), _limits(mention, room)).sound


def render_label(label: str, mention: Mention, room: Room | None = None) -> RenderedText:
    """A numbered label in the mention's place; a possessive ending stays, "a" and "an" before it agree."""
    edges = trim_mention(mention)
    start, text = edges.start, label
    if mention.language == "en":
        word, begin = word_before(mention.text, edges.start)
        article = indefinite_article(label)
        wrong = word.lower() in ("a", "an") and word.lower() != article
        if wrong and edges.start == mention.start and begin >= _limits(mention, room)[0]:
            start, text = begin, f"{article.capitalize() if word[0].isupper() else article} {label}"
    ending = edges.possessive and (edges.possessive if len(edges.possessive) > 1 else edges.possessive + "s")
    return _placed(Substitution(start, edges.end, text, ending), mention)


def _draft(level: Level, mention: Mention, edges: TrimmedMention, room: Room) -> Substitution:
    # Some levels come with the ending and the signs at the edges that their original had; these are put back anyway.
    bare = level.text.removeprefix(edges.before.strip()).removesuffix(edges.after.strip())
    bare = _POSSESSIVE.sub("", bare) or level.text
    if bare != level.text:
        level = replace(level, text=bare)
    if mention.language == "es":
        return render_spanish(level, mention, edges, room)
    if mention.language == "en":
        return render_english(level, mention, edges, room)
    return Substitution(edges.start, edges.end, level.text, edges.possessive)


def _limits(mention: Mention, room: Room | None) -> Room:
    if room is None:
        return 0, len(mention.text)
    return min(room[0], mention.start), max(room[1], mention.end)


def _finished(draft: Substitution, mention: Mention, edges: TrimmedMention) -> RenderedText:
    """The draft with its capital."""
    if is_line_in_capitals(mention.text, draft.start, draft.end):
        draft = replace(draft, text=draft.text.upper(), possessive=draft.possessive.upper())
    elif _begins(draft.start, mention, edges):
        draft = replace(draft, text=draft.text[:1].upper() + draft.text[1:])
    return _placed(draft, mention)


def _begins(start: int, mention: Mention, edges: TrimmedMention) -> bool:
    """Whether what is put here begins with a capital: as the word that stood here did for its place, not as a name."""
    text = mention.text
    first = text[start : start + 1]
    if start < edges.start or first.islower():
        return first.isupper()
    if mention.label == "DEM" and first.isupper() and text[max(0, start - 3) : start].rstrip().endswith(":"):
        return text[start : edges.end].partition(" ")[0].lower() in word_classes()
    return begins_sentence(text, start)


def _placed(draft: Substitution, mention: Mention) -> RenderedText:
    """The draft with its possessive ending, the signs at the mention's edges, and a space where a word was cut."""
    text = mention.text
    body = draft.text + draft.possessive
    start, end = draft.start, draft.end
    if start >= mention.start:
        body = text[mention.start : start] + body
        start = mention.start
    if end <= mention.end:
        body += text[end : mention.end]
        end = mention.end
    if start and text[start - 1].isalnum() and body[:1].isalnum():
        body = " " + body
    if text[end : end + 1].isalnum() and body[-1:].isalnum():
        body += " "
    return RenderedText(start, end, body)
