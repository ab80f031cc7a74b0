# Every target makes what it needs: a fresh clone and Python 3.11 or newer are enough.

PYTHON ?= python3
PORT ?= 8000
PY := .venv/bin/python
TESTS := $(PY) -m pytest
# A test that hangs ends its process, and says where.
GUARDED := $(TESTS) -o faulthandler_timeout=240 -o faulthandler_exit_on_timeout=true
QUICK := $(GUARDED) -m "not soak and not process and not browser and not wide"
LATER := nice  # than browsers and servers, which somebody waits for: a test of theirs that starves fails
ON_POSTGRESQL := $(PY) -m tests.run_postgres --
MARKED = $(shell grep -rl --include="test_*.py" "mark\.postgresql" tests)
APPS := $(notdir $(patsubst %/apps.py,%,$(wildcard annotation/*/apps.py)))  # those behind the engine
SPREAD := -n 4 --dist worksteal  # over two cores: a good part of the tests waits for a browser or a server
# One half of the tests by the time they take; each half runs in one process, and nothing is collected twice.
HALF := tests/views tests/security tests/marketplaces tests/tasks tests/api tests/studies
QUICK_HALF := $(HALF) tests/mturk_api tests/management
SPECTACULAR := $(PY) manage.py spectacular --settings annotation.api.schema_settings
OXLINT := .venv/node_modules/.bin/oxlint
DJADE := find annotation tasks templates -name '*.html' -print0 | xargs -0 .venv/bin/djade
# The tests start Python more than a hundred times: without its compiled files each start would compile everything.
unexport PYTHONDONTWRITEBYTECODE

# `make demo` is content with the product's own packages, but uses the developers' .venv where there is one.
DEMO_VENV := $(if $(wildcard .venv/dev.stamp),.venv/dev.stamp,.venv/run.stamp)

# Only if it is given here: some shells export the computer's name as HOST.
DEMO_HOST = $(if $(filter command,$(firstword $(origin HOST))),--host $(HOST))

# `make bench NAME …` runs these comparisons only: the names after it are no targets of their own.
ifeq ($(firstword $(MAKECMDGOALS)),bench)
BENCH ?= $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
ifneq ($(BENCH),)
.PHONY: $(BENCH)
$(BENCH): bench
	@:
endif
endif

.DEFAULT_GOAL := help
.PHONY: help setup demo quick test lint fix bench simulate soak mutants tasks figures translations schema wheel

help:  ## this list
	@echo "make TARGET [PYTHON=python3.11] [PORT=8000]"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST)

setup: .venv/dev.stamp  ## build .venv from the lock file

demo: $(DEMO_VENV)  ## a working installation with invented data at http://localhost:$(PORT) (HOST=0.0.0.0 lets your network in)
	@$(PY) manage.py demo --port $(PORT) $(DEMO_HOST)

test: .venv/dev.stamp  ## lint, then the tests: on SQLite, with real servers, and on PostgreSQL what depends on it
	@failed=""; start=$$(date +%s); TESTS_SHARED=$$(mktemp -d); export TESTS_SHARED; trap 'rm -rf "$$TESTS_SHARED"' EXIT; \
	beside() { log="$$TESTS_SHARED/$$1.log"; shift; "$$@" >"$$log" 2>&1 & }; \
	report() { wait "$$2" || failed="$$failed $$1"; echo "== $$3"; cat "$$TESTS_SHARED/$$1.log"; }; \
	both() { echo "== on SQLite"; $(LATER) $(GUARDED) -m "not soak and not process and not browser" $$1; sqlite=$$?; \
		echo "== on PostgreSQL, what depends on the database"; \
		$(LATER) $(ON_POSTGRESQL) $(GUARDED) -m "postgresql and not soak and not process" $$2 && [ $$sqlite = 0 ]; }; \
	beside lint $(LATER) $(MAKE) --no-print-directory lint; lint=$$!; \
	beside browser $(GUARDED) -m "not soak" tests/browser; browser=$$!; \
	beside process $(GUARDED) -m "process and not soak" tests/process; process=$$!; \
	beside half both "$(HALF)" "$(filter $(HALF:%=%/%),$(MARKED))"; half=$$!; \
	echo "== all but $(HALF)"; \
	both "$(HALF:%=--ignore=%) tests" "$(filter-out $(HALF:%=%/%),$(MARKED))" || failed="$$failed rest"; \
	report half $$half "$(HALF)"; \
	report browser $$browser "in the browser"; \
	report process $$process "real servers and workers, on both"; \
	report lint $$lint "style and types"; \
	echo "$$(($$(date +%s) - start)) seconds"; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

quick: .venv/dev.stamp  ## in a minute: lint, and the tests that are quick, without servers and browser
	@failed=""; start=$$(date +%s); log=$$(mktemp -d); trap 'rm -rf "$$log"' EXIT; \
	$(MAKE) --no-print-directory lint >"$$log/lint" 2>&1 & lint=$$!; \
	$(QUICK) $(QUICK_HALF) >"$$log/half" 2>&1 & half=$$!; \
	$(QUICK) $(QUICK_HALF:%=--ignore=%) --ignore=tests/browser --ignore=tests/process tests || failed="$$failed rest"; \
	wait $$half || failed="$$failed half"; cat "$$log/half"; \
	wait $$lint || failed="$$failed lint"; cat "$$log/lint"; \
	echo "$$(($$(date +%s) - start)) seconds"; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

lint: .venv/dev.stamp  ## style, types and the count of code
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@$(DJADE) --check
	@.venv/bin/mypy
	@$(MAKE) --no-print-directory -s $(OXLINT) || true
	@if [ -x $(OXLINT) ]; then $(OXLINT) --deny-warnings static tasks annotation tests/scripts; \
	else echo "scripts are not linted: npm could not install oxlint"; fi
	@$(PY) -m tests.measures

# In .venv, where nothing of it stands beside the product's own files.
$(OXLINT): package.json | .venv/dev.stamp
	@cp package.json .venv/ && npm install --prefix .venv --no-package-lock --no-audit --no-fund --silent && touch $@

fix: .venv/dev.stamp  ## mend what the linter can mend
	@.venv/bin/ruff check --fix .
	@.venv/bin/ruff format .
	@$(DJADE)

bench: .venv/dev.stamp  ## the comparisons with a goal, in one run; `make bench NAME` for some
	@$(PY) -m tests.bench $(BENCH)

simulate: .venv/dev.stamp  ## a history that SEED=1 decides, of STEPS=20000 (ON=postgresql, PLANT=fault): what happens, and what does not hold
	@$(if $(ON),$(ON_POSTGRESQL)) $(PY) -m tests.simulation --seed $(or $(SEED),1) --steps $(or $(STEPS),20000) \
		$(if $(PLANT),--plant "$(PLANT)")

soak: .venv/dev.stamp  ## what takes long: `make soak PART=long` (or process, browser, axe, apps, plain, postgresql, strangers) takes one part
	@failed=""; TESTS_SHARED=$$(mktemp -d); export TESTS_SHARED; trap 'rm -rf "$$TESTS_SHARED"' EXIT; \
	for part in $(or $(PART),long process browser axe apps plain postgresql); do \
		start=$$(date +%s); echo "== soak: $$part"; \
		case $$part in \
			strangers) $(TESTS) -m "strangers" tests/strangers;; \
			apps) TESTS_WITHOUT="$(APPS)" $(TESTS) $(SPREAD) -m "not soak and not process and not browser";; \
			plain) HOPSCRIBE_PLAIN_QUERIES=1 $(TESTS) -m "not soak" tests/flow/work tests/views/work;; \
			long) SOAK=1 $(TESTS) $(SPREAD) -m "(soak or hypothesis) and not process and not browser";; \
			process) $(TESTS) -n 2 --dist worksteal -m "soak and process" tests/process;; \
			browser) $(TESTS) $(SPREAD) -m "soak and browser" tests/browser;; \
			axe) AXE=whole $(TESTS) $(SPREAD) -m "axe" tests/browser;; \
			postgresql) $(ON_POSTGRESQL) $(TESTS) $(SPREAD) -m "(not soak or postgresql) and not process and not browser";; \
			*) echo "there is no part $$part"; false;; \
		esac || failed="$$failed $$part"; \
		echo "== soak: $$part took $$(($$(date +%s) - start)) seconds"; \
	done; \
	if [ -n "$$failed" ]; then echo "failed:$$failed; again with make soak PART=\"...\""; exit 1; fi

mutants: .venv/dev.stamp  ## lines broken on purpose, and whether a test notices (N=300 SEED=1 IN=annotation/flow/money/ledger.py)
	@$(PY) -m tests.mutants --count $(or $(N),300) --seed $(or $(SEED),1) $(IN)

figures: .venv/dev.stamp  ## docs/figures.md, from the explanations of figures
	@$(PY) -m tests.figure_guide

tasks: .venv/dev.stamp  ## the list of tasks in docs/requesters.md, from the tasks' pages
	@$(PY) -m tests.task_pages

translations: .venv/dev.stamp  ## the texts that have no German yet, or an uncertain one
	@$(PY) -m tests.translations

schema: .venv/dev.stamp  ## build/api-schema.yaml and .json, from the views; docs/ keeps the released one
	@mkdir -p build
	@$(SPECTACULAR) --file build/api-schema.yaml --validate --fail-on-warn
	@$(SPECTACULAR) --file build/api-schema.json --format openapi-json

wheel: .venv/dev.stamp schema  ## wheels and sdists in build/dist
	@rm -rf build/static build/dist build/var
	@HOPSCRIBE_VAR=build/var STATIC_ROOT=build/static $(PY) manage.py collectstatic --noinput --verbosity 0
	@rm -rf build/var
	@$(PY) -m hatchling build -d build/dist
	@for part in client prolific-emulator; do (cd $$part && $(abspath $(PY)) -m hatchling build -d ../build/dist) || exit 1; done

.venv/run.stamp: requirements.lock
	@$(call build,requirements.lock)
	@touch $@

.venv/dev.stamp: requirements-dev.lock requirements.lock
	@$(call build,requirements-dev.lock)
	@touch $@ .venv/run.stamp

define build
set -e; \
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	echo "Hopscribe needs Python 3.11 or newer, and $(PYTHON) is not. Name another: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }; \
$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || rm -rf .venv; \
if [ ! -x $(PY) ]; then \
	echo "Making .venv with $$($(PYTHON) --version)"; \
	$(PYTHON) -m venv .venv || { rm -rf .venv; \
		echo "$(PYTHON) has no working venv module. On Debian: apt-get install python3-venv" >&2; exit 1; }; \
fi; \
echo "Installing the packages of $(1) (about a minute)"; \
$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1)
endef
