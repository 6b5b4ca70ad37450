"""API kinds: how to talk to a model."""
