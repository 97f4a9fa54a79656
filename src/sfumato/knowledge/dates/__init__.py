"""Dates as people write them: the calendar's words, the forms, what they say, and moving them."""
