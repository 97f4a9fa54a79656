"""Synthesis: a causal language model, fine-tuned on records with or without differential privacy, writes new ones."""
