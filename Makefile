PYTHON ?= python3
BIN := .venv/bin
SITE := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

export PYTHONDONTWRITEBYTECODE :=  # every process that is started would otherwise compile our files again

.PHONY: reproduce demo test soak soak-short check format docs bench bench-quick bench-service clean

reproduce: .venv/installed ## play the paper's experiments, check its claims, write the report
	$(BIN)/trueward reproduce

demo: .venv/installed ## see the dashboard with a simulated class, careless students and a bot
	$(BIN)/trueward demo

test: .venv/installed ## run all tests
	$(BIN)/pytest

soak: .venv/installed ## the long proofs: many kills, thousands of streams; half an hour on two cores
	$(BIN)/pytest -m soak

soak-short: .venv/installed ## the same proofs, a few of each
	SOAK=short $(BIN)/pytest -m soak

check: .venv/installed ## what CI runs: format, lint, types, import contract, tests, documentation
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest
	$(SITE)

format: .venv/installed ## format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .venv/installed ## write what comes from the code, and the documentation site to build/site
	$(BIN)/python scripts/public_names.py
	$(BIN)/python scripts/cli_reference.py
	$(BIN)/python scripts/folder_picture.py
	$(BIN)/python scripts/wary_constants.py
	$(SITE)

bench: .venv/installed ## speed beside other libraries and C, growth, memory, start-up; some ten minutes
	$(BIN)/python benchmarks/bench.py

bench-quick: .venv/installed ## see in some seconds that every benchmark runs; its numbers mean nothing
	$(BIN)/python benchmarks/bench.py --quick

bench-service: .venv/installed ## requests per second over HTTP, beside endpoints that only write the same rows
	$(BIN)/python benchmarks/service.py

clean: ## remove the environment and caches
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build/site

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@
