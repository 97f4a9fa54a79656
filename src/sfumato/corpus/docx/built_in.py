"""What Word itself writes into a file and no letter is about: names of its styles, its own name, its usual template.

These are no part of a document's text, and stay as they are: to change them would only garble the file.
"""

from __future__ import annotations

import re
from typing import Any

from sfumato.corpus.docx.strings import local_name

_NAMES = frozenset(
    " ".join(name.split())
    for name in """
    normal|normal indent|normal (web)|default paragraph font|no list|no spacing|title|subtitle|heading|caption|header|
    footer|footnote text|footnote reference|endnote text|endnote reference|annotation text|annotation reference|
    annotation subject|comment text|comment reference|comment subject|balloon text|index|index heading|toa heading|
    toc|toc heading|table of figures|table of authorities|envelope address|envelope return|line number|page number|
    macro|macro text|list|list bullet|list number|list continue|list paragraph|closing|signature|e-mail signature|
    message header|salutation|date|body text|body text indent|body text first indent|note heading|block text|
    hyperlink|followedhyperlink|strong|emphasis|document map|plain text|html top of form|html bottom of form|
    html acronym|html address|html cite|html code|html definition|html keyboard|html preformatted|html sample|
    html typewriter|html variable|table normal|table grid|table grid light|table simple|table classic|
    table colorful|table columns|table list|table 3d effects|table contemporary|table elegant|table professional|
    table subtle|table web|table theme|plain table|outline list|placeholder text|revision|quote|intense quote|
    subtle emphasis|intense emphasis|subtle reference|intense reference|book title|bibliography|mention|
    smart hyperlink|hashtag|unresolved mention|smart link|smart link error
    """.split("|")
)
_COLOURED = re.compile(
    r"(?:(?:light|medium|dark|colorful) (?:shading|list|grid)(?: [1-3])?"
    r"|(?:grid|list) table [1-7](?: (?:light|dark|colorful))?)(?: accent [1-6])?\Z"
)
FOR_CHARACTERS = re.compile(r" ?(?:char|zchn|car|carattere|tegn|znak|знак)\Z", re.IGNORECASE)
"""What Word adds to the name of a paragraph's style where it is used for characters, in several languages."""

_PROGRAM = re.compile(
    r"Microsoft (?:Macintosh |Office )?Word(?: for the web)?"
    r"|LibreOffice(?:Dev)?/[\w.]+(?:\$\w+ LibreOffice_project/[\w$-]+)?"
    r"|OpenOffice(?:\.org)?|WPS Office(?:_[\d.]+)*|ONLYOFFICE(?:/[\d.]+)?|Google Docs"
)
_SWITCH = re.compile("true|false|0|1")
_PROPERTIES = {
    "Application": _PROGRAM,
    "Template": re.compile(r"Normal(?:\.dot[mx]?)?", re.IGNORECASE),
    **dict.fromkeys(("ScaleCrop", "LinksUpToDate", "SharedDoc", "HyperlinksChanged"), _SWITCH),
}
_HEADINGS = {"lpstr": re.compile("Titles?|Titel|Titre|Título|Titolo|Headings"), "i4": re.compile(r"\d{1,4}")}
_CITATIONS = re.compile(r"[\\/]?(?:APA|MLA|Chicago|Turabian|IEEE|ISO690)\w{0,30}(?:\.XSL)?", re.IGNORECASE)


def is_words_style(name: str) -> bool:
    """Whether Word gives this name to a style: the same list of them is in every copy of it."""
    plain = FOR_CHARACTERS.sub("", " ".join(name.split()).casefold())
    return re.sub(r" [1-9]\Z", "", plain) in _NAMES or _COLOURED.match(plain) is not None


def is_words_property(part: str, element: Any) -> bool:
    """Whether an element holds what Word says of itself; a template or a program of another name may be somebody's."""
    if part != "docProps/app.xml":
        return False
    local, value = local_name(element.tag), (element.text or "").strip()
    known = _PROPERTIES.get(local)
    if any(local_name(above.tag) == "HeadingPairs" for above in element.iterancestors()):
        known = _HEADINGS.get(local)
    return known is not None and known.fullmatch(value) is not None


def is_words_citation(element: Any, attribute: str, value: str) -> bool:
    """Whether an attribute names one of the ways to cite that Word comes with."""
    own = local_name(element.tag) == "Sources" and local_name(attribute) in ("SelectedStyle", "StyleName")
    return own and _CITATIONS.fullmatch(value) is not None
