"""Truth under quantifiers: generated sentences of known logical form, and whether what is released follows from them.

    python -m benchmarks.quantified_sentences                     # 250 sentences in each language, recipes that ship
    python -m benchmarks.quantified_sentences --sentences 60 --protect   # in short documents, through `protect`
    python -m benchmarks.quantified_sentences --list              # each false sentence

A sentence is drawn with its logical form: what it says, and of each phrase in it whether the sentence still follows
when the phrase is made wider. "Some Norwegian lives in Leeds" follows for both, "no Norwegian lives in Leeds" for
neither, "every Norwegian lives in Leeds" for the town alone. The forms are in quantified_sentences.toml. The judge
knows the form and compares what stands in the place of each phrase; it shares nothing with the reader of clauses, nor
with the hierarchies.
"""

from __future__ import annotations

import argparse
import random
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import sfumato
from sfumato.document import Release
from sfumato.statistics import wilson

RECIPES = ("default", "legal", "hipaa", "clinical", "chat", "labels", "fast", "codes", "redact")
_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
LANGUAGES = tuple(_DATA)
CONTROLS: dict[str, list[str]] = {language: data["controls"] for language, data in _DATA.items()}
FORMS: dict[str, list[str]] = {language: [*data["forms"], *data["controls"]] for language, data in _DATA.items()}
_SLOT = re.compile(r"(?P<sign>[+-])(?P<kind>people|noun|town|date|year|age|money|name)|\b(?P<noun>noun)\b")
_KINDS = ("people", "town", "date", "year", "age", "money")
"""Phrases that hierarchies read; a noun is judged too where it is changed."""
_LABEL = re.compile(r"(?:[A-Z]+_\d+|\[REDACTED\]|\[…\])")
_WIDE_PEOPLES = re.compile(r"europe|asia|africa|americ|scandinav|nordic|slavic|baltic|foreign|oriental", re.IGNORECASE)


@dataclass(frozen=True)
class Phrase:
    """A phrase of a sentence, and whether the sentence follows with a wider one."""

    start: int
    end: int
    kind: str
    may_be_wider: bool


@dataclass(frozen=True)
class Sentence:
    """A sentence and its form."""

    text: str
    language: str
    form: str
    phrases: tuple[Phrase, ...]


def draw_sentence(random_: random.Random, language: str, form: str) -> Sentence:
    """A sentence of a form, with drawn words, maybe behind another clause that changes nothing."""
    prefix = random_.choice(_DATA[language]["prefixes"])
    text, phrases, last = prefix, list[Phrase](), 0
    for slot in _SLOT.finditer(form):
        kind = slot["kind"] or "noun"
        text += form[last : slot.start()]
        words = random_.choice(_DATA[language]["words"][kind])
        if text == prefix and prefix[-2:] in ("", ". "):
            words = words[:1].upper() + words[1:]
        elif text == prefix and kind == "name":
            words = re.sub(r"^(My|The|Mi|La)\b", lambda match: match[0].lower(), words)
        if slot["sign"] and kind != "name":
            phrases.append(Phrase(len(text), len(text) + len(words), kind, slot["sign"] == "+"))
        text += words
        last = slot.end()
    text += form[last:]
    if prefix[-2:] not in ("", ". "):
        text = prefix + text[len(prefix) : len(prefix) + 1].lower() + text[len(prefix) + 1 :]
    return Sentence(text, language, form, tuple(phrases))


def draw_sentences(seed: int, count: int, language: str) -> Iterator[Sentence]:
    """Sentences of all forms in turn."""
    random_ = random.Random(f"{seed} {language}")
    forms = list(FORMS[language])
    random_.shuffle(forms)
    for number in range(count):
        yield draw_sentence(random_, language, forms[number % len(forms)])


def replaced_by(release: Release, phrase: Phrase) -> str:
    """What stands in the place of a phrase."""
    pieces, last = list[str](), phrase.start
    for edit in release.edits:
        if edit.span.end > phrase.start and edit.span.start < phrase.end:
            pieces += [release.document.text[last : max(last, edit.span.start)], edit.replacement]
            last = edit.span.end
    return "".join([*pieces, release.document.text[last : phrase.end]])


