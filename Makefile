# Two targets do everything on a fresh machine: `make demo` and `make test`. PYTHON=... chooses the interpreter.
# `make docs` writes the generated parts of the documents.
# `make mutants` plants bugs and looks whether the tests find them: an hour or more (campaigns/README.md).
# `make hostile` gives every command files that are none and models beyond measure: some minutes.
# `make fuzz` checks random systems in every way for an hour.
PYTHON ?= $(firstword $(foreach name,python3.13 python3.12 python3.11 python3,$(shell \
	$(name) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $(name))))
BIN := .venv/bin
INSTALLED := .venv/installed
QUIET := -qq --disable-pip-version-check

.PHONY: demo test docs clean mutants fuzz hostile

demo: $(INSTALLED)
	@$(BIN)/python -m examples.demo

test: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

docs: $(INSTALLED)
	$(BIN)/python -m tests.pages

mutants: $(INSTALLED)
	$(BIN)/python -m campaigns.mutants

hostile: $(INSTALLED)
	$(BIN)/python -m campaigns.hostile

fuzz: $(INSTALLED)
	$(BIN)/python -m campaigns.fuzz --minutes 60 --seed 1

clean:
	rm -rf .venv

# The wheels are kept, so that the test that installs symdmc into an empty environment needs no network.
$(INSTALLED): pyproject.toml
	@test -n "$(PYTHON)" || { echo "symdmc needs Python 3.11, 3.12 or 3.13: install one, or name it with PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || { echo "$(PYTHON) is not Python 3.11, 3.12 or 3.13: name another with PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) cannot make virtual environments: install its venv package"; exit 1; }
	@echo "installing into .venv (once, about a minute)"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/pip wheel $(QUIET) --wheel-dir .venv/wheels '.[test]'
	@rm -f .venv/wheels/symdmc-*.whl
	@$(BIN)/pip install $(QUIET) --no-index --find-links .venv/wheels hatchling editables
	@$(BIN)/pip install $(QUIET) --no-index --find-links .venv/wheels --no-build-isolation --editable '.[test]'
	@touch $@
