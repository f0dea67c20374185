-- Hand: procedures are hudilite's own
-- A merge-on-read table over existing files: log files lie over a skeleton and its source file.
statement
CREATE TABLE src (id INT, v STRING, n INT, p STRING) USING parquet PARTITIONED BY (p) LOCATION '{folder}/source'

statement
INSERT INTO src SELECT CAST(id AS INT), concat('s', id), IF(id % 3 = 0, NULL, CAST(id AS INT)), 'a' FROM range(0, 8, 1, 1)

statement
INSERT INTO src SELECT CAST(id AS INT), concat('s', id), CAST(id AS INT), 'b' FROM range(8, 12, 1, 1)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL bootstrap('t', '{folder}/source', 'id', type => 'merge')

-- A new row gets a file group of its own, and not one that a write would have to copy.
statement
SET hoodie.parquet.small.file.limit = 0

statement
CALL bootstrap('t', '{folder}/source', 'id', type => 'mor')

query
SHOW TBLPROPERTIES t ('type')

query
SELECT DISTINCT action FROM t.history

query
UPDATE t SET v = 'updated' WHERE id IN (1, 9)

query
DELETE FROM t WHERE id IN (2, 3)

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'merged', 100, 'a'), (2, 'back', 2, 'a'), (10, 'merged', 100, 'b'), (20, 'new', 20, 'b') AS q(id, v, n, p)) s
ON t.id = s.id AND t.p = s.p
WHEN MATCHED AND s.id = 10 THEN DELETE WHEN MATCHED THEN UPDATE SET v = concat(t.v, ' ', s.v), n = s.n WHEN NOT MATCHED THEN INSERT *

query
INSERT INTO t VALUES (21, 'inserted', 21, 'a')

query expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (1, 'again', 1, 'a')

query
SELECT * FROM t

query
SELECT _hoodie_record_key, _hoodie_commit_time = '00000000000001' adopted, _hoodie_partition_path, id, v FROM t

-- Filters, pruned columns, and counts.
query
SELECT id FROM t WHERE v = 'updated'

query
SELECT v FROM t WHERE n = 100

query
SELECT v FROM t WHERE n = 1

query
SELECT count(*), count(n), min(id), max(n) FROM t

query
SELECT p, count(*) FROM t GROUP BY p

query
SELECT n FROM t WHERE p = 'b' AND n > 9

-- No source file was copied: the adopted file groups have log files, the new rows base files.
query
SELECT partition, source IS NOT NULL adopted, path LIKE '%.log.%' is_log, count(*) FROM t.files GROUP BY ALL

query
SELECT * FROM t VERSION AS OF '00000000000001'

-- The state of the base files: key 2 was deleted in its file group and inserted into another one.
query
SELECT * FROM t WITH ('hoodie.datasource.query.type' = 'read_optimized')

query
SELECT count(*), max(n) FROM t WITH ('hoodie.datasource.query.type' = 'read_optimized')

query
CALL verify(table => 't', level => 'rows')

-- One partition is compacted, the other one materialized.
statement
CALL compact(table => 't', where => 'p = "a"')

query
SELECT partition, source IS NOT NULL adopted, path LIKE '%.log.%' is_log, count(*) FROM t.files GROUP BY ALL

query
SELECT * FROM t

statement
CALL materialize(table => 't')

query
SELECT partition, source IS NOT NULL adopted, path LIKE '%.log.%' is_log, count(*) FROM t.files GROUP BY ALL

query
SELECT * FROM t

query
SELECT _hoodie_record_key, _hoodie_commit_time = '00000000000001' adopted, v FROM t

query
SELECT * FROM t VERSION AS OF '00000000000001'

query
CALL verify(table => 't', level => 'rows')

-- Columns change: the base files of all rows are new.
statement
CALL bootstrap('c', '{folder}/source', 'id', type => 'mor')

statement
UPDATE c SET v = 'set' WHERE id = 5

statement
ALTER TABLE c ADD COLUMN w INT

query
UPDATE c SET w = 1 WHERE id IN (5, 6)

statement
ALTER TABLE c RENAME COLUMN v TO text

query
SELECT * FROM c WHERE id BETWEEN 4 AND 8

query
SELECT partition, source IS NOT NULL adopted, path LIKE '%.log.%' is_log, count(*) FROM c.files GROUP BY ALL

-- The source is what it was.
query
SELECT * FROM src

-- All rows rewritten: a merge-on-read table like any other.
statement
CALL bootstrap(table => 'b', source => '{folder}/source', key => 'id', mode => 'full', buckets => 1, type => 'MOR')

query
MERGE INTO b USING (SELECT 1 id, 'blind' v, 0 n, 'a' p) s ON b.id = s.id AND b.p = s.p
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM b WHERE id < 3

query
SELECT partition, source IS NOT NULL adopted, path LIKE '%.log.%' is_log, count(*) FROM b.files GROUP BY ALL

-- An ordering field: a late row loses to that of the source file.
query expect_error(HUDILITE_BOOTSTRAP_SOURCE_INVALID)
CALL bootstrap('o', '{folder}/source', 'id', type => 'mor', ordering_field => 'n')

query expect_error(HUDILITE_BOOTSTRAP_SOURCE_INVALID)
CALL bootstrap('o', '{folder}/source', 'id', type => 'mor', ordering_field => 'n', dry_run => true)

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CALL bootstrap('o', '{folder}/source', 'id', type => 'mor', ordering_field => 'none_such')

statement
CALL bootstrap('o', '{folder}/source', 'id', partitions => 'p = "b"', type => 'mor', ordering_field => 'N')

statement
MERGE INTO o t USING (SELECT 8 id, 'late' v, 7 n, 'b' p UNION ALL SELECT 9, 'newer', 10, 'b' UNION ALL SELECT 10, 'same', 10, 'b' UNION ALL SELECT 30, 'new', 1, 'b') s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM o ORDER BY id

query
SELECT id FROM o WHERE v = 's9' OR v = 'late' OR n = 7

query
SELECT partition, source IS NOT NULL adopted, path LIKE '%.log.%' is_log, count(*) FROM o.files GROUP BY ALL

query
CALL verify(table => 'o', level => 'rows')

statement
CALL compact(table => 'o')

query
SELECT * FROM o ORDER BY id

-- Rows of a copy-on-write table may have none.
statement
CALL bootstrap('oc', '{folder}/source', 'id', ordering_field => 'n')

statement
MERGE INTO oc t USING (SELECT 8 id, 'late' v, 7 n, 'b' p UNION ALL SELECT 9, 'newer', 10, 'b') s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM oc WHERE id IN (8, 9) ORDER BY id
