# `make demo` evaluates a real model here; `make test` checks everything. Both install what they need into .venv.
SHELL := /bin/bash
PYTHON ?= python3
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
# Installs exactly what the lock file says. The second try is for networks whose certificates only this machine knows.
define sync
	@echo "installing what uv.lock names"
	@export UV_PROJECT_ENVIRONMENT=$(VENV); $(BIN)/uv sync --quiet --frozen --inexact --compile-bytecode $(1) \
	  || $(BIN)/uv sync --system-certs --quiet --frozen --inexact --compile-bytecode $(1)
	@touch $@
endef

.PHONY: demo test lint types unit soak clean

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Fathom needs Python 3.11 or newer; set PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(VENV)/.demo: $(BIN)/uv pyproject.toml uv.lock
	$(call sync,--no-default-groups --extra worker --extra service --extra demo)

$(VENV)/.test: $(BIN)/uv pyproject.toml uv.lock
	$(call sync,--extra worker --extra service --extra demo)

# Everything on this machine: database, service, worker, a small real model, a job. ARGS=--once ends after the job.
demo: $(VENV)/.demo
	@exec $(BIN)/python -m fathom.demo $(ARGS)

test: lint types unit

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.test
	$(BIN)/mypy

unit: $(VENV)/.test
	$(BIN)/python -m pytest $(ARGS)

# The crash tests' faults for an hour, mixed at random (MINUTES=n for another time).
soak: $(VENV)/.test
	$(BIN)/python -m tests.faults.soak --minutes $${MINUTES:-60} $(ARGS)

clean:
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
