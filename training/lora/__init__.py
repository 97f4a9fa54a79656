"""Low-rank adapters for causal language models, trained on originals and their anonymized texts."""
