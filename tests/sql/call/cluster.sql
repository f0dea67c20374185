-- Hand: procedures are hudilite's own
-- What other engines read afterwards: interop/test_clustering.py.
statement
CREATE TABLE t (id INT, a INT, b STRING, d DATE, m MAP<STRING, INT>, s STRUCT<x: INT>, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0')

-- There are no files.
query
CALL cluster(table => 't', order_by => 'a')

-- 1, the values of a and d say nothing about the key.
statement
INSERT INTO t SELECT CAST(id AS INT), CAST(id * 7919 % 3000 AS INT), sha2(CAST(id AS STRING), 256), date_add(DATE'2024-01-01', CAST(id * 31 % 365 AS INT)), map('k', CAST(id AS INT)), named_struct('x', CAST(id AS INT)), 'big' FROM range(3000)

-- 2 to 4, small files.
statement
INSERT INTO t VALUES (10001, 3, 'z', NULL, map('k', 1), named_struct('x', 1), 'few')

statement
INSERT INTO t VALUES (10002, NULL, 'y', DATE'2024-01-02', NULL, NULL, 'few')

statement
INSERT INTO t VALUES (10003, 1, NULL, DATE'2024-01-01', NULL, named_struct('x', 2), 'few')

query
SELECT p, count(*), count(DISTINCT _hoodie_file_name) FROM t GROUP BY p ORDER BY p

query
CALL cluster(table => 't', order_by => 'a', dry_run => true)

-- 5, the partition with one file stays as it is.
query
CALL cluster(table => 't', order_by => 'a')

query
CALL cluster(table => 't', zorder => 'a, d')

query
SELECT p, count(*), count(DISTINCT _hoodie_file_name) FROM t GROUP BY p ORDER BY p

query
SELECT id, a, b, d, m, s, _hoodie_commit_time = '{instant 4 of t}' AS is_of_4 FROM t WHERE p = 'few' ORDER BY id

-- 6, many files with a part of the values each.
statement
CALL cluster(table => 't', order_by => 'a', partitions => 'p = ''big''', target_file_size => '16k')

query
SELECT count(*), sum(id), sum(a), count(DISTINCT _hoodie_file_name) > 4 AS several, count(DISTINCT _hoodie_commit_time) FROM t WHERE p = 'big'

query
SELECT count(*) FROM (SELECT _hoodie_file_name f, min(a) low, max(a) high FROM t WHERE p = 'big' GROUP BY 1) x
JOIN (SELECT _hoodie_file_name f, min(a) low, max(a) high FROM t WHERE p = 'big' GROUP BY 1) y
ON x.f < y.f AND x.low <= y.high AND y.low <= x.high

-- Rows of a file are in the order of their keys.
query
SELECT count(*) FROM (SELECT _hoodie_record_key k, lag(_hoodie_record_key) OVER (PARTITION BY _hoodie_file_name ORDER BY _metadata.row_index) before FROM t) WHERE before > k

-- 7, each file has a part of the values of both columns.
statement
CALL cluster(table => 't', zorder => 'A, `d`', partitions => 'p = ''big''', target_file_size => '16k')

query
SELECT count(*) > 4 AS several, sum(n), avg(high - low) < 2100 AS few_of_a, avg(datediff(late, early)) < 260 AS few_of_d FROM (SELECT count(*) n, min(a) low, max(a) high, min(d) early, max(d) late FROM t WHERE p = 'big' GROUP BY _hoodie_file_name)

-- Values that are all alike make as many files.
statement
CREATE TABLE same (id INT, one INT, v STRING, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO same SELECT CAST(id AS INT), if(id = 0, 0, 1), sha2(CAST(id AS STRING), 256) FROM range(3000)

statement
CALL cluster(table => 'same', order_by => 'one', target_file_size => '16k')

query
SELECT count(*) > 4 AS several, sum(n), max(n) < 1000 AS alike FROM (SELECT count(*) n FROM same GROUP BY _hoodie_file_name)

-- Changes and incremental queries do not see it.
query
SELECT * FROM hudilite_changes('t', '{instant 4 of t}')

query
SELECT count(*) FROM hudilite_changes('t', 'earliest')

query
SELECT operation, count(*), sum(rows_inserted) FROM t.history GROUP BY ALL ORDER BY ALL

-- Keys are found.
query expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (17, 1, 'again', NULL, NULL, NULL, 'big')

query
MERGE INTO t USING (SELECT CAST(id AS INT) id, 'big' p FROM range(2990, 3010)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET b = 'merged' WHEN NOT MATCHED THEN INSERT (id, p, b) VALUES (s.id, s.p, 'new')

query
DELETE FROM t WHERE a = 1500

query
SELECT count(*), count(DISTINCT id), count_if(b = 'merged'), count_if(b = 'new') FROM t WHERE p = 'big'

query
SELECT count(*), count_if(b = 'merged') FROM t VERSION AS OF 4

query
CALL verify(table => 't', level => 'rows')

-- Log files are merged, and a partition without rows has no file.
statement
CREATE TABLE l (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (type = 'mor', 'hoodie.parquet.small.file.limit' = '0')

statement
INSERT INTO l VALUES (1, 'b', 'x'), (2, 'a', 'x'), (3, 'c', 'gone')

statement
UPDATE l SET v = concat(v, '+') WHERE id = 1

statement
DELETE FROM l WHERE id = 3

query
CALL cluster(table => 'l', zorder => 'v')

query
SELECT id, v, p, _hoodie_file_name LIKE '%.parquet' AS is_base FROM l ORDER BY id

query
SELECT partition, path LIKE '%.log%' AS is_log, count(*) FROM l.files GROUP BY ALL ORDER BY ALL

statement
UPDATE l SET v = 'd' WHERE id = 2

query
SELECT id, v FROM l ORDER BY id

-- A table without a key.
statement
CREATE TABLE k (n INT, v STRING) USING hudilite TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0')

statement
INSERT INTO k VALUES (1, 'a'), (1, 'a')

statement
INSERT INTO k VALUES (0, NULL)

query
CALL cluster('k', 'n')

query
SELECT * FROM k ORDER BY n

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 'a', zorder => 'b')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 'nowhere')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 'a,')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', zorder => 'a, A')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 'm')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 's')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 's.x')

-- Back-ticks quote a name, in which a comma or a dot is a part of it.
query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', zorder => '`a,d`')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', zorder => 'a, `b')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => '`s.x`')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => '`a``b`')

