"""Words that may be left out: *a violent robbery* is a robbery, who was *severely* beaten was beaten."""

from __future__ import annotations

import re

from sfumato.generalize.context import NEVER_MODIFIED, begins_sentence, word_after, word_before, word_class
from sfumato.generalize.words.base import (
    DEFINITE,
    PhraseLead,
    WordGeneralization,
    is_negated,
    may_generalize,
    read_phrase_lead,
)
from sfumato.generalize.words.nouns import is_kind_of, is_listed, is_noun_here, may_be_verb
from sfumato.lexicon.grammar import is_word
from sfumato.lexicon.grammar_en import (
    ADVERBS,
    AUXILIARIES,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    indefinite_article,
    is_plural,
)
from sfumato.lexicon.hypernyms import PRIVATIVE_MODIFIERS
from sfumato.lexicon.numbers import read_number
from sfumato.lexicon.wordnet import wider_modifiers

# -- Modifiers that say more than they seem, and nouns that say nothing without one. English.


KEPT_ADJECTIVES = frozenset(
    "exact precise actual prosthetic incorrect inaccurate wrong untrue misleading universal "
    "able abortive absent acting additional afraid ago alike alive almost alone ample another apparent applicable "
    "appropriate assistant available average aware back bogus bottom capable central certain common comparable "
    "complete contested corresponding counterfeit countless current deputy designate different disputed double "
    "doubtful dual dubious due dummy earlier early east eastern eight elder eldest elect empty enough entire equal "
    "equivalent ersatz extra few fewer fictional fictitious fifth final first five following fond foreseeable forged "
    "former four fourth free front full further general greater groundless half honorary honorific hypothetical "
    "identical ill illusory imaginary inadequate incomplete informal initial inner innumerable insufficient intended "
    "interim invalid joint junior lacking last late later latest latter least left legendary less lesser likely "
    "little long-term lower main many martial maximum mere mid middle minimum missing more most much multiple mutual "
    "mythical mythological near nearly necessary next nine no nominal non nonexistent normal north northern null "
    "numerous one only opposite ostensible other outer overall own particular past planned poor preceding present "
    "previous prior probable proposed prospective provisional quarter questionable rear recent relevant respective "
    "responsible retired reverse right same second seeming senior separate seven several sham similar simulated "
    "single six so-called sole south southern specific subject subsequent such sufficient synthetic ten theoretical "
    "third three titular top total triple two typical unable unconfirmed unfinished unfounded unlikely unofficial "
    "unproven unrealised unrealized unsuccessful upper usual vain various vice void west western whole worth would-be "
    "zero".split()
)
KEPT_ADVERBS = frozenset(
    "accordingly allegedly apparently approximately arguably badly barely chiefly closely collectively commonly "
    "comparatively conceivably conditionally currently daily differently early effectively equally erroneously "
    "essentially eventually exactly exclusively fairly falsely family fictionally finally formally formerly "
    "frequently generally halfway hardly hypothetically imperfectly inadequately incompletely incorrectly "
    "individually initially insufficiently jointly largely lately later likely loosely mainly merely mistakenly "
    "moderately monthly mostly mutually namely narrowly nearly newly nominally nonetheless normally occasionally only "
    "originally ostensibly partially partly poorly possibly potentially practically precisely predominantly presently "
    "presumably previously primarily principally probably provisionally purely purportedly rarely really recently "
    "relatively remotely reportedly respectively roughly scarcely seemingly seldom separately similarly simply solely "
    "substantially sufficiently supposedly technically temporarily tentatively theoretically typically unanimously "
    "unequally unlikely usually virtually weakly weekly wrongly yearly".split()
)
"""Whoever was *nearly* killed was not; what is *usually* so is not always, what came *finally* came after something."""
KEPT_PARTICIPLES = frozenset(
    "abandoned alleged annulled anticipated assumed attempted based called canceled cancelled claimed combined "
    "continued cut disguised disputed divided done envisaged estimated expected extended failed faked feared "
    "forbidden forged given imagined imitated impersonated increased intended known left limited lost made mixed "
    "named perceived planned presumed pretended prohibited projected promised proposed quashed recommended reduced "
    "related repeated retired revoked said simulated supposed suspected taken threatened unfinished unnamed used "
    "withdrawn".split()
)
KEPT_NOUNS = frozenset(
    "equity "
    "age applicant application apprentice assistant back bottom candidate case chocolate copy court date day deputy "
    "draft dream dummy end fantasy fellow foster guest half head horror imitation level majority minority mock model "
    "month night nominee number paper part proxy quarter replacement replica rubber shadow sham share side snow state "
    "stone student substitute surrogate test time top toy trainee trial vice water wax week year".split()
)
"""A draft law is no law yet, a stone lion no animal."""
NEED_A_MODIFIER = frozenset(
    "bone bones leg legs arm arms knee knees nose finger fingers ankle ankles wrist rib ribs skull shoulder jaw hip "
    "elbow foot feet tooth teeth muscle ligament tendon "
    "age ages amount amounts aspect aspects background basis blood capacity character color colour condition "
    "conditions cost course day days deal degree distance effect effects extent eyes faith fashion form forms ground "
    "grounds hair hand hands height interest interests kind kinds length level levels light manner matter matters "
    "means month months nature number numbers one ones order pace part parts person persons point points position "
    "positions pressure price purpose purposes quality range rate rates reason reasons role scale scope sense senses "
    "shape side sides situation size sizes skin sort sorts speed standard standards status style temperature term "
    "terms thing things time times tone type types view views way ways week weeks weight word words year years".split()
)
"""*Of a nature*, *in a manner*, *at an age* are no phrases, and nobody is hurt by *a bone*."""


