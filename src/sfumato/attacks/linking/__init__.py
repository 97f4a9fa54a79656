"""Attacks that link a release to a person: what its words, characters or meaning share with what is known of each."""
