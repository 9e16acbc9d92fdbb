# `make` alone lists the targets.  The plain commands behind them stand in README.md.
SHELL := bash
.DEFAULT_GOAL := help
PORT ?= 8000
BIN := .venv/bin
export NO_MKDOCS_2_WARNING := 1

.PHONY: help setup serve build check fix test bench clean lock

help:
	@echo "GB10 Ledger"
	@grep -hE '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

setup: .venv/.dev  ## make .venv with everything that serving and testing need

serve: .venv/.runtime  ## read the site at http://127.0.0.1:8000/ (PORT=8001, ONLY=zh)
	@$(BIN)/mkdocs serve --dev-addr 127.0.0.1:$(PORT)

build: .venv/.runtime  ## check the data and write the static site to site/ (SITE_URL=https://…/)
	@$(BIN)/mkdocs build --strict

check: .venv/.runtime  ## check every rule on the data
	@$(BIN)/python -m macros check

fix: .venv/.runtime  ## put the data files into their normal form; never changes a value
	@$(BIN)/python -m macros fix

test: .venv/.dev  ## run every test, also in Chromium (BROWSER=none leaves those out)
	@tools/setup browser
	@$(BIN)/python -m pytest -n auto

bench: .venv/.dev  ## run the long tests, which `make test` leaves out
	@$(BIN)/python -m pytest -m bench

clean:  ## delete the built site and the caches, keep .venv
	@rm -rf site .pytest_cache .ruff_cache
	@find macros tests -name __pycache__ -type d -prune -exec rm -rf {} +

lock: .venv/.dev  ## resolve the dependencies of pyproject.toml again (needs uv)
	@tools/setup lock

.venv/.runtime: requirements.txt pyproject.toml
	@tools/setup runtime

.venv/.dev: requirements-dev.txt pyproject.toml
	@tools/setup dev
