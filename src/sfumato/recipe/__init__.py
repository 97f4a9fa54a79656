"""A pipeline as data: small TOML files, checked at the door. Those that come with the package are in ``shipped/``."""

from sfumato.recipe.loading import load, methods, names, parse
from sfumato.recipe.model import DETECT, Choice, Recipe, UserPattern

__all__ = ["DETECT", "Choice", "Recipe", "UserPattern", "load", "methods", "names", "parse"]
