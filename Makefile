# Blindverse's commands; `make` alone lists them.

PYTHON ?= python3
PORT ?= 8000
UV := uv==0.13.8
BIN := .venv/bin

export PORT
# Processes start by the dozen; what one has compiled, the next need not compile again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test check messages bench providers lock clean
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

help: ## list these commands
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

# $(call install,FILE.lock): make the environment hold what the file locks, unless it does already.
# A copy of the file inside the environment says what is installed. requirements-providers.lock
# locks all of requirements.lock, requirements-dev.lock all of both, so whoever has more keeps it.
define install
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Blindverse needs Python 3.11 or newer as '$(PYTHON)'; name another: make $@ PYTHON=python3.12" >&2; \
	  exit 1; }; \
	lock=$(1); \
	for more in requirements-providers.lock requirements-dev.lock; do \
	  test $$lock = requirements-dev.lock || test ! -e .venv/$$more || lock=$$more; \
	done; \
	if ! { cmp -s $$lock .venv/$$lock && cmp -s requirements.lock .venv/requirements.lock; }; then \
	  echo "Installing $$lock into .venv"; \
	  test -x $(BIN)/python || $(PYTHON) -m venv .venv || { \
	    rm -rf .venv; echo "No virtual environment can be made; on Debian and Ubuntu: apt install python3-venv" >&2; \
	    exit 1; }; \
	  { test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check $(UV); } && \
	  VIRTUAL_ENV=.venv UV_SYSTEM_CERTS=1 $(BIN)/uv pip sync --quiet --require-hashes $$lock || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $$lock || exit 1; \
	  cp requirements.lock .venv/ && cp $$lock .venv/; \
	fi
endef

run: ## start Blindverse with its sample study at http://localhost:8000 (PORT=...); Ctrl-C stops it
	@$(call install,requirements.lock)
	@exec $(BIN)/python manage.py demo

test: ## install what the tests need and run them all: PostgreSQL, Redis, workers, browser, SQLite
	@$(call install,requirements-dev.lock)
	@$(call program,tests.services.redis,redis-server)
	@$(call program,tests.services.browser,chromium fonts-noto-cjk)
	@mkdir -p test-results; \
	BLINDVERSE_TEST_DATABASE=sqlite $(after) $(BIN)/python -m pytest -m "database and $(quick)" $(once) \
	  >test-results/sqlite.log 2>&1 & sqlite=$$!; \
	{ $(BIN)/python -m pytest tests/browser -m browser; seen=$$?; $(BIN)/python -m pytest -m "not database and $(quick)" && \
	  exit $$seen; } >test-results/browser.log 2>&1 & browser=$$!; \
	$(after) $(BIN)/python -m pytest -m "(workers or slow) and not browser" --ignore=tests/chaos \
	  >test-results/slow.log 2>&1 & slow=$$!; \
	$(BIN)/python -m pytest tests/chaos >test-results/chaos.log 2>&1 & chaos=$$!; \
	trap "kill $$sqlite $$browser $$slow $$chaos 2>/dev/null" EXIT; \
	$(BIN)/python -m pytest -m "database and $(quick)"; failed=$$?; \
	$(call part,$$chaos,chaos,While everything is killed); \
	$(call part,$$slow,slow,By workers and at length); \
	$(call part,$$browser,browser,In the browser; and what needs no database); \
	$(call part,$$sqlite,sqlite,Once more on SQLite: what needs a database); \
	exit $$failed

# The part that has most to do goes on while these wait a little, so that all end together.
after := nice -n 3

# $(call part,PROCESS,LOG,WHAT): wait for a part of the tests and show what it said.
part = wait $(1) || failed=1; printf '\n%s:\n' "$(3)"; grep -v '%\]$$' test-results/$(2).log

# Reports are made of what was read, whatever it was read from: reading is tested on both.
once := --ignore=tests/backend/analytics/reports

# What needs no browser and no worker, and takes no time to speak of.
quick := not browser and not workers and not slow

# $(call program,MODULE,PACKAGES): if the module does not find its program, get it where that needs
# no question: from apt for root, else (a browser) from Playwright.
define program
	$(BIN)/python -m $(1) >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing $(2)"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	      apt-get install -y -qq --no-install-recommends $(2) >/dev/null; \
	  fi; \
	  case $(1) in *browser) \
	    $(BIN)/python -m $(1) >/dev/null 2>&1 || $(BIN)/python -m playwright install chromium;; \
	  esac; \
	  $(BIN)/python -m $(1) >/dev/null; }
endef

check: ## format, lint, types, import directions, templates, migrations, deployment files, scripts
	@$(call install,requirements-dev.lock)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy backend annotation manage.py
	$(BIN)/lint-imports
	find frontend/templates -name '*.html' -exec $(BIN)/djade --check --target-version 5.2 {} +
	$(BIN)/djlint --lint --quiet frontend/templates
	$(BIN)/python manage.py check
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	$(BIN)/hadolint Dockerfile
	@if command -v node >/dev/null; then node --test tests/frontend/; \
	else echo "Skipped the tests of the scripts: no node here"; fi

messages: ## gather the texts to translate and compile their translations (needs GNU gettext)
	@for each in xgettext msguniq msgmerge msgattrib msgfmt; do command -v $$each >/dev/null || { \
	  echo "There is no $$each here: get GNU gettext (Debian and Ubuntu: apt install gettext; macOS: brew install gettext)" >&2; \
	  exit 1; }; done
	@$(call install,requirements-dev.lock)
	@$(BIN)/python manage.py makemessages $(messages) --domain django --extension html,txt,py
	@$(BIN)/python manage.py makemessages $(messages) --domain djangojs --extension js
	@sed -i.before '/^"POT-Creation-Date:/d' frontend/locale/*/LC_MESSAGES/*.po && rm -f frontend/locale/*/LC_MESSAGES/*.po.before
	@$(BIN)/python manage.py compilemessages --locale zh_Hans --ignore .venv

# Without line numbers, wrapping and the day it was made, a file changes only where its texts do.
messages = --locale zh_Hans --no-location --no-wrap --no-obsolete \
  $(addprefix --ignore=,.venv var tests benchmarks staticfiles test-results node_modules)

bench: ## measure what there is to measure, one table after another
	@$(call install,requirements-dev.lock)
	@for each in benchmarks/*.py; do \
	  echo "== $$each"; PYTHONPATH=. $(BIN)/python "$$each" || exit 1; echo; \
	done

providers: ## add the SDKs of Anthropic and Google Gemini to the environment; run and test keep them
	@$(call install,requirements-providers.lock)

lock: ## write the lock files anew from pyproject.toml
	@$(call install,requirements-dev.lock)
	$(BIN)/uv lock --upgrade
	$(BIN)/uv export --quiet --frozen --no-emit-project --no-dev -o requirements.lock
	$(BIN)/uv export --quiet --frozen --no-emit-project --no-dev --all-extras -o requirements-providers.lock
	$(BIN)/uv export --quiet --frozen --no-emit-project -o requirements-dev.lock

clean: ## remove the environment and what was made from the sources; your data in var/ stay
	rm -rf .venv staticfiles test-results .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
