"""Titles and honorifics that stand before a name, with the gender they tell where they tell one.

Written for this project; English, Spanish, German, French, Italian, Portuguese, Dutch.
"""

from __future__ import annotations

from typing import Literal

Gender = Literal["female", "male"]

FEMALE = frozenset(
    "mrs ms miss madam madame mme mlle lady dame sra srta señora señorita doña dña frau signora signorina sig.ra "
    "senhora dona mevrouw mevr mw sister soeur hermana doctora dra profesora profa dott.ssa prof.ssa".split()
)
MALE = frozenset(
    "mr mister sir lord monsieur mm sr señor don herr signor signore sig senhor seu meneer dhr father brother "
    "frère hermano profesor dottor".split()
)
NEUTRAL = frozenset(
    "dr doctor docteur doktor dott prof professor professeur rev reverend hon honourable honorable judge justice "
    "mx captain capt major maj colonel col general gen sergeant sgt lieutenant lt officer inspector insp "
    "constable pc detective det president senator sen governor gov minister ambassador bishop archbishop cardinal "
    "pastor rabbi imam nurse ing dipl.-ing mag lic licenciado lcdo abogado avvocato avv maître me maitre advocate "
    "attorney counsel counsellor councillor cllr advokat drs ir richter richterin dokter".split()
)


def gender_of(title: str) -> Gender | None:
    """The gender that a title tells: ``gender_of("Mrs.") == "female"``; None where it tells none."""
    word = title.casefold().rstrip(".")
    if word in FEMALE:
        return "female"
    if word in MALE:
        return "male"
    return None


def is_title(word: str) -> bool:
    """Whether a word is one of them, with or without its full stop."""
    word = word.casefold().rstrip(".")
    return word in FEMALE or word in MALE or word in NEUTRAL
