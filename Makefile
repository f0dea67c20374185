# `make help` lists the targets. The first run sets everything up under .venv and .build; later runs only what changed.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DELETE_ON_ERROR:

ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),help)),)
machine := $(shell sh tests/tools/machine.sh)
ifneq ($(machine),fit)
$(error $(machine))
endif
endif

py := .venv/bin/python
sbt := sh tests/tools/sbt.sh
set := . ./.build/machine.env;
jar := python/src/hudilite/jars/hudilite-spark-4.1.jar

# A list file changes only when a file comes or goes, so that a deleted source rebuilds too.
listed = $(shell mkdir -p .build; find $(2) -type f $(3) | LC_ALL=C sort >.build/$(1).new; \
	cmp -s .build/$(1).new .build/$(1) || mv .build/$(1).new .build/$(1); cat .build/$(1))
scala := $(call listed,scala.list,build.sbt project/*.scala project/*.sbt project/build.properties sql-extension procedures,-not -path '*/target/*' 2>/dev/null)
python := $(call listed,python.list,python,-not -name '*.pyc' -not -name '*.jar' -not -path '*/dist/*')

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 | \2/p' Makefile | column -t -s '|'

.PHONY: build
build: .venv/.hudilite ## leave .venv with the package installed, and the jar

.venv/.ready: python/requirements-dev.txt python/constraints.txt
	@echo "setting up .venv (once; about a minute)"
	@$(set) "$$PYTHON" -m venv --clear .venv
	@$(set) $(py) -m pip install --quiet --use-pep517 -c python/constraints.txt -r python/requirements-dev.txt
	@touch $@

$(jar): $(scala) .build/scala.list | .venv/.ready
	@echo "building the jar"
	@mkdir -p .build && { $(sbt) checkLibraries jar >.build/jar.log 2>&1 || { grep -E '^\[(error|warn)\]' .build/jar.log || cat .build/jar.log; exit 1; }; }

.venv/.hudilite: $(jar) $(python) .build/python.list .venv/.ready
	@echo "installing the wheel into .venv"
	@rm -rf python/dist
	@$(set) $(py) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir python/dist ./python
	@$(set) $(py) -m pip install --quiet --no-deps --no-index --force-reinstall python/dist/*.whl
	@touch $@
