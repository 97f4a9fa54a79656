"""A small causal language model from scratch, as a base for synthesis."""
