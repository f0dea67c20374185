-- Hand: procedures are hudilite's own
-- Procedures of stock Hudi under their names: interop/test_stock_procedures.py compares the rows.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p)

query
CALL show_commits(table => 't')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rollback_to_savepoint(table => 't')

statement
INSERT INTO t VALUES (1, 'a', 'one'), (2, 'b', 'two')

statement
UPDATE t SET v = 'three' WHERE id = 1

statement
INSERT INTO t VALUES (3, 'a', 'four')

query
CALL show_commits(table => 't')

query
CALL spark_catalog.system.show_commits('t', 1)

query
CALL show_commits(table => 't', limit => 2)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_commits(table => 't', limit => 0)

query expect_error(REQUIRED_PARAMETER_NOT_FOUND)
CALL show_commits(limit => 10)

query expect_error(UNRECOGNIZED_PARAMETER_NAME)
CALL show_commits(tabel => 't')

query
CALL show_commits_metadata(table => 't')

query
CALL show_commit_files(table => 't', instant_time => '{instant 1 of t}')

query
CALL show_commit_files(table => 't', limit => 1, instant_time => '{instant 1 of t}')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_commit_files(table => 't', instant_time => '20200101000000000')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_commit_files(table => 't', instant_time => NULL)

query
CALL show_commit_partitions(table => 't', instant_time => '{instant 3 of t}')

query
CALL show_commit_write_stats(table => 't', instant_time => '{instant 2 of t}')

query
CALL show_commit_extra_metadata(table => 't', instant_time => '{instant 1 of t}', metadata_key => 'schema')

query
CALL show_commit_extra_metadata(table => 't', metadata_key => 'none')

-- By path, which show_commits does not have in stock Hudi.
query
CALL show_savepoints(path => '{folder}/db/t')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_savepoints(table => 't', path => '{folder}/db/t')

query
CALL create_savepoint(table => 't', commit_time => '{instant 1 of t}', user => 'me', comments => 'first')

query
CALL create_savepoint(table => 't')

query
CALL show_savepoints(table => 't')

query
CALL delete_savepoint(table => 't', instant_time => '{instant 3 of t}')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL delete_savepoint(table => 't', instant => '{instant 1 of t}', instant_time => '{instant 1 of t}')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rollback_to_savepoint(table => 't', instant_time => '{instant 2 of t}')

query
CALL run_clean(table => 't')

query
CALL show_cleans(table => 't')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_cleans(table => 't', showArchived => true)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_cleans(table => 't', filter => 'version = 2')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_clean(table => 't', clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 2)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_clean(table => 't', file_versions_retained => 2)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_clean(table => 't', schedule_in_line => false)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_clean(table => 't', retain_commits => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_clean(table => 't', hours_retained => 500)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_clean(table => 't', clean_policy => 'KEEP_LATEST_BY_HOURS', hours_retained => 500, retain_commits => 5)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_clean(table => 't', clean_policy => 'KEEP_LATEST_BY_HOURS')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_clean(table => 't', clean_policy => 'KEEP_LATEST_BY_HOURS', hours_retained => 24)

query
CALL run_clean(table => 't', clean_policy => 'KEEP_LATEST_BY_HOURS', hours_retained => 500)

query
CALL clean(table => 't', retain_commits => 1, retain_hours => 0, allow_short_retention => true)

query
CALL show_cleans(table => 't')

-- The version of the first commit comes back.
query
CALL rollback_to_savepoint(table => 't')

query
SELECT * FROM t ORDER BY id

query
CALL delete_savepoint(table => 't', instant_time => '{instant 1 of t}')

-- It is committed.
query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rollback_to_instant(table => 't', instant_time => '{instant 1 of t}')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rollback_to_instant(table => 't', instant_time => '20200101000000000')

query
CALL show_rollbacks(table => 't')

statement
CALL show_table_properties(table => 't', limit => 1)

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL run_compaction(op => 'run', table => 't')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_compaction(op => 'schedule', table => 't')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_compaction(op => 'run', table => 't', timestamp => 20200101000000000)

query
CALL show_compaction(table => 't')

-- Merge-on-read.
statement
CREATE TABLE m (id INT, v STRING, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (type = 'mor')

statement
INSERT INTO m VALUES (1, 'a'), (2, 'b')

statement
UPDATE m SET v = 'c' WHERE id = 1

query
CALL show_commits(table => 'm')

query
CALL run_compaction(op => 'run', table => 'm')

query
CALL run_compaction(op => 'scheduleandexecute', path => '{folder}/db/m')

query
CALL show_compaction(table => 'm')

query
SELECT * FROM m ORDER BY id

-- run_bootstrap.
statement
CREATE TABLE raw (id INT, v STRING) USING parquet LOCATION '{folder}/raw'

statement
INSERT INTO raw VALUES (1, 'a'), (2, 'b')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_bootstrap(table => 'b', table_type => 'COPY_ON_WRITE', bootstrap_path => '{folder}/raw', base_path => '{folder}/b', rowKey_field => 'id', payload_class => 'org.example.Mine')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_bootstrap(table => 'b', table_type => 'COPY_ON_WRITE', bootstrap_path => '{folder}/raw', base_path => '{folder}/b', rowKey_field => 'id', enable_hive_sync => true)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL run_bootstrap(table => 'b', table_type => 'cow', bootstrap_path => '{folder}/raw', base_path => '{folder}/b', rowKey_field => 'id')

query
CALL run_bootstrap(table => 'b', table_type => 'COPY_ON_WRITE', bootstrap_path => '{folder}/raw', base_path => '{folder}/b', rowKey_field => 'id')

query
SELECT * FROM b ORDER BY id

query
CALL run_bootstrap('f', 'MERGE_ON_READ', '{folder}/raw', '{folder}/f', 'id', selector_class => 'org.apache.hudi.client.bootstrap.selector.FullRecordBootstrapModeSelector', key_generator_class => 'org.apache.hudi.keygen.ComplexKeyGenerator', parallelism => 1)

query
SELECT count(*) FROM f.bootstrap

query
SELECT * FROM f ORDER BY id

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_bootstrap_mapping(table => 'b', partition_path => 'p=a')

query
CALL help(cmd => 'show_commits')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL help(procedure => 'clean', cmd => 'clean')

query
SELECT * FROM t ORDER BY id
