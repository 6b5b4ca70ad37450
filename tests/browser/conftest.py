"""The fixtures of the service's tests, for tests that look at its pages with a real Chromium."""

from tests.service.api.conftest import model, service

__all__ = ["model", "service"]
