"""Training of the small masked language model: text in, information content out."""
