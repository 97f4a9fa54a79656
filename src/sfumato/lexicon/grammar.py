"""English a or an, singular and plural: by sound and by ending, with the exceptions people use.

Written for this project.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType

from sfumato.lexicon import tables
from sfumato.lexicon.name_lists import demonyms, is_title

# -- Small words that carry grammar rather than meaning, in the seven languages.
#
# Written for this project.


DETERMINERS = frozenset(
    "a an the this that these those my your his her its our their whose each every either neither some any no all both "
    "another such what which".split()
)
PRONOUNS = frozenset(
    "i you he she it we they me him us them himself herself itself themselves myself yourself ourselves who whom "
    "mine yours hers ours theirs one anyone someone everyone nobody something nothing anything everything".split()
)
PREPOSITIONS = frozenset(
    "of in on at by for from to into onto over under with within without about above across after against along amid "
    "among around as before behind below beneath beside besides between beyond concerning despite down during except "
    "inside like near off out outside per regarding since through throughout till toward towards until up upon via "
    "versus pending following including according due".split()
)
CONJUNCTIONS = frozenset(
    "and or but nor so yet if because although though while whereas when whenever where wherever unless whether than "
    "that once therefore however moreover furthermore nevertheless thus hence also then there here how why".split()
)
AUXILIARIES = frozenset(
    "am is are was were be been being do does did done doing have has had having can could may might must shall should "
    "will would ought cannot 's n't 've 're 'll 'd 'm".split()
)
ADVERBS = frozenset(
    "not never ever only just very too more most less least much many few several again further already still even "
    "almost always often same other others own else rather quite".split()
)
ENGLISH = DETERMINERS | PRONOUNS | PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | ADVERBS
_OTHERS = {
    "es": "el la los las un una unos unas lo al del de a en y e o u que no se su sus le les por para con sin "
    "sobre entre como más pero si ya muy este esta estos estas ese esa eso aquel aquella hay es son era "
    "fue ser ha han había he yo tú él ella ellos ellas nos me te mi tu cuando donde quien cual cuyo "
    "también hasta desde ante tras ni",
    "de": "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine in im an am "
    "auf aus bei beim mit nach von vom zu zum zur für über unter vor durch gegen ohne um als wie wenn "
    "dass weil ob ist sind war waren sein hat haben hatte hatten wird werden wurde wurden ich du er sie "
    "es wir ihr ihm ihn ihnen uns mir mich sich mein dein seine seiner ihre ihrer dieser diese dieses "
    "jener auch noch nur schon so da dann hier dort sehr mehr",
    "fr": "le la les l un une des du de d à au aux en dans sur sous par pour avec sans entre et ou mais ni que "
    "qui quoi dont où ne pas plus se s il elle ils elles on nous vous je tu me te lui leur leurs son sa "
    "ses mon ma mes ton ta tes notre votre ce cet cette ces c est sont était étaient été être a ont avait "
    "avaient avoir y si comme aussi très",
    "it": "il lo la i gli le l un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal "
    "dalla in nel nella nei nelle con su sul sulla per tra fra e ed o ma che chi cui non si è sono era "
    "erano essere stato ha hanno aveva avere io tu lui lei noi voi loro mi ti ci vi suo sua suoi sue mio "
    "mia questo questa questi queste quello quella come più anche se quando dove molto",
    "pt": "o a os as um uma uns umas de do da dos das em no na nos nas a ao à aos às por pelo pela para com sem "
    "sobre entre e ou mas que quem não se é são era foi ser está tem têm tinha há eu tu ele ela eles elas "
    "nós me te lhe seu sua seus suas meu minha este esta esse essa isso aquele aquela como mais também já "
    "muito quando onde até",
    "nl": "de het een en of maar niet geen in op aan uit bij met naar van voor over onder door tegen zonder om "
    "te als dat die dit deze dan is zijn was waren heeft hebben had hadden wordt worden werd werden ik "
    "jij je hij zij ze wij we jullie hem haar hun ons mij me zich mijn jouw uw er hier daar ook nog al zo "
    "zeer meer wie wat waar wanneer",
}
STOP_WORDS = {"en": ENGLISH, **{language: frozenset(words.split()) for language, words in _OTHERS.items()}}
"""By language code."""


# -- Words and their base forms: *nurses* is a form of *nurse*. By dictionary (simplemma, offline), lower-cased.


LANGUAGES = frozenset(STOP_WORDS)
WORD = re.compile(r"['’]s\b|[^\W_]+(?:['’](?!s\b)[^\W_]+)*", re.IGNORECASE)
"""A word, or a possessive ending."""


def words(text: str) -> list[str]:
    """Runs of letters and digits as they stand there; a possessive ending is none."""
    return [word for word in WORD.findall(text) if word[0] not in "'’"]


@lru_cache(maxsize=2**17)
def lemma(word: str, language: str = "en") -> str:
    """The base form, lower-cased; a word that is in no dictionary is its own."""
    import simplemma

    return simplemma.lemmatize(word.lower().replace("’", "'"), lang=language).lower()


def content_lemmas(text: str, language: str = "en") -> list[str]:
    """Base forms of the words that carry meaning: not of numbers, single letters and stop words.

    A word in capitals is no stop word: WHO is not *who*.
    """
    stops = STOP_WORDS[language]
    found = []
    for word in filter(is_word, words(text)):
        base = lemma(word, language)
        if word.isupper() or stops.isdisjoint((base, word.lower().replace("’", "'"))):
            found.append(base)
    return found


def is_word(text: str) -> bool:
    """Whether it is made of letters, and is more than an initial."""
    return len(text) > 1 and text.replace("'", "").replace("’", "").isalpha()


# -- English a or an, singular and plural: by sound and by ending, with the exceptions people use.


_IRREGULAR = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "person": "people",
    "foot": "feet",
    "tooth": "teeth",
    "goose": "geese",
    "mouse": "mice",
    "ox": "oxen",
    "wife": "wives",
    "life": "lives",
    "knife": "knives",
    "half": "halves",
    "leaf": "leaves",
    "loaf": "loaves",
    "thief": "thieves",
    "wolf": "wolves",
    "shelf": "shelves",
    "calf": "calves",
    "self": "selves",
    "criterion": "criteria",
    "phenomenon": "phenomena",
    "crisis": "crises",
    "analysis": "analyses",
    "diagnosis": "diagnoses",
    "prognosis": "prognoses",
    "basis": "bases",
    "hypothesis": "hypotheses",
    "thesis": "theses",
    "metastasis": "metastases",
    "stimulus": "stimuli",
    "alumnus": "alumni",
    "bacterium": "bacteria",
    "vertebra": "vertebrae",
    "potato": "potatoes",
    "tomato": "tomatoes",
    "hero": "heroes",
    "echo": "echoes",
    "veto": "vetoes",
    "embargo": "embargoes",
    "passer-by": "passers-by",
    "attorney-general": "attorneys-general",
    "quiz": "quizzes",
    "gas": "gases",
    "bus": "buses",
}
_SINGULARS = {plural: singular for singular, plural in _IRREGULAR.items()}
_UNCHANGED = frozenset(
    "series species means aircraft spacecraft sheep fish deer offspring headquarters barracks crossroads police staff "
    "cattle poultry news physics mathematics economics politics athletics gymnastics diabetes measles rabies herpes "
    "aids personnel military clergy information evidence equipment furniture advice money".split()
)
_ALWAYS_PLURAL = frozenset("police people cattle clergy personnel premises clothes trousers earnings proceeds".split())
_NEVER_PLURAL = frozenset(
    "news physics mathematics economics politics athletics gymnastics diabetes measles rabies herpes aids means series "
    "species headquarters barracks crossroads this his its is was has does as us yes thus plus minus perhaps always "
    "sometimes towards afterwards besides whereas unless across less christmas alias lens canvas atlas chaos ethos "
    "analysis basis crisis thesis status campus virus bus gas pancreas pelvis penis tennis paris texas".split()
)
_POSTMODIFIED = re.compile(
    r"\s+(?:in|of|at|on|for|from|with|without|near|between|to|by|that|who|which|whose|aged|based|located|about|under|"
    r"over|within|among|along|outside|inside|after|before|against|concerning|responsible|born|living|or|and|de|-)\s",
)
_SAID_OF_ONE = re.compile(r"\A(\s(?:who|that|which) )(is|was|has|does|[a-z]+[^s]s)\b")
_AGREEING = {"is": "are", "was": "were", "has": "have", "does": "do"}
_SILENT_H = re.compile(r"h(?:eir|onest|onou?r|our(?!i))")
_YOU_OR_W = re.compile(
    r"eu|ewe|ew[ei]r|u(?:ni(?!n[^g]|m[^o]|dent|d\b)|nanim|s(?:[aeu]|ing)|t(?:[eio]|ah)|k|r(?:a[ln]|e|in|ol|ug)|biq|fo|"
    r"ganda|vul|zbek(?!i))|on(?:e|ce)(?![a-z])|one(?:-|self|ness)|ouija"
)
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
_SPOKEN = frozenset(
    "NATO NASA FIFA UEFA RAM ROM LAN RADAR LASER SWAT SARS MERS LOC MISC SIM MENSA NAFTA HAMAS MASH SIDS HEPA".split()
)
"""Initials that are read as a word."""


@lru_cache(maxsize=2**14)
def indefinite(phrase: str) -> str:
    """ "a" or "an", as the phrase sounds: "an hour", "a university", "an NHS hospital", "an 18-month"."""
    found = re.search(r"[^\W_]+(?:-[^\W_]+)?", phrase)
    if found is None:
        return "a"
    word = found.group()
    if word[0].isdigit():
        return (
            "an"
            if re.match(r"8|1[18](?!\d|[.,]\d)|1[18]\d\d(?![\d,.])|1[18][.,]\d{3}(?!\d)", phrase[found.start() :])
            else "a"
        )
    first = re.split(r"[-\d]", word)[0] or word
    spelled = first.isupper() and len(first) < 5 and first not in _SPOKEN
    if spelled and phrase[found.end() : found.end() + 1] != "_":
        return "an" if first[0] in _VOWEL_LETTERS else "a"
    low = word.lower()
    if low[0] == "h":
        return "an" if _SILENT_H.match(low) else "a"
    if low[0] in "aeiouáéíóúàèìòùâêîôûäëïöüåøæœıİ":
        return "a" if _YOU_OR_W.match(low) else "an"
    return "a"


def plural(noun: str) -> str:
    """The plural of a noun in the singular; of its last word where it has several."""
    lead, gap, word = noun.rpartition(" ")
    low = word.lower()
    if "-in-law" in low:
        return f"{lead}{gap}{plural(word[: low.index('-in-law')])}{word[low.index('-in-law') :]}"
    if low in _UNCHANGED or is_plural(low):
        return noun
    for singular_form, plural_form in _IRREGULAR.items():
        whole = low == singular_form
        if whole or (low.endswith(singular_form) and singular_form in ("man", "woman", "child", "person", "wife")):
            if low in ("human", "german", "roman", "ottoman", "shaman", "talisman"):
                break
            return (
                f"{lead}{gap}{word[: len(word) - len(singular_form)]}{_like(word[-len(singular_form) :], plural_form)}"
            )
    ending = "s"
    if re.search(r"(?:s|x|z|ch|sh)$", low):
        ending = "es"
    elif re.search(r"[^aeiou]y$", low):
        word, ending = word[:-1], "ies"
    return f"{lead}{gap}{word}{ending.upper() if noun.isupper() and len(word) > 4 else ending}"


def singular(noun: str) -> str:
    """The singular of a noun in the plural; of its last word where it has several."""
    lead, gap, word = noun.rpartition(" ")
    low = word.lower()
    if low in _SINGULARS:
        return f"{lead}{gap}{_like(word, _SINGULARS[low])}"
    if not is_plural(low):
        return noun
    for plural_form in ("women", "men", "children", "wives"):
        if low.endswith(plural_form):
            return f"{lead}{gap}{word[: len(word) - len(plural_form)]}{_SINGULARS[plural_form]}"
    if low.endswith("ies") and len(low) > 4:
        return f"{lead}{gap}{word[:-3]}y"
    if re.search(r"(?:ss|x|z|ch|sh)es$", low):
        return f"{lead}{gap}{word[:-2]}"
    return f"{lead}{gap}{word[:-1]}" if low.endswith("s") else noun


@lru_cache(maxsize=2**14)
def is_plural(word: str) -> bool:
    """Whether a noun stands in the plural, as far as its form tells."""
    low = word.lower()
    if low in _ALWAYS_PLURAL or low in _SINGULARS:
        return True
    if re.search(r"(?:wo|[^u])men$|children$", low) and low not in ("omen", "specimen", "abdomen", "regimen", "acumen"):
        return True
    if len(low) < 4 or not low.endswith("s") or low.endswith(("ss", "us", "is")) or low in _NEVER_PLURAL:
        return False
    return lemma(low) != low or low[:-1].title() in demonyms()


def head(phrase: str) -> tuple[str, str]:
    """A noun phrase cut behind its head: ``("large city", " in northern Poland")``."""
    cut = _POSTMODIFIED.search(phrase)
    return (phrase, "") if cut is None else (phrase[: cut.start()], phrase[cut.start() :])


def in_plural(phrase: str) -> str:
    """A noun phrase with its head in the plural: "large cities in Poland"."""
    core, rest = head(phrase)
    if plural(core) != core:
        rest = _SAID_OF_ONE.sub(lambda verb: f"{verb[1]}{_AGREEING.get(verb[2], verb[2][:-1])}", rest)
    return plural(core) + rest


def in_singular(phrase: str) -> str:
    """A noun phrase with its head in the singular: "large city in Poland"."""
    core, rest = head(phrase)
    return singular(core) + rest


def _like(model: str, word: str) -> str:
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word


# -- Which of the seven languages a text is written in, by its function words. For what must be quick and never wrong
# by much; whether a text is in a language that nobody covers is ``detectors.language``'s question.


_ENOUGH = 20_000
"""Characters that are read."""


@lru_cache(maxsize=64)
def language_of(text: str) -> str | None:
    """The language most of whose function words stand in the text; None where there are none, or as many of another."""
    counts = Counter(word.lower() for word in words(text[:_ENOUGH]))
    found = {code: sum(count for word, count in counts.items() if word in own) for code, own in STOP_WORDS.items()}
    first, second = sorted(found, key=lambda code: -found[code])[:2]
    return first if found[first] > found[second] else None


# -- Where sentences begin and end, by a rule that keeps offsets and reads the text once.
#
# Good enough to say which stretch of text a name stands in; no model, any length, any language with Western stops.


Range = tuple[int, int]

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[\r\n]+|[。！？]")
_LAST_WORD = re.compile(r"[^\W_]+$")
_SHORT = frozenset("no nos nr art arts par para vol pp p v vs st etc e.g i.e cf al inc ltd co approx tel ext".split())
_LONGEST_WORD = 24


def sentences(text: str) -> list[Range]:
    """Ranges without the blanks around them, sorted and disjoint. A line break always ends a sentence."""
    found = []
    start = 0
    for match in _END.finditer(text):
        if match[0] == "." and _is_abbreviated(text, match.start(), match.end()):
            continue
        found.append((start, match.end()))
        start = match.end()
    found.append((start, len(text)))
    return [trimmed for begin, end in found if (trimmed := _trimmed(text, begin, end))[0] < trimmed[1]]


def around(ranges: Sequence[Range], start: int, end: int) -> Range:
    """The sentence that holds ``[start, end)``, or, where it runs over several, all of these."""
    first = bisect_right(ranges, start, key=lambda sentence: sentence[1])
    last = bisect_left(ranges, end, key=lambda sentence: sentence[0]) - 1
    begin = ranges[first][0] if first < len(ranges) else start
    finish = ranges[last][1] if last >= 0 else end
    return min(begin, start), max(finish, end)


def _trimmed(text: str, start: int, end: int) -> Range:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _is_abbreviated(text: str, stop: int, end: int) -> bool:
    """Whether a full stop belongs to the word before it: a title, an initial, "no." and the like."""
    after = end
    while after < len(text) and text[after] in " \t":
        after += 1
    if after < len(text) and text[after].islower():
        return True
    word = _LAST_WORD.search(text, max(0, stop - _LONGEST_WORD), stop)
    if word is None:
        return False
    is_initial = len(word[0]) == 1 and word[0].isupper()
    return is_initial or word[0].lower() in _SHORT or is_title(word[0])


# -- What class an English word mostly belongs to: verb, adjective, adverb; whatever is not listed is a noun.
#
# Made from WordNet by ``training/build_word_classes.py``; licence in ``data/SOURCES.md``.


@cache
def word_classes() -> Mapping[str, str]:
    """Lower-cased word -> "verb", "past", "participle", "gerund", "adjective" or "adverb"."""
    rows = tables.table_rows("word_classes")
    return MappingProxyType({word: kind for kind, words in rows for word in words.split()})


# -- Words that tell what a capitalised phrase names, in the seven languages: head nouns of organisations and places,
# legal forms of companies, what people are to each other, and words that are names as well.
#
# Written for this project.


ORGANISATIONS = frozenset(
    "government kingdom republic service centre center health healthcare hosp university college school academy "
    "institute institution faculty hospital clinic infirmary hospice sanatorium court tribunal ministry department "
    "agency authority bureau commission committee council board office directorate secretariat parliament assembly "
    "senate congress embassy consulate police prison jail army navy bank fund trust foundation association society "
    "union federation confederation league club company corporation group holdings partners enterprises industries "
    "systems technologies solutions services laboratories pharmaceuticals insurance airlines airways railways "
    "church cathedral mosque synagogue temple monastery museum library theatre theater orchestra newspaper times "
    "herald gazette tribune magazine press publishing records studios radio television network party movement front "
    "brigade regiment battalion division corps squadron constabulary registry inspectorate ombudsman prosecutor "
    "chamber exchange cooperative hotel restaurant universidad colegio instituto facultad clínica juzgado audiencia "
    "ministerio consejería ayuntamiento diputación comisión comité consejo banco fundación asociación sociedad "
    "sindicato federación iglesia museo biblioteca teatro policía guardia cárcel partido universität hochschule "
    "schule gymnasium klinik klinikum krankenhaus gericht amtsgericht landgericht oberlandesgericht "
    "bundesgerichtshof ministerium bundesministerium behörde amt kommission ausschuss rat sparkasse stiftung verein "
    "verband gesellschaft gewerkschaft kirche museum bibliothek polizei partei bundesamt finanzamt université école "
    "lycée collège hôpital clinique cour tribunal ministère commission comité conseil banque fondation association "
    "société syndicat fédération église musée bibliothèque théâtre préfecture mairie gendarmerie parti università "
    "scuola liceo istituto ospedale clinica tribunale corte ministero commissione comitato consiglio banca "
    "fondazione associazione società sindacato federazione chiesa museo questura prefettura comune universidade "
    "escola faculdade hospital clínica ministério comissão conselho fundação associação sociedade igreja câmara "
    "prefeitura universiteit hogeschool ziekenhuis kliniek rechtbank gerechtshof ministerie commissie raad "
    "stichting vereniging vakbond kerk politie gemeente".split()
)
GENERIC = frozenset(
    "the this that a an of supreme high district regional national federal constitutional public general state city "
    "county municipal central international european criminal civil administrative military domestic local first "
    "second third grand appeal appeals human rights government republic court chamber".split()
)
"""Words that say nothing about which organisation it is."""
PLACES = frozenset(
    "street road avenue lane drive boulevard square bridge airport station river lake mountain mount mountains "
    "valley island islands bay beach coast park forest castle palace tower hill hills creek falls canyon desert "
    "peninsula district county province region borough village town city harbour harbor port square cemetery "
    "stadium arena calle avenida plaza paseo puente aeropuerto estación río lago monte valle isla playa parque "
    "bosque castillo straße platz brücke flughafen bahnhof fluss see berg insel strand wald schloss burg rue "
    "boulevard place pont aéroport gare fleuve lac mont vallée île plage forêt château via piazza ponte aeroporto "
    "stazione fiume isola spiaggia parco foresta castello rua praça rio ilha praia floresta castelo straat plein "
    "brug luchthaven".split()
)
NOT_IN_NAMES = (
    ORGANISATIONS
    | PLACES
    | frozenset(
        "act article articles section law code convention protocol treaty agreement chapter part paragraph rule "
        "regulation directive annex appendix january february march april may june july august september october "
        "november december monday tuesday wednesday thursday friday saturday sunday ltd inc llc plc gmbh ag sa corp "
        "co administrative appellate assize civil commercial constitutional criminal district federal judicial "
        "magistrates military municipal provincial regional supreme".split()
    )
)
ROLES = frozenset(
    "colleague neighbour neighbor friend boss nurse teacher patient client witness lawyer coworker arzt ärztin "
    "hausarzt hausärztin kollege kollegin kollegen nachbar nachbarin nachbarn freund freundin chef chefin lehrer "
    "lehrerin patient patientin kunde kundin anwalt anwältin zeuge zeugin pfleger schwester vermieter vermieterin "
    "collègue voisin voisine ami amie patron infirmier infirmière avocat avocate vecino vecina amigo amiga "
    "compañero compañera jefe jefa médico enfermera abogada collega vicino vicina amico amica medico infermiera "
    "colega vizinho vizinha médica enfermeiro enfermeira buurman buurvrouw huisarts vriend vriendin".split()
)
"""What someone is to the writer, before a surname: "Kollege Schmidt"."""
BRANDS = frozenset(
    "ford mercedes dodge bentley lincoln porsche honda toyota lexus skoda fiat seat ferrari tesla opel dacia kia "
    "mercury siemens alexa siri cortana sony benz royce maserati lancia".split()
)
"""Makes of things that are given or family names too."""
WORDS_AS_NAMES = frozenset(
    "art april august bill dan dawn dean dick don earl faith grace grant guy holly hope hunter ivy joy june lily mark "
    "mason may mia olive parker ray robin roman rosa rose sage summer violet will young luz paz mercy patience carter "
    "chase cristiano massimo máximo domingo julio blanca luna sol stella jan juli josefa bella carry harmony".split()
)
"""Everyday words that before a family name are given names."""
ASK_OR_DATE = frozenset("will may april june august art grant mark hope rose dawn".split())
"""Those of them that open sentences as what they are otherwise."""
LEGAL_FORMS = tuple(
    "Ltd;Limited;LLC;L.L.C.;LLP;L.L.P.;PLC;plc;Inc;Incorporated;Corp;Corporation;Co;Company;GmbH;mbH;AG;KG;OHG;GbR;e.V.;"
    "eG;UG;SE;S.A.;SA;S.A.U.;S.L.;SL;S.L.U.;SLU;S.C.;S.R.L.;SRL;S.r.l.;Srl;S.p.A.;SpA;S.n.c.;S.a.s.;SARL;S.A.R.L.;SAS;"
    "SASU;EURL;SCI;SNC;Lda;Ltda;B.V.;BV;N.V.;NV;VOF;C.V.;CVBA;A.S.;A/S;AS;ApS;AB;Oy;Oyj;ASA;Kft;Zrt;s.r.o.;a.s.;d.o.o.;"
    "d.d.;Sp. z o.o.;OOO;ZAO;OAO;A.Ş.;Ltd. Şti.;Pty Ltd;Pty. Ltd.;Pvt Ltd;Pvt. Ltd.;Holdings;Group;GmbH & Co. KG;& Co;"
    "& Sons;& Associates;and Sons".split(";")
)
