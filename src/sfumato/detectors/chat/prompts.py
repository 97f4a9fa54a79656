"""The seven detection prompts of paper 000 by name: one file each, which says what is asked."""

from __future__ import annotations

from sfumato.detectors.chat.detector import ChatDetector


class AllAttributes(ChatDetector):
    """A language model's list of every attribute of the person, not only names, with an example."""

    file = "all-attributes.toml"


class AllAttributesNoExample(ChatDetector):
    """As all-attributes, without the example: an ablation."""

    file = "all-attributes-no-example.toml"


class AllAttributesEntitiesOnly(ChatDetector):
    """As all-attributes, without the sentence that looks beyond names: an ablation."""

    file = "all-attributes-entities-only.toml"


class AllAttributesFirstOnly(ChatDetector):
    """As all-attributes, without the sentence on all places and variants: an ablation."""

    file = "all-attributes-first-only.toml"


class ManVsMachine(ChatDetector):
    """A language model's list of every token that can be connected to the person, without an example."""

    file = "man-vs-machine.toml"


class Sparks(ChatDetector):
    """A language model's list of eight described types of personal information, without an example."""

    file = "sparks.toml"


class Student(ChatDetector):
    """A language model's list of six types of personal information, with an example that holds only a link."""

    file = "student.toml"
