"""Asks the models: leases, drivers, API kinds, bounded concurrency."""
