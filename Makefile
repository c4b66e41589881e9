# Everything sets itself up: `make demo` and `make test` work on a fresh machine with Python 3.11+ and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
COMMANDS := $(wildcard tests/integration/test_cli_*.py)
PACKAGES := interfaces service graph nodes retrieval stores models prompts text schema

.PHONY: demo studio notebooks test quick slow lint bench clean setup

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (about a minute the first time) ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $(READY)

demo: $(READY)
	@$(BIN)/historian demo

# The server of LangGraph Studio on http://127.0.0.1:2024, with no account and no word to anybody; Ctrl-C ends it.
studio: $(READY)
	@LANGGRAPH_CLI_NO_ANALYTICS=1 $(BIN)/langgraph dev --no-browser

# Runs every notebook anew and writes its outputs into it, without what changes from run to run.
notebooks: $(READY)
	@$(BIN)/python notebooks/execute.py

# The quick suite first, so that an ordinary mistake shows early; then the slow one (crashes, hostile models). Each runs in two
# processes side by side, about as long each: the tests of units and of commands, and the others; what they print comes as
# each of them ends.
test: quick slow

quick slow: $(READY)
	@echo "Running the $@ tests; what they print comes at their end, in a few minutes ..."
	@$(MAKE) --no-print-directory -j2 --output-sync=target $@-units $@-others

%-units: $(READY)
	$(BIN)/python -m pytest -m "$(if $(filter quick,$*),not slow,slow)" tests/unit tests/conformance $(COMMANDS)

%-others: $(READY)
	$(BIN)/python -m pytest -m "$(if $(filter quick,$*),not slow,slow)" tests/integration $(COMMANDS:%=--ignore=%)

# mypy and the import contract look at exactly what ships: a package folder made of links, beside the environment.
lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@mkdir -p $(VENV)/shipped/historian
	@for part in __init__.py py.typed $(PACKAGES); do ln -sfn ../../../$$part $(VENV)/shipped/historian/$$part; done
	cd $(VENV)/shipped && ../bin/mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache -p historian
	cd $(VENV)/shipped && PYTHONPATH=. ../bin/lint-imports --config ../../pyproject.toml --no-cache

# What the project promises, as one table; LOCOMO=FILE adds that corpus to the notes that come along (about two minutes).
bench: $(READY)
	$(BIN)/python benchmarks/acceptance.py $(if $(LOCOMO),--locomo $(LOCOMO))

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path "./$(VENV)/*" -prune -exec rm -rf {} +
