"""The Levenshtein family: how much of an original can be spelled out again from its release."""
