"""A model in a GGUF file, run inside this process."""
