# Everything sets itself up: `make demo` and `make test` work on a fresh machine with Python 3.11+ and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LIVE := $(BIN)/python tests/support/with_name.py
WHERE_units := tests/unit tests/conformance
WHERE_commands := tests/integration/commands tests/integration/documents
WHERE_models := tests/integration/langchain tests/integration/models tests/integration/recall tests/integration/web
WHERE_others := tests/integration $(patsubst %,--ignore=%,$(WHERE_commands) $(WHERE_models))
PACKAGES := interfaces service graph nodes retrieval stores models prompts text schema

.PHONY: demo studio notebooks docs frameworks shipped test quick slow lint bench clean setup

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (once; about a minute on an idle machine) ..."
	@$(BIN)/python -m pip install --progress-bar off --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $(READY)

demo: $(READY)
	@$(BIN)/historian demo

# The server of LangGraph Studio on http://127.0.0.1:2024, with no account and no word to anybody; Ctrl-C ends it.
studio: $(READY)
	@LANGGRAPH_CLI_NO_ANALYTICS=1 $(BIN)/langgraph dev --no-browser

# Runs every notebook anew and writes its outputs into it, without what changes from run to run.
notebooks: $(READY)
	@$(BIN)/python notebooks/execute.py

# The quick suite first, so that an ordinary mistake shows early; then the slow one (crashes, processes, hostile models).
# Each runs in four parts, two at a time; their lines come as they are printed, behind the name of their part, and what
# stands of an unfinished line every five seconds.
test: quick slow

quick slow: $(READY)
	@echo "Running the $@ tests in four parts, two at a time; a line of dots is 72 tests ..."
	@$(MAKE) --no-print-directory -j2 $@-others $@-models $@-units $@-commands
	@echo "The $@ tests passed."

quick-%: $(READY)
	@$(LIVE) $* $(BIN)/python -m pytest -m "not slow" $(WHERE_$*)

slow-%: $(READY)
	@$(LIVE) $* $(BIN)/python -m pytest -m slow $(WHERE_$*)

lint: $(READY) shipped
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cd $(VENV)/shipped && ../bin/mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache -p historian
	cd $(VENV)/shipped && PYTHONPATH=. ../bin/lint-imports --config ../../pyproject.toml --no-cache

# mypy, the import contract and the reference look at exactly what ships: a package folder made of links, beside the environment.
shipped:
	@mkdir -p $(VENV)/shipped/historian
	@for part in __init__.py __main__.py graphs.py py.typed $(PACKAGES); do ln -sfn ../../../$$part $(VENV)/shipped/historian/$$part; done

# The documentation as a site in build/docs; it loads nothing from elsewhere.
docs: $(READY) shipped
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "build/docs/index.html; with the search: $(BIN)/python -m http.server --directory build/docs"

# The frameworks that examples plug into, each running its example. They want versions of their own, and so have environments of
# their own, which are made side by side (some minutes the first time); where node is missing, Koishi is left out.
frameworks:
	@$(MAKE) --no-print-directory -j3 .venv-frameworks/.ready .venv-astrbot/.ready .venv-koishi/.ready
	.venv-frameworks/bin/python -m pytest -W ignore::DeprecationWarning tests/frameworks

.venv-frameworks/.ready: pyproject.toml tests/frameworks/constraints.txt
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip install -q --disable-pip-version-check -c tests/frameworks/constraints.txt \
		-e ".[frameworks,local,web]" hypothesis pytest pytest-asyncio
	@touch $@

.venv-astrbot/.ready: tests/frameworks/astrbot.txt
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip install -q --disable-pip-version-check -c tests/frameworks/astrbot.txt AstrBot
	@touch $@

.venv-koishi/.ready: tests/frameworks/koishi.txt
	@mkdir -p $(@D)
	@if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix $(@D) $$(cat tests/frameworks/koishi.txt); fi
	@touch $@

# What the project promises, as one table; LOCOMO=FILE adds that corpus to the notes that come along (about two minutes).
bench: $(READY)
	$(BIN)/python benchmarks/acceptance.py $(if $(LOCOMO),--locomo $(LOCOMO))

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path "./$(VENV)/*" -prune -exec rm -rf {} +
