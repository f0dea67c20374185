# `make help` lists the targets. The first run sets everything up under .venv and .build; later runs only what changed.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DELETE_ON_ERROR:

ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),help)),)
machine := $(shell sh tests/tools/machine.sh)
ifneq ($(firstword $(machine)),fit)
$(error $(machine))
endif
endif

py := .venv/bin/python
sbt := sh tests/tools/sbt.sh
jgo := .venv/bin/jgo --ignore-config --system-java --resolver python --timeout 60
set := . ./.build/machine.env;
golden = $(py) -m pytest -q -c tests/pytest.ini --rootdir=tests $(or $(FILES),tests/sql)
# Tasks of sbt that build the jars; JARS=jar builds the one for the main line of Spark alone.
JARS := all checkLibraries jars
# The others are made with it.
jar := python/src/hudilite/jars/hudilite-spark-4.1.jar

# A list file changes only when a file comes or goes, so that a deleted source rebuilds too.
listed = $(shell mkdir -p .build; find $(2) -type f $(3) | LC_ALL=C sort >.build/$(1).new; \
	cmp -s .build/$(1).new .build/$(1) || mv .build/$(1).new .build/$(1); cat .build/$(1))
scala := $(call listed,scala.list,build.sbt project/*.scala project/*.sbt project/build.properties sql-extension procedures,-not -path '*/target/*' 2>/dev/null)
python := $(call listed,python.list,python,-not -name '*.pyc' -not -name '*.jar' -not -path '*/dist/*')

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 | \2/p' Makefile | column -t -s '|'

.PHONY: demo
demo: build ## the main job on the flights of 2013, in .demo
	@$(set) exec $(py) -m hudilite.demo --directory .demo

.PHONY: test
test: ## every suite, of repetitions a third (ROTATION=0, 1 or 2 says which); SUITES="sql e2e" runs only those
	@$(set) exec "$$PYTHON" tests/tools/run_suites.py $(SUITES)

.PHONY: test-all
test-all: ## everything, repetitions and long forms too: an hour and more
	@$(set) exec "$$PYTHON" tests/tools/run_suites.py --tier all $(SUITES)

.PHONY: soak
soak: ## what runs for ten minutes and more
	@$(set) exec "$$PYTHON" tests/tools/run_suites.py --tier soak $(SUITES)

.PHONY: quick
quick: ## what takes under two minutes
	@$(set) exec "$$PYTHON" tests/tools/run_suites.py --tier quick $(SUITES)

.PHONY: lint
lint: build ## formatters, linters, types and the house rules
	@$(set) exec $(py) tests/tools/lint.py --scala

.PHONY: fmt
fmt: build ## format and mend what can be mended
	@$(set) exec $(py) tests/tools/lint.py --fix

.PHONY: golden-update
golden-update: build peers ## rewrite the .out files of the golden SQL where Delta gives the same rows; FILES="tests/sql/merge" takes only those
	@$(set) rm -rf .build/twins; HUDILITE_CATALOG=named HUDILITE_GOLDEN_TWIN=1 $(golden) && \
		HUDILITE_GOLDEN_UPDATE=checked exec $(golden)

.PHONY: floors
floors: ## run every suite and record how many tests each has and how long it takes
	@$(set) exec "$$PYTHON" tests/tools/run_suites.py --floors $(SUITES)

.PHONY: mutants
mutants: build ## each patch of tests/mutants must turn its suite red; MUTANTS="a b" takes only those
	@$(set) exec "$$PYTHON" tests/tools/mutants.py $(MUTANTS)

.PHONY: mutants-touched
mutants-touched: build ## the patches whose suite or whose files the change against the remote's main touches
	@$(set) exec "$$PYTHON" tests/tools/mutants.py --touched

.PHONY: compare-bytes
compare-bytes: build ## tables that this tree and another write by the same statements, byte by byte; BASE="abc1234", BASE="../built-tree"
	@$(set) exec $(py) tests/tools/compare_bytes.py $(BASE)

.PHONY: faults
faults: build ## break every file operation of every statement in every way; FAULTS="merge:37:applythrow" takes only those
	@$(set) export TZ=UTC PYTHONPATH=tests/tools/plugins HUDILITE_FAULT_PROFILE=long \
		$(if $(FAULTS),HUDILITE_FAULT_POINT="$(FAULTS)"); \
		exec $(py) -m pytest -c tests/pytest.ini --rootdir=tests -p deselected \
		$(if $(FAULTS),$(addprefix tests/faults/test_,enumeration.py kills.py),tests/faults)

.PHONY: reliability
reliability: build ## after make test: put its outcome, and that of make faults, on record and into docs/reliability.md
	@$(set) exec $(py) tests/tools/reliability.py --record

.PHONY: docs
docs: build ## the site of the docs, in .build/site; a link that leads nowhere is an error
	@NO_MKDOCS_2_WARNING=1 exec .venv/bin/mkdocs build

.PHONY: bench
bench: build stock peers ## hudilite beside Delta, Iceberg and Hudi; BENCH="--rows 100000 --cases 1,2 --systems hudilite,iceberg"
	@$(set) exec $(py) tests/bench/run.py $(BENCH)

.PHONY: clean
clean: ## remove everything that make made
	@rm -rf .venv .build .demo python/dist python/src/hudilite/jars/*.jar project/target project/project target \
		sql-extension/*/target procedures/target

.PHONY: build
build: .venv/.hudilite ## leave .venv with the package installed, and the jar

.venv/.ready: python/requirements-dev.txt python/constraints.txt
	@echo "setting up .venv (once; about a minute)"
	@$(set) "$$PYTHON" -m venv --clear .venv
	@$(set) $(py) -m pip install --quiet --use-pep517 --no-compile -c python/constraints.txt -r python/requirements-dev.txt
	@touch $@

$(jar): $(scala) .build/scala.list | .venv/.ready
	@echo "building the jars"
	@mkdir -p .build && { $(sbt) "$(JARS)" >.build/jar.log 2>&1 || { grep -E '^\[(error|warn)\]' .build/jar.log || cat .build/jar.log; exit 1; }; }

.venv/.hudilite: $(jar) $(python) .build/python.list .venv/.ready
	@echo "installing the wheel into .venv"
	@rm -rf python/dist
	@$(set) $(py) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir python/dist ./python
	@$(set) $(py) -m pip install --quiet --no-deps --no-index --force-reinstall python/dist/*.whl
	@touch $@

.PHONY: classes
classes: .build/classes.jsa .build/one-jar/classes.jsa ## the classes of a session, loaded beforehand for the JVMs of the tests

# A JVM leaves an archive that is older than a jar on its class path, without a word.
.build/classes.jsa: tests/tools/classes.py .venv/.ready .venv/.hudilite
	@echo "loading the classes of the tests' sessions"
	@$(set) $(py) tests/tools/classes.py $@

# A Spark whose classes lie in one jar, see tests/harness/one_jar.py.
one_jar := tests/tools/one_jar.py tests/harness/one_jar.py | .venv/.ready

.build/one-jar/.venv: .venv/.ready $(one_jar)
	@$(set) $(py) tests/tools/one_jar.py .venv $@

.build/one-jar/.venv35: .build/venv35/.ready $(one_jar)
	@$(set) $(py) tests/tools/one_jar.py .build/venv35 $@

.build/one-jar/.spark-4.2: .build/spark-4.2/.ready $(one_jar)
	@$(set) $(py) tests/tools/one_jar.py .build/spark-4.2 $@

.build/one-jar/classes.jsa: tests/tools/classes.py .venv/.hudilite .build/one-jar/.venv
	@$(set) HUDILITE_ONE_JAR=1 $(py) tests/tools/classes.py $@

.PHONY: stock
ifneq ($(lastword $(machine)),21)
stock: .build/venv35/.ready .build/hudi-bundle.path .build/hudi-0.15.path .build/one-jar/.venv35 ## the environment of stock Hudi-Spark, where JDK 17 is
else
stock:
	@echo "no stock Hudi-Spark: pyspark 3.5 runs on JDK 17, not on this one"
endif

.PHONY: sparks
sparks: .build/spark-4.2/.ready .build/one-jar/.spark-4.2 ## the other Spark that tests run on

.build/spark-4.2/.ready: tests/tools/spark-4.2.txt | .venv/.ready
	@echo "setting up Spark 4.2 (once)"
	@rm -rf .build/spark-4.2
	@$(set) $(py) -m pip install --quiet --use-pep517 --no-deps --target .build/spark-4.2 -r tests/tools/spark-4.2.txt
	@touch $@

.PHONY: compiled-sqlglot
compiled-sqlglot: .build/sqlglot-c/.ready ## the compiled build of sqlglot, for the suite that uses it

.build/sqlglot-c/.ready: tests/tools/sqlglot-c.txt | .venv/.ready
	@echo "setting up the compiled sqlglot (once)"
	@rm -rf .build/sqlglot-c
	@$(set) $(py) -m pip install --quiet --target .build/sqlglot-c -r tests/tools/sqlglot-c.txt
	@touch $@

.PHONY: java-21
java-21: .build/jdk-21/.ready ## a Java 21 for the suite that runs on it

.build/jdk-21/.ready: tests/tools/java-21.txt tests/tools/java-21.sh | .venv/.ready
	@echo "setting up Java 21 (once)"
	@rm -rf .build/jdk-21
	@$(set) $(py) -m pip install --quiet --no-deps --target .build/jdk-21 -r tests/tools/java-21.txt
	@mkdir -p .build/jdk-21/home/bin && install -m 755 tests/tools/java-21.sh .build/jdk-21/home/bin/java
	@touch $@

.PHONY: peers
peers: .build/peers.path ## the jars of Delta and Iceberg, for the tests of one session with all three

.build/venv35/.ready: python/requirements-stock.txt
	@echo "setting up stock Hudi-Spark (once)"
	@$(set) "$$PYTHON" -m venv --clear .build/venv35
	@$(set) .build/venv35/bin/python -m pip install --quiet --use-pep517 -r python/requirements-stock.txt
	@touch $@

.PHONY: dbt
dbt: .build/dbt/.ready ## dbt with its adapter for Spark, for the tests of dbt projects

.build/dbt/.ready: python/requirements-dbt.txt | .venv/.ready
	@echo "setting up dbt (once)"
	@$(set) "$$PYTHON" -m venv --clear .build/dbt
	@$(set) .build/dbt/bin/python -m pip install --quiet --no-compile -r python/requirements-dbt.txt
	@touch $@

.PHONY: clients
clients: .build/clients/.ready ## PyHive and SQLAlchemy, for the tests of programs on a Thrift server

.build/clients/.ready: python/requirements-clients.txt | .venv/.ready
	@echo "setting up the Python clients (once)"
	@$(set) "$$PYTHON" -m venv --clear .build/clients
	@$(set) .build/clients/bin/python -m pip install --quiet --use-pep517 --no-compile -r python/requirements-clients.txt
	@touch $@

.PHONY: stores
stores: .build/s3a.path .build/gcs.path .build/abfs.path .build/s3proxy.path .build/minicluster.path ## servers of object stores, Hadoop's connectors, HDFS and YARN, for the tests of storages and clusters

# Where there is no Go or no Node, the tests of their servers are skipped.
ifneq ($(shell command -v go),)
stores: .build/bin/versitygw .build/bin/fake-gcs-server
endif
ifneq ($(shell command -v npm),)
stores: .build/azurite/.ready
endif

.build/bin/%: tests/tools/%.txt
	@echo "building $* (once; about a minute)"
	@GOBIN="$(CURDIR)/.build/bin" go install "$$(cat $<)" && touch $@

.build/azurite/.ready: tests/tools/azurite.txt
	@echo "installing Azurite (once; about a minute)"
	@npm install --loglevel=error --no-audit --no-fund --ignore-scripts --prefix .build/azurite "$$(cat $<)" && touch $@

# Behind the jars: sbt and jgo do not download at the same time, whatever make runs at once.
.build/hudi-bundle.path: tests/tools/stock.txt | $(jar)
	@$(set) $(jgo) info path "$$(cat tests/tools/stock.txt)" >$@.new && test -s "$$(cat $@.new)" && mv $@.new $@

.build/peers.path: tests/tools/peers.txt | $(jar)
	@$(set) for jar in $$(cat tests/tools/peers.txt); do $(jgo) info path "$$jar" || exit 1; done >$@.new && \
		for jar in $$(cat $@.new); do test -s "$$jar" || exit 1; done && mv $@.new $@

.build/s3a.path .build/gcs.path .build/abfs.path .build/hudi-0.15.path: .build/%.path: tests/tools/%.txt | $(jar)
	@$(set) $(jgo) info path $$(cat $<) >$@.new && \
		for jar in $$(cat $@.new); do test -s "$$jar" || exit 1; done && mv $@.new $@

.build/s3proxy.path: tests/tools/s3proxy.txt | $(jar)
	@$(set) $(jgo) --cache-dir .build/jgo info jars "$$(cat $<)" >$@.told && grep '\.jar$$' $@.told >$@.new && \
		for jar in $$(cat $@.new); do test -s "$$jar" || exit 1; done && mv $@.new $@

.build/minicluster.path: tests/tools/minicluster.txt | $(jar)
	@$(set) $(jgo) info path $$(cat $<) >$@.new && \
		for jar in $$(cat $@.new); do test -s "$$jar" || exit 1; done && mv $@.new $@
