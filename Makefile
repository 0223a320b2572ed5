# Iris: one virtual environment, made here, with nothing but Python (3.11 or newer) and pip.
# `make help` lists what there is.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STORE  ?= .iris
PORT   ?= 8765
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup run test check bench eval docs lock clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

setup: $(VENV)/.run ## make .venv and install Iris with its server

run: $(VENV)/.run ## serve Iris on an embedded store in $(STORE), at 127.0.0.1:$(PORT)
	$(BIN)/iris serve --store $(STORE) --port $(PORT)

test: $(VENV)/.dev ## run every test, installing a browser and a pooler where they are missing and may be
	@requirements/system.sh
	$(BIN)/python -m pytest

check: $(VENV)/.dev ## lint, types, floors
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(VENV)/.run ## measure, each number beside a floor of the same run
	$(BIN)/iris bench all

eval: $(VENV)/.run ## run the release-gating suites
	$(BIN)/iris eval

docs: $(VENV)/.run ## write docs/reference from the tables and contracts
	$(BIN)/iris docs docs/reference

lock: ## renew requirements/*.txt (needs uv)
	requirements/compile.sh

clean: ## remove the environment and the caches (never a store)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Iris needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Set PYTHON=python3.x.")'
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml requirements/run.txt | $(VENV)/bin/python
	@echo "installing Iris and its server into $(VENV)"
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements/run.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml requirements/dev.txt | $(VENV)/bin/python
	@echo "installing Iris and its test tools into $(VENV)"
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $(VENV)/.run $@
