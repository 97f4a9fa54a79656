"""Something vaguer that is still true: candidates, their order, which one stands, how it fits into the sentence."""
