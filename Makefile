# make run: the main job on the laptop engagement. make test: the tests. make check: lint, types, tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export OMP_NUM_THREADS ?= 1
export HF_HUB_OFFLINE ?= 1
export TRL_EXPERIMENTAL_SILENCE ?= 1

.PHONY: run test check lint types ui bench clean
run: $(STAMP)
	$(BIN)/worldloom run laptop

test: $(STAMP)
	$(BIN)/python -m pytest

check: lint types test

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

ui: $(STAMP)
	$(BIN)/worldloom ui

bench: $(STAMP)
	for file in $$(grep -l __main__ benchmarks/*.py | grep -v datatrove_baseline); do $(BIN)/python -m benchmarks.$$(basename $$file .py) || exit 1; done

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -c constraints.txt torch==2.13.0
	$(BIN)/pip install --quiet -c constraints.txt -e '.[train,serve,dev]'
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
