"""Recall and precision as the Text Anonymization Benchmark defines them."""