query
CALL cluster(table => 't', zorder => '`a`,`D`', partitions => 'p = ''few''', dry_run => true)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 'a, p')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 'a', target_file_size => '0')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 'a', target_file_size => 'large')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 'a', target_file_size => '1b')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 'a', partitions => 'a = 1')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 't', order_by => 'a', dry_run => CAST(NULL AS BOOLEAN))

-- Changes since a version whose files are gone.
statement
CREATE TABLE c (id INT, a INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0')

statement
INSERT INTO c VALUES (1, 2)

statement
INSERT INTO c VALUES (2, 1)

statement
CALL cluster(table => 'c', order_by => 'a')

statement
INSERT INTO c VALUES (3, 3)

statement
CALL clean(table => 'c', retain_commits => 1, retain_hours => 0, allow_short_retention => true)

query
SELECT count(*) FROM c.files

query
SELECT id, a FROM hudilite_changes('c', '{instant 2 of c}')

statement
CREATE TABLE wide (id INT, c1 INT, c2 INT, c3 INT, c4 INT, c5 INT, c6 INT, c7 INT, c8 INT, c9 INT, PRIMARY KEY (id)) USING hudilite

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL cluster(table => 'wide', zorder => 'c1, c2, c3, c4, c5, c6, c7, c8, c9')

statement
CREATE TABLE buckets (id INT, a INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL cluster(table => 'buckets', order_by => 'a')

query
DESCRIBE PROCEDURE cluster
