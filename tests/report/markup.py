"""Whether a page is well formed."""

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
