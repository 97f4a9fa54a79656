"""Realistic values of the same kind."""