# -- Words that may be left out: *a violent robbery* is a robbery, who was *severely* beaten was beaten.


_LEADING = DEFINITE | frozenset("a an by with of from in on for two three several many some".split())
_BLANK = re.compile(r"[ \xa0](?=[^\W\d_])")
_BE_OR_HAVE = frozenset("am is are was were be been being has have had having".split())
_MODIFIERS_GRADED = frozenset(
    "very too so as how quite rather more most less least particularly extremely highly".split()
)


def omit_modifier(text: str, start: int, end: int) -> list[WordGeneralization]:
    """The sentence without the word, where that is true and grammatical; else nothing."""
    word = text[start:end]
    if (
        len(word) < 3
        or not is_word(word)
        or not word.islower()
        or word in FUNCTION_WORDS
        or not _BLANK.match(text, end)
    ):
        return []
    if start == 0 or text[start - 1] not in " \xa0\n(":
        return []
    if _is_adjective(word) and _may_lose_adjective(text, start, end, word):
        return [_dropped(text, start, end, "adjective left out")]
    if word_class(word) == "participle" and _may_lose_participle(text, start, end, word):
        return [_dropped(text, start, end, "participle left out")]
    if word_class(word) == "noun" and _may_lose_noun(text, start, end, word):
        return [_dropped(text, start, end, "noun before a noun left out")]
    if _is_adverb(word) and _may_lose_adverb(text, start, end):
        return [_dropped(text, start, end, "adverb left out")]
    return []


def _dropped(text: str, start: int, end: int, reason: str) -> WordGeneralization:
    """The word and the blank behind it go; "a" and "an" before it agree with what follows."""
    article, begin = word_before(text, start)
    wanted = indefinite_article(text[end + 1 : end + 61])
    if article.lower() in ("a", "an") and article.lower() != wanted:
        put = wanted.capitalize() if article[0].isupper() else wanted
        return WordGeneralization("drop", begin, end + 1, put + text[begin + len(article) : start], reason)
    return WordGeneralization("drop", start, end + 1, "", reason)


def _is_kept(word: str) -> bool:
    """Whether the thing may be another without the word."""
    if word in KEPT_ADJECTIVES or word in PRIVATIVE_MODIFIERS or word.startswith(("non", "pseudo", "quasi", "semi")):
        return True
    return word.endswith("th") and read_number(word) is not None


def _is_adjective(word: str) -> bool:
    return word_class(word) == "adjective" and not word.endswith(("est", "er")) and not _is_kept(word)


def _may_lose_adjective(text: str, start: int, end: int, word: str) -> bool:
    """Whether it describes a noun that stands behind it, alone or before other adjectives, in a true sentence."""
    before = read_phrase_lead(text, start)
    noun, stop = _described(text, end)
    if not noun or noun in NEED_A_MODIFIER or not _opens(text, start, before):
        return False
    if not may_generalize(text, start, stop, before):
        return False
    # A hot dog is no dog, high blood pressure no blood pressure.
    phrase = text[end + 1 : stop].split()
    return not any(
        is_listed(whole := " ".join((word, *phrase[:last]))) and not is_kind_of(whole, phrase[last - 1])
        for last in range(1, len(phrase) + 1)
    )


def _may_lose_participle(text: str, start: int, end: int, word: str) -> bool:
    """Behind a determiner it describes what follows: "the injured man"; elsewhere it may be what someone did."""
    previous, _ = word_before(text, start)
    led = previous.lower() in _LEADING or previous.lower().endswith(("'s", "’s"))
    if not led or word in KEPT_PARTICIPLES or _is_kept(word):
        return False
    return _may_lose_adjective(text, start, end, word)


def _may_lose_noun(text: str, start: int, end: int, word: str) -> bool:
    """Whether it tells of what kind the noun right behind it is: "the tennis court"."""
    noun, _ = word_after(text, end)
    before = read_phrase_lead(text, start)
    if _is_kept(word) or word in KEPT_NOUNS or is_plural(word) or not is_noun_here(text, start, end):
        return False
    governed = word_before(text, start)[0] in PREPOSITIONS - {"to", "as"}
    if not (before.is_definite or before.determiner in ("a", "an") or governed) or word_class(noun) != "noun":
        return False
    whole = is_listed(f"{word} {noun}")
    if may_be_verb(noun) and not whole:
        # The court orders: what it does, or what it gave?
        return False
    outer, begin = word_before(text, before.start)
    if is_plural(noun) and not whole and outer[:1].isupper() and begins_sentence(text, begin):
        # "During the trial witnesses said"
        return False
    return _may_lose_adjective(text, start, end, word)