def is_wider(phrase: Phrase, original: str, now: str) -> bool:
    """Whether what stands there now says less of the same, and is no label, no invented value and no mark."""
    if not now.strip() or now == original or _LABEL.search(now):
        return False
    words = re.findall(r"[^\W\d_]{2,}", now)
    if phrase.kind == "people":
        return _WIDE_PEOPLES.search(now) is not None
    if phrase.kind == "year":
        return re.search(r"\d0s\b|década|century|siglo", now) is not None
    if phrase.kind == "date":
        return len(re.findall(r"\d+", now)) < 2  # a shifted date has day and year
    if phrase.kind == "town":
        return any(word.islower() for word in words if word not in ("de", "la", "del", "upon", "on", "sur", "in"))
    if phrase.kind in ("age", "money"):
        numbers = re.findall(r"\d[\d.,]*", now)
        return (
            len(numbers) != 1
            or re.search(r"\b(?:than|de|over|under|least|m[áa]s|menos|aged|entre)\b|\+", now) is not None
        )
    return now.casefold() != original.casefold()


@dataclass
class Result:
    """Counts of phrases: widened though that is false, and widened where it is true."""

    sentences: int = 0
    refused: int = 0
    false: list[tuple[str, str]] = field(default_factory=list)
    false_sentences: int = 0
    widened: Counter[str] = field(default_factory=Counter)
    controls: Counter[str] = field(default_factory=Counter)


def judge(sentence: Sentence, release: Release, result: Result, offset: int = 0) -> None:
    """Add a sentence to the counts; ``offset``: where it begins in the document."""
    result.sentences += 1
    is_false = False
    for phrase in sentence.phrases:
        moved = Phrase(phrase.start + offset, phrase.end + offset, phrase.kind, phrase.may_be_wider)
        wider = is_wider(phrase, sentence.text[phrase.start : phrase.end], replaced_by(release, moved))
        if phrase.may_be_wider and phrase.kind in _KINDS:
            result.controls[phrase.kind] += 1
            result.widened[phrase.kind] += wider
        elif wider and not phrase.may_be_wider:
            is_false = True
    if is_false:
        result.false_sentences += 1
        result.false.append((sentence.text, release.text[:400]))


def measure(recipe: str, sentences: Sequence[Sentence]) -> Result:
    """One recipe on sentences, each a document."""
    result = Result()
    for sentence in sentences:
        try:
            release = sfumato.anonymize(sentence.text, recipe=recipe)
        except sfumato.SfumatoError:
            result.refused += 1
            continue
        judge(sentence, release, result)
    return result


def measure_protect(seed: int, count: int) -> Result:
    """``protect`` on short documents, each with one sentence of a form in English."""
    random_ = random.Random(seed)
    result = Result()
    sentences = list(draw_sentences(seed, count, "en"))
    documents, offsets = [], []
    for number, sentence in enumerate(sentences):
        other = " ".join(draw_sentence(random_, "en", form).text for form in random_.sample(CONTROLS["en"], 3))
        before = f"Letter {number}. {other}\n\n"
        offsets.append(len(before))
        documents.append(sfumato.Document(f"person-{number}", f"{before}{sentence.text}\n\nYours, P."))
    background = [
        sfumato.Document(document.id, document.text[offset:])
        for document, offset in zip(documents, offsets, strict=True)
    ]
    protection = sfumato.protect(documents, background, k=5)
    by_id = {document.id: number for number, document in enumerate(documents)}
    for each in (*protection.released, *protection.withheld):
        release = getattr(each, "release", None)
        if release is None:
            result.refused += 1
            continue
        number = by_id[release.document.id]
        judge(sentences[number], release, result, offsets[number])
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line for each recipe; 1 where a sentence is false."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=250, help="in each language")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recipe", action="append", help="a recipe; else all that ship and need no model")
    parser.add_argument("--protect", action="store_true", help="`protect` in place of recipes")
    parser.add_argument("--list", action="store_true", help="show each sentence that is false")
    options = parser.parse_args(arguments)
    failures = 0
    if options.protect:
        results = {"protect": measure_protect(options.seed, options.sentences)}
    else:
        drawn = [each for language in FORMS for each in draw_sentences(options.seed, options.sentences, language)]
        results = {recipe: measure(recipe, drawn) for recipe in options.recipe or RECIPES}
    for name, result in results.items():
        low, high = wilson(result.false_sentences, result.sentences)
        controls, widened = sum(result.controls.values()), sum(result.widened.values())
        kinds = ", ".join(f"{kind} {result.widened[kind]}/{n}" for kind, n in sorted(result.controls.items()))
        print(
            f"{name:10} {result.false_sentences} of {result.sentences} sentences widened falsely "
            f"[{low:.1%}-{high:.1%}], {result.refused} withheld; of {controls} controls "
            f"{widened} stay generalized ({kinds})"
        )
        failures += result.false_sentences
        for before, after in result.false if options.list else ():
            print(f"    {before}\n  > {after}")
    return int(failures > 0)


if __name__ == "__main__":
    raise SystemExit(main())
