# The environment is .venv at the repository's root. Everything that needs it makes it, and remakes it when
# pyproject.toml or constraints.txt is newer; uv does the work where it is on PATH, venv and pip where it is not.

PYTHON ?= python3
ARGS ?=

BIN := .venv/bin
READY := .venv/.ready
UV := $(shell command -v uv 2>/dev/null)
PIP := $(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help setup run test explore attack check fix bench screenshots requirements lock clean

help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo 'PYTHON=python3.12 chooses the interpreter of a new .venv, ARGS="..." is handed on to run, test, bench,'
	@echo 'requirements and lock: make run ARGS="agents list --json", make lock ARGS=--upgrade'

setup: $(READY) ## Create or update .venv, with exactly the packages of constraints.txt

# Hashes count for pip only when every package has one. So the pinned packages come first, from constraints.txt
# alone, and then the project itself without its dependencies, built by the pinned hatchling.
$(READY): pyproject.toml constraints.txt
	$(if $(shell $(PYTHON) -c 'import sys; print(sys.version_info >= (3, 11) or "")' 2>/dev/null),,$(error Maverick needs Python 3.11 or newer and $(PYTHON) is not that: name one, for example with: make PYTHON=python3.12 setup))
	@echo 'Setting up .venv; the first time it downloads some 225 MB.'
ifneq ($(UV),)
	@$(BIN)/python -c '' 2>/dev/null || { rm -rf .venv && $(UV) venv --quiet --python "$$(command -v $(PYTHON))" .venv; }
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes constraints.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
else
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { rm -rf .venv && $(PYTHON) -m venv .venv; }
	@$(PIP) --no-compile --require-hashes -r constraints.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
endif
	@$(BIN)/python -m compileall -qq -j 0 .venv/lib maverick_tui || true # packages may ship files that do not compile
	@touch $@

run: $(READY) ## Run maverick; without credentials it plays the demo
	@$(BIN)/maverick $(ARGS)

test: $(READY) ## Run the tests
	@$(BIN)/python tests/compiled.py
	$(BIN)/python -m pytest -n 4 --dist worksteal $(ARGS)

explore: $(READY) ## Look for new counterexamples of the properties, and try all of what make test tries a part of
	HYPOTHESIS_PROFILE=explore $(BIN)/python -m pytest -n 2 -m "hypothesis or explore" $(ARGS)

attack: $(READY) ## Try every attack of tests/attacks in every way; it takes some minutes
	ATTACK=all $(BIN)/python -m pytest -n 2 -m "explore or not explore" tests/attacks $(ARGS)

check: $(READY) ## Check format, lint, types and the layers of the packages
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(READY) ## Format, and repair what the linter can repair
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(READY) ## Measure speed
	@$(BIN)/python tests/bench/run.py $(ARGS)

screenshots: $(READY) ## Take the pictures in screenshots/ from the running demo
	@$(BIN)/python tests/screenshots/take.py $(ARGS)

requirements: $(READY) ## Show which requirements have a test
	@$(BIN)/python tests/requirements.py $(ARGS)

lock: ## Write constraints.txt from pyproject.toml (needs uv)
	$(if $(UV),,$(error make lock needs uv on PATH))
	$(UV) pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' --quiet \
		--output-file constraints.txt $(ARGS)

clean: ## Remove .venv and everything else that was generated
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache snapshot_report.html
	find maverick_tui tests -name __pycache__ -type d -prune -exec rm -rf {} +