def _opens(text: str, start: int, before: PhraseLead) -> bool:
    """Whether what stands before leaves the phrase whole without the word: no "very", no "and", no half list."""
    word, begin = word_before(text, start)
    low = word.lower()
    if not word:
        # A sentence's first word, or one behind a comma.
        return False
    if low in _MODIFIERS_GRADED or low in ("and", "or", "but", "both", "either", "neither", "nor", "not", "than"):
        return False
    if (
        low in AUXILIARIES
        or low in PRONOUNS
        or word_class(word) == "adverb"
        or low in ADVERBS - {"several", "many", "few"}
    ):
        return False
    if word_class(word) == "noun" and not low.endswith(("'s", "’s", "s'", "s’")):
        # "award winning books", and where the noun before is all that was said of them.
        return False
    return word_class(word) != "number" and not (before.determiner == "" and begins_sentence(text, begin))


def _described(text: str, end: int) -> tuple[str, int]:
    """The noun that is described, the last of several, and where it ends; empty where there is none or it is a name."""
    at, noun = end, ""
    for _ in range(4):
        if not _BLANK.match(text, at):
            return noun, at
        word, stop = word_after(text, at)
        if not word.isalpha() or word in FUNCTION_WORDS or word in NEVER_MODIFIED:
            return noun, at
        if not word.islower() or text[stop : stop + 1] in ("-", "‑", "/"):
            return "", at
        what = word_class(word)
        if what == "noun" and is_noun_here(text, at + 1, stop):
            noun = word
        elif noun or what != "adjective":
            return noun, at
        at = stop
    return noun, at


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") and word not in KEPT_ADVERBS and word_class(word) == "adverb"


def _may_lose_adverb(text: str, start: int, end: int) -> bool:
    """Whether it stands before a verb or between it and its auxiliary, and nothing is denied."""
    if is_negated(text, start):
        return False
    previous, _ = word_before(text, start)
    following, stop = word_after(text, end)
    low = previous.lower()
    if (
        not following.islower()
        or not low
        or low in _MODIFIERS_GRADED
        or low in ("and", "or", "not", "nor", "only", "but")
    ):
        return False
    after, _ = word_after(text, stop)
    if after in ("and", "or") and word_class(following) == "adverb":
        return False
    what = word_class(following)
    if low in _BE_OR_HAVE:
        return what == "participle" or following == "been"
    if low in AUXILIARIES:
        return what == "verb"
    subject = low in PRONOUNS or (word_class(previous) == "noun" and previous[-1:].isalpha())
    return subject and what in ("past", "participle") and not following.endswith("ing")


# -- Wider words for adjectives and adverbs: a *huge* house is a *large* house.


_WIDER_MODIFIERS_GRADED = frozenset(
    "most more less least too so as how not quite rather very only first last nearly almost than and or".split()
)
_JOINED = re.compile(r"[\w/’'‑-]")
_STATES = frozenset("am is are was were be been being became become seemed felt remained looked".split())


def generalize_modifier(text: str, start: int, end: int) -> list[WordGeneralization]:
    """Wider modifiers in the same place, with the article before it; none where it is compared or denied."""
    word = text[start:end]
    if not word.islower() or not (found := wider_modifiers(word)):
        return []
    previous, begin = word_before(text, start)
    if (
        _JOINED.match(text, end)
        or (start and _JOINED.match(text, start - 1))
        or previous.lower() in _WIDER_MODIFIERS_GRADED
        or is_negated(text, start)
    ):
        return []
    following, _ = word_after(text, end)
    if following.lower() in ("and", "or", "enough", "but", "more", "as", "than") or is_listed(f"{word} {following}"):
        return []
    if not _is_in_place(word, previous, following):
        return []
    return [_put(text, start, end, wider, previous, begin) for wider in found]


def _is_in_place(word: str, previous: str, following: str) -> bool:
    """Before the noun it describes or behind "was"; of an adverb, beside a verb."""
    what = word_class(following) if following else ""
    if word in ("daily", "weekly", "monthly", "yearly", "quarterly"):
        return what == "noun"
    if word.endswith("ly") or word_class(word) == "adverb":
        return what in ("participle", "past", "verb") or not following or following.lower() in FUNCTION_WORDS
    if what in ("noun", "adjective"):
        return following.islower()
    return previous.lower() in _STATES and (not following or following.lower() in FUNCTION_WORDS - AUXILIARIES)


def _put(text: str, start: int, end: int, wider: str, previous: str, begin: int) -> WordGeneralization:
    reason = f"modifiers: {wider}"
    if previous.lower() not in ("a", "an") or previous.lower() == indefinite_article(wider):
        return WordGeneralization("hypernym", start, end, wider, reason)
    article = indefinite_article(wider).capitalize() if previous[0].isupper() else indefinite_article(wider)
    return WordGeneralization("hypernym", begin, end, article + text[begin + len(previous) : start] + wider, reason)
