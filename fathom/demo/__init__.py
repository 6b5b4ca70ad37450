"""`make demo`: a real small language model evaluated on this machine, from nothing to a table."""
