"""The typed messages between client, service and worker.

Everything that crosses a process boundary is a pydantic model in this package, so that the API's
documentation, the SDK and the worker agree by construction. The package imports nothing of ours.
"""

PROTOCOL_VERSION = 1
"""Raised whenever a worker of the older version can no longer work with the service."""
