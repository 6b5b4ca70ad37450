"""Drivers: where calls start."""
