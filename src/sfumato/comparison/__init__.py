"""Methods side by side on one corpus: how private, how useful."""
