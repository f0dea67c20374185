-- Hand: procedures are hudilite's own
-- While a table has two numbers of buckets, names of files with a digit 8 in this place tell the second one.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

query
CALL rescale(table => 't', buckets => 2)

statement
INSERT INTO t SELECT CAST(id AS INT), IF(id % 3 = 0, 'a', 'b'), 'x' FROM range(20)

query
CALL rescale(table => 't', buckets => 6, dry_run => true)

query
SELECT count(*), count(DISTINCT _hoodie_file_name) FROM t

-- One bucket of four is divided.
query
CALL rescale(table => 't', buckets => 6, max_bytes => 1)

query
SELECT p, substring(_hoodie_file_name, 15, 1) = '8' AS divided, count(DISTINCT _hoodie_file_name) AS files, count(*) AS num_rows FROM t GROUP BY ALL ORDER BY ALL

query
CALL verify(table => 't', level => 'rows')

query
SELECT * FROM t WHERE id IN (0, 3, 6, 9, 12, 1)

query
EXPLAIN SELECT * FROM t WHERE id = 9

query
SELECT count(*) FROM t VERSION AS OF '{instant 1 of t}' WHERE id IN (0, 3, 6, 9, 12, 1)

-- Writes find the rows of both numbers.
query
MERGE INTO t USING (SELECT CAST(id AS INT) AS id, IF(id % 3 = 0, 'a', 'b') AS p, 'm' AS v FROM range(15, 30)) s
ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO t USING (SELECT CAST(id AS INT) AS id, 'n' AS v FROM range(4)) s
ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED BY SOURCE AND t.id > 27 THEN DELETE

query
UPDATE t SET p = 'c' WHERE id IN (3, 4)

query
DELETE FROM t WHERE id = 6

query expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (9, 'a', 'again')

statement
INSERT INTO t SELECT CAST(id AS INT), 'd', 'new' FROM range(100, 110)

query
CALL verify(table => 't', level => 'rows')

query
SELECT p, count(*), count(DISTINCT id), min(v), max(v) FROM t GROUP BY p

-- A new partition has the new number.
query
SELECT p, substring(_hoodie_file_name, 15, 1) = '8' AS divided, count(*) > 0 FROM t WHERE p IN ('c', 'd') GROUP BY ALL ORDER BY ALL

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rescale(table => 't', buckets => 4)

statement
INSERT OVERWRITE t PARTITION (p = 'd') SELECT CAST(id AS INT), 'over' FROM range(100, 104)

-- Each call goes on where the last one has stopped.
query
CALL rescale('t', 6)

query
CALL rescale('t', 6)

query
CALL verify(table => 't', level => 'rows')

query
SELECT p, count(*), count(DISTINCT id), min(v), max(v) FROM t GROUP BY p

query
SELECT DISTINCT substring(_hoodie_file_name, 10, 9) FROM t

query
SHOW CREATE TABLE t

query
SELECT * FROM t WHERE id IN (0, 3, 9, 12, 1)

query
SELECT count(*) FROM t VERSION AS OF '{instant 1 of t}' WHERE id IN (0, 3, 6, 9, 12, 1)

-- The commits of a rescale change no row.
query
SELECT count(*) FROM t WHERE _hoodie_commit_time = '{instant 2 of t}'

-- Back to two buckets.
query
CALL rescale('t', 2)

query
CALL verify(table => 't', level => 'rows')

query
SELECT p, count(*), count(DISTINCT id), count(DISTINCT _hoodie_file_name) FROM t GROUP BY p

query
SELECT * FROM t WHERE id IN (0, 3, 9, 12, 1)

-- A restore does not go back behind it.
query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL restore(table => 't', instant => '{instant 2 of t}')

-- What was begun is undone with the old number. Only some partitions: new ones keep it.
query
CALL rescale('t', 4, 'p = ''a''')

statement
INSERT INTO t VALUES (200, 'e', 'new')

query
SELECT p, substring(_hoodie_file_name, 15, 1) = '8' AS divided, count(*) > 0 FROM t WHERE p IN ('a', 'e') GROUP BY ALL ORDER BY ALL

query
CALL rescale('t', 2)

query
CALL verify(table => 't', level => 'rows')

query
SELECT p, count(*), count(DISTINCT id), count(DISTINCT _hoodie_file_name) FROM t GROUP BY p

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rescale('t', 3)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rescale('t', 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rescale('t', 200000)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rescale('t', CAST(NULL AS INT))

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rescale('t', 4, 'id = 1')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rescale(table => 't', buckets => 4, max_bytes => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rescale(table => 't', buckets => 4, dry_run => CAST(NULL AS BOOLEAN))

query
DESCRIBE PROCEDURE rescale

statement
CREATE TABLE bloom (id INT, v STRING, PRIMARY KEY (id)) USING hudilite

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL rescale('bloom', 4)
