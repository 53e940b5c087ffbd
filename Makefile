# memkit: `make demo` and `make test` need Python 3.11+ and make, nothing else.
SHELL := /bin/sh
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo $$p; break; fi; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
CORPORA ?= ../shared/corpora
WORKERS ?= logical

.PHONY: help setup demo tools test test-shuffled check docs notebooks browser gallery bench rivals bench-smoke quality reliability reliability-release corpora format clean

help: ## this list
	@grep -hE '^[a-z%-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-21s %s\n", $$1, $$2}'

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "memkit needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(BIN)/python pyproject.toml
	$(PIP) install --quiet --upgrade "pip>=25.1"
	$(PIP) install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(PIP) install --quiet --editable . --group dev
	@touch $@

$(VENV)/.browser: $(VENV)/.dev
	$(PIP) install --quiet --group browser
	@touch $@

setup: $(VENV)/.dev ## everything for developing, in .venv

demo: $(VENV)/.core ## store the sample decisions in a temporary root, recall them, question them
	$(BIN)/python data-samples/demo.py

test: $(VENV)/.dev ## all ordinary tests, a file of them at a time on each processor: WORKERS=0 for one after the other
	$(BIN)/python -m pytest -p no:randomly -n $(WORKERS) --dist loadfile

test-shuffled: $(VENV)/.dev ## the same in another order each time
	$(BIN)/python -m pytest

check: $(VENV)/.dev ## formatting, lint, types, floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

tools: ## other projects' tools in .tools: the tests of imports read what they write, and skip where they are not
	@test -x .tools/bin/python || $(PYTHON) -m venv .tools
	.tools/bin/python -m pip --disable-pip-version-check install --quiet --upgrade "pip>=25.1"
	.tools/bin/python -m pip --disable-pip-version-check install --quiet --group tools
	@if command -v npm >/dev/null 2>&1; then \
		npm install --silent --no-fund --no-audit --prefix .tools "@modelcontextprotocol/server-memory@>=2025.8.4"; \
	else echo "no npm: the memory server is left out"; fi

docs: $(VENV)/.dev ## run the pages and write the outputs they show anew
	$(BIN)/python -m tests.docs

notebooks: $(VENV)/.dev ## execute every notebook in a fresh kernel; `python -m tests.notebooks` stores what they show
	$(BIN)/python -m pytest -m notebook -p no:randomly tests/notebooks

browser: $(VENV)/.browser ## look at notebooks in JupyterLab in the system's Chromium; pictures in build/browser
	$(BIN)/python -m pytest -m browser -p no:randomly tests/browser

gallery: $(VENV)/.browser ## draw the pictures of docs/gallery.md from the notebooks, by the system's Chromium
	$(BIN)/python -m tests.gallery

bench: $(VENV)/.dev ## memkit beside its rivals at 1,000 to 100,000 entries (SIZES="...", 1000000 takes longest), then the rest
	$(BIN)/python -m tests.bench --sizes $(SIZES) $(BENCH_OPTIONS)
	$(BIN)/python -m tests.bench

rivals: $(VENV)/.dev ## what `make bench` compares with, in .rivals; those that are not there are left out
	$(PIP) install --quiet --target .rivals --no-deps --upgrade tantivy anatid selvedge

bench-smoke: $(VENV)/.dev ## assert the ratios that noise cannot break
	$(BIN)/python -m tests.bench --smoke $(BENCH_OPTIONS)

quality: $(VENV)/.dev ## how well recall finds, beside FTS5 and bm25s; DATA=DIR for conversation files too
	$(BIN)/python -m tests.quality $(if $(DATA),--data $(DATA))

reliability: $(VENV)/.dev ## the reliability ladder in its CI size, with its table: TIERS="..." for some of it
	$(BIN)/python -m tests.reliability $(TIERS)

reliability-release: $(VENV)/.dev ## the same in its release size
	$(BIN)/python -m tests.reliability --release $(TIERS)

reliability-%: $(VENV)/.dev ## one tier of it: faults, crash-points, crash-model, torn-data, ... (docs/concepts/durability.md)
	$(BIN)/python -m tests.reliability $*

reliability-release-%: $(VENV)/.dev ## one tier in its release size
	$(BIN)/python -m tests.reliability --release $*

corpora: $(VENV)/.dev ## accuracy of the ADR importer on real records: CORPORA=DIR
	$(BIN)/python -m tests.corpora.score $(CORPORA)

format: $(VENV)/.dev ## format and fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
