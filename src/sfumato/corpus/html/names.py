"""Names that HTML uses for itself: what they are for decides how text in them is treated."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BLOCKS = _words(
    """
    address article aside blockquote body button caption center dd desc details dialog dir div dl dt
    fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe
    legend li link main menu meta nav noframes noscript ol optgroup option p plaintext pre script search
    section select style summary table tbody td template text textarea tfoot th thead title tr ul xmp
    """
)
"""Elements that a reader sees apart from what is beside them; text of all others runs on."""

ATTRIBUTES = _words(
    """
    abbr accept accept-charset accesskey action align alink allow allowfullscreen alt archive async
    autocapitalize autocomplete autofocus autoplay axis background bgcolor border bordercolor capture
    cellpadding cellspacing char charset checked cite class classid clear code codebase codetype color
    cols colspan compact content contenteditable controls coords crossorigin cx cy d data data-name
    data-value datetime declare decoding default defer dir dirname disabled download draggable enctype
    enterkeyhint face fetchpriority fill for form formaction formenctype formmethod formnovalidate
    formtarget frame frameborder headers height hidden high href hreflang hspace http-equiv id
    imagesizes imagesrcset inert inputmode integrity is ismap itemid itemprop itemref itemscope itemtype
    kind label lang language link list loading longdesc loop low marginheight marginwidth max maxlength
    media method min minlength multiple muted name nohref nomodule nonce noresize noshade novalidate
    nowrap object onclick open optimum part pattern ping placeholder playsinline points popover poster
    prefix preload profile prompt property r readonly referrerpolicy rel required rev reversed role rows
    rowspan rules rx ry sandbox scheme scope scrolling selected shape size sizes slot span spellcheck
    src srcdoc srclang srcset standby start step stroke stroke-width style summary tabindex target text
    title transform translate type typeof usemap valign value valuetype version viewbox vlink vocab
    vspace width wrap x x1 x2 xlink:href xml:lang xml:space xmlns xmlns:xlink y y1 y2
    """
)
"""Names that say nothing about anyone. Any other attribute name is text."""

ADDRESSES = _words(
    """
    action background cite codebase data formaction href longdesc manifest ping poster src srcset
    xlink:href
    """
)
"""Attributes whose value is an address, with percent escapes."""

NAME_LISTS = _words("aria-controls aria-describedby aria-labelledby aria-owns class headers itemref rel srcset")
"""Attributes whose value is a list of names, with spaces between."""

NAMES = NAME_LISTS | _words("download for form id is itemid list name part slot target usemap")
"""Attributes whose value is a name for the machine, or a list of them."""

MEASURES = _words(
    """
    border cellpadding cellspacing cols colspan cx cy height hspace marginheight marginwidth maxlength
    minlength r rows rowspan rx ry size span tabindex vspace width x x1 x2 y y1 y2
    """
)
"""Attributes whose value is a number, maybe with a unit."""
