"""What is asked and how it is scored: pure and deterministic; no network, no database, no clock."""
