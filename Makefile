# The two commands of the README are `make demo` and `make test`; the rest is for those who change the code.
# Needs Python 3.11 or later, a Rust toolchain and make; everything else goes into .venv.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PATH := $(CURDIR)/$(BIN):$(PATH)
unexport PYTHONHOME

RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name 'Cargo.toml')

# A stamp is a promise that the built module is in the tree; without the module the promise is void.
ifeq ($(wildcard python/pgtrickle/_core*.so),)
$(shell rm -f $(VENV)/.build)
endif

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: build ## set up everything and show stream tables at work on an embedded PostgreSQL
	@$(BIN)/pgtrickle demo

.PHONY: test
test: venv ## set up everything and run every check and test
	@ci/install_postgres.sh
	@ci/check

.PHONY: venv
venv: $(VENV)/.deps ## make .venv with the locked dependencies

$(VENV)/.deps: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "pgtrickle needs Python 3.11 or later; name one with make PYTHON=..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

.PHONY: build
build: $(VENV)/.build ## build the Rust core and install the package into .venv, editable

$(VENV)/.build: $(VENV)/.deps pyproject.toml $(RUST_SOURCES)
	$(BIN)/maturin develop --release --quiet
	@touch $@

.PHONY: lint
lint: venv ## check format, lint, sizes and import directions, Python and Rust
	@ci/check lint

.PHONY: types
types: build ## check the types, and the stub of the Rust core against the build
	@ci/check types

.PHONY: unit
unit: build ## run the tests that need no server, Python and Rust; seconds
	@ci/check unit

.PHONY: pg
pg: build ## run the tests that need a PostgreSQL server
	@ci/check pg

.PHONY: bench
bench: build ## measure: refreshes against hand-written SQL and full evaluation, the compiler, the Rust core from Rust and from Python
	$(BIN)/python -m benches.recipe
	$(BIN)/python -m benches.scaling
	$(BIN)/python -m benches.tpch
	$(BIN)/python -m benches.tpch --compile
	$(BIN)/python -m benches.verify
	$(BIN)/python -m benches.first_refresh
	cargo bench --locked -p pgtrickle-core
	$(BIN)/pytest benches -o python_files='bench_*.py' -o python_functions='bench_*' -m '' --benchmark-enable

FUZZ_SECONDS ?= 300

.PHONY: fuzz
fuzz: ## search for inputs that break the decoders, led by coverage (needs rustup's nightly and cargo-fuzz)
	cd crates/pgtrickle-core && for target in copy pgoutput; do \
		cargo +nightly fuzz run "$$target" -- -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=512; \
	done

.PHONY: wheel
wheel: venv ## build the wheel into dist/
	$(BIN)/maturin build --release --locked --out dist

.PHONY: lock
lock: ## write requirements.lock anew from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --quiet --upgrade --group dev --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --no-emit-index-url --output-file requirements.lock

.PHONY: clean
clean: ## remove everything that was built, .venv too
	rm -rf $(VENV) target dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	rm -f python/pgtrickle/_core*.so
	find python tests ci benches spark-connector -name __pycache__ -type d -prune -exec rm -rf {} +
