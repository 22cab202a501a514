# What everyone runs. Each goal makes the environment it needs and says what it does; `make help` lists them.
#
#   make run                          an installation with practice markets: nothing else is needed but Python
#   make run PORT=8100 DATA_DIR=...   on another port, in another folder
#   make run LIVE=1                   asks the real marketplaces, in a folder of its own

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export PYTHONUTF8 := 1

VENV := .venv
PYTHON := $(VENV)/bin/python
INSTALL := . scripts/find-python.sh && "$$FOUND" scripts/install.py

.PHONY: help run test lint lock bench demo-reset messages

help:
	@echo "make run          start everything on this machine (PORT=8000 DATA_DIR=var/practice LIVE=1)"
	@echo "make test         the whole suite on SQLite, then what touches data on PostgreSQL"
	@echo "make lint         style, types, layers, templates, translations, migrations, locks"
	@echo "make bench        measure this machine: first match, listing to page, five minutes of load (half an hour in all)"
	@echo "make lock         write requirements*.txt anew from requirements*.in"
	@echo "make messages     compile the translations"
	@echo "make demo-reset   forget everything of the practice installation"

# home hangs on make: when make is killed, it stops as if Ctrl-C had been pressed.
run:
	@$(INSTALL) requirements.txt
	@exec $(PYTHON) -I -S monitor_site/engine/tied.py TERM $$PPID $(PYTHON) manage.py home

test:
	@$(INSTALL) requirements-dev.txt
	@$(PYTHON) scripts/run_tests.py

lint:
	@$(INSTALL) requirements-dev.txt
	@$(PYTHON) scripts/run_lint.py

lock:
	@$(INSTALL) requirements-dev.txt
	@$(PYTHON) scripts/lock.py

bench:
	@$(INSTALL) requirements.txt
	@$(PYTHON) benchmarks/first_match.py
	@$(PYTHON) benchmarks/lateness.py
	@$(PYTHON) benchmarks/checks.py
	@$(PYTHON) benchmarks/coalesce.py
	@$(PYTHON) benchmarks/express.py
	@$(PYTHON) benchmarks/idle.py
	@$(PYTHON) benchmarks/visible.py
	@$(PYTHON) benchmarks/load.py
	@$(PYTHON) benchmarks/trouble.py
	@$(PYTHON) benchmarks/parsing.py
	@$(PYTHON) benchmarks/matching.py
	@$(PYTHON) benchmarks/matching_quality.py
	@$(PYTHON) benchmarks/alerts.py
	@$(PYTHON) benchmarks/pages.py
	@$(PYTHON) benchmarks/growth.py
	@$(PYTHON) benchmarks/fairness.py
	@$(PYTHON) benchmarks/exact.py

messages:
	@$(INSTALL) requirements.txt
	@cd monitor_site && ../$(PYTHON) ../manage.py compilemessages --verbosity 0

demo-reset:
	@$(INSTALL) requirements.txt
	@$(PYTHON) manage.py demo_reset
