PYTHON ?= python3
BIN := .venv/bin

.PHONY: reproduce test check format docs bench bench-quick clean

reproduce: .venv/installed ## play the paper's experiments, check its claims, write the report
	$(BIN)/trueward reproduce

test: .venv/installed ## run all tests
	$(BIN)/pytest

check: .venv/installed ## what CI runs: format, lint, types, import contract, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

format: .venv/installed ## format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .venv/installed ## write the pages that come from the code
	$(BIN)/python scripts/cli_reference.py

bench: .venv/installed ## speed beside other libraries and C, growth, memory, start-up; some ten minutes
	$(BIN)/python benchmarks/bench.py

bench-quick: .venv/installed ## see in some seconds that every benchmark runs; its numbers mean nothing
	$(BIN)/python benchmarks/bench.py --quick

clean: ## remove the environment and caches
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@
