-- Hand: _metadata of Spark's file sources: the file that has a row
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y')

query
SELECT id, _metadata.file_name = _hoodie_file_name AS name, _metadata.file_path LIKE concat('file:/%/', _hoodie_partition_path, '/', _hoodie_file_name) AS path, _metadata.row_index AS place FROM t ORDER BY id

query
SELECT DISTINCT _metadata.file_size = bytes AS size, _metadata.file_block_start AS begin, _metadata.file_block_length = bytes AS length, endswith(_metadata.file_path, path) AS path, _metadata.file_modification_time BETWEEN current_timestamp() - INTERVAL 1 HOUR AND current_timestamp() + INTERVAL 1 MINUTE AS recent FROM t JOIN t.files f ON _metadata.file_name = substring_index(path, '/', -1)

-- The whole struct, and SELECT * without it.
query
SELECT typeof(_metadata) FROM t LIMIT 1

query
SELECT count(m.file_name), max(m.row_index) FROM (SELECT _metadata AS m FROM t)

query
SELECT * FROM t

-- Conditions, groups and aggregates.
query
SELECT id FROM t WHERE _metadata.row_index = 1

query
SELECT id FROM t WHERE _metadata.file_name = (SELECT _metadata.file_name FROM t WHERE id = 3)

query
SELECT id FROM t WHERE p = 'x' AND _metadata.file_name <> 'none' AND v > 'a'

query
SELECT count(*) FROM t WHERE _metadata.file_path IS NULL

query
SELECT count(*), count(_metadata), count(_metadata.row_index), count(DISTINCT _metadata.file_path), max(_metadata.row_index) FROM t

query
SELECT p, count(*), min(_metadata.row_index) FROM t GROUP BY p, _metadata.file_path ORDER BY p

query expect_error(FIELD_NOT_FOUND)
SELECT _metadata.path FROM t

-- Statements that write find rows by it.
query
UPDATE t SET v = 'file' WHERE _metadata.row_index = 1

query
MERGE INTO t USING (SELECT 1 AS id, 'x' AS p) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND t._metadata.row_index = 0 THEN UPDATE SET v = 'first'

query
DELETE FROM t WHERE _metadata.file_name = (SELECT _metadata.file_name FROM t WHERE id = 3)

query
SELECT * FROM t

-- An earlier version.
query
SELECT id, _metadata.file_name LIKE '%{instant 1 of t}.parquet' AS first FROM t VERSION AS OF '{instant 1 of t}' ORDER BY id

query
SELECT id, _metadata.file_name LIKE '%{instant 1 of t}.parquet' AS first FROM t ORDER BY id

-- A row of a log file is in the log file, and has no row index.
statement
CREATE TABLE logged (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO logged VALUES (1, 'a'), (2, 'b'), (3, 'c')

statement
MERGE INTO logged t USING (SELECT * FROM VALUES (2, 'changed'), (4, 'new') AS q(id, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT id, v, _metadata.row_index AS place, _metadata.file_name LIKE '%.parquet' AS base, _metadata.file_name LIKE '.%.log.1_%' AS log, _metadata.file_size = _metadata.file_block_length AS whole FROM logged ORDER BY id

query
SELECT id FROM logged WHERE _metadata.row_index IS NULL

query
SELECT count(DISTINCT _metadata.file_path), count(_metadata.row_index), count(*) FROM logged

query
DELETE FROM logged WHERE _metadata.file_name LIKE '%.log.%'

query
SELECT * FROM logged

-- A column of this name hides it.
statement
CREATE TABLE own (id INT, _metadata STRUCT<file_name: STRING, row_index: INT>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO own VALUES (1, named_struct('file_name', 'mine', 'row_index', 7))

query
SELECT id, _metadata.file_name, _metadata.row_index FROM own WHERE _metadata.row_index = 7

query expect_error(FIELD_NOT_FOUND)
SELECT _metadata.file_path FROM own

-- Metadata tables have no files.
query expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
SELECT _metadata.file_path FROM t.files
