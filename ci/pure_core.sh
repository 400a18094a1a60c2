#!/usr/bin/env bash
# Python stays above the core: pyo3 may appear in the binding crate and nowhere else.
set -euo pipefail
cd "$(dirname "$0")/.."

if grep -rnI 'pyo3' crates --include='*.rs' --include='Cargo.toml' | grep -v '^crates/pgtrickle-py/'; then
    echo "pyo3 is named outside crates/pgtrickle-py" >&2
    exit 1
fi
if cargo tree --locked --package pgtrickle-core --edges all --prefix none | grep '^pyo3'; then
    echo "pgtrickle-core depends on pyo3" >&2
    exit 1
fi
