"""Whether a page is well formed, and stands for itself."""

from __future__ import annotations

from html.parser import HTMLParser


class _Tags(HTMLParser):
    """Whether tags are closed as they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def assert_balanced(page: str) -> None:
    """Every tag is closed, in its place."""
    tags = _Tags()
    tags.feed(page)
    tags.close()
    assert tags.open == []


_LOADING = ("src", "srcset", "href", "xlink:href", "data", "action", "formaction", "poster", "background", "ping")


class _Loaded(HTMLParser):
    """What a browser would run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.policy = ""
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if values.get("http-equiv", "").lower() == "content-security-policy":
            assert not self.loads
            self.policy = values["content"]
        if tag in ("script", "iframe", "object", "embed", "link", "base", "form", "img"):
            self.loads.append(tag)
        self.loads += [name for name in values if name.startswith("on")]
        self.loads += [name for name in _LOADING if not values.get(name, "#").startswith("#")]
        self.loads += [value for value in values.values() if "url(" in value or "javascript:" in value.lower()]

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "style":
            self.loads += [word for word in ("url(", "@import", "expression(") if word in data.lower()]


def assert_self_contained(page: str) -> None:
    """The page forbids scripts and the network, and has neither a script nor anything that is loaded."""
    loaded = _Loaded()
    loaded.feed(page)
    loaded.close()
    policy = dict(part.strip().split(" ", 1) for part in loaded.policy.split(";"))
    assert policy["default-src"] == "'none'"
    assert policy.keys() <= {"default-src", "style-src", "base-uri", "form-action"}
    assert policy["style-src"] == "'unsafe-inline'"  # or the page would have no style at all
    assert loaded.loads == []
