"""The REST service: queues, stores, shows."""
