-- Hand: procedures are hudilite's own
-- What becomes of files, and every kind of bad source: e2e/test_bootstrap.py.
statement
CREATE TABLE src USING parquet LOCATION '{folder}/source' AS SELECT CAST(id AS INT) id, CAST(id AS STRING) v FROM range(0, 6, 1, 1)

query expect_error(HUDILITE_BOOTSTRAP_SOURCE_INVALID)
CALL bootstrap(table => 't', source => '{folder}/absent', key => 'id')

query expect_error(HUDILITE_BOOTSTRAP_SOURCE_INVALID)
CALL bootstrap('t', 'no_such_table', 'id')

query expect_error(HUDILITE_KEY_COLUMN_INVALID)
CALL bootstrap('t', '{folder}/source', 'absent')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL bootstrap('t', '{folder}/source', 'id', buckets => 3)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL bootstrap('t', '{folder}/source', 'id', mode => 'both')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL bootstrap('t', '{folder}/source', 'id', partitions => 'p = 1')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL bootstrap('t', '{folder}/source', 'id', parallelism => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL bootstrap(CAST(NULL AS STRING), '{folder}/source', 'id')

statement
CALL bootstrap(table => 't', source => '{folder}/source', key => 'id')

query
SELECT * FROM t

query
SELECT DISTINCT _hoodie_commit_time, _hoodie_partition_path FROM t

statement
MERGE INTO t USING (SELECT 3 id, 'three' v UNION ALL SELECT 10, 'ten') s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT id, v, _hoodie_record_key FROM t

query expect_error(TABLE_OR_VIEW_ALREADY_EXISTS)
CALL bootstrap(table => 't', source => '{folder}/source', key => 'id')

statement
DROP TABLE t

query
SELECT * FROM parquet.`{folder}/source`

statement
CALL bootstrap(table => 'b', source => '{folder}/source', key => 'id', mode => 'full', buckets => 2)

query
SELECT id, v FROM b

-- A table that reads its source in place, and stays to the end: its index lies in its metadata folder.
statement
CALL bootstrap(table => 'kept', source => '{folder}/source', key => 'id')

query
SELECT id, v FROM kept
