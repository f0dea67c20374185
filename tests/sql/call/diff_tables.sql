-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (a INT, b STRING, v INT, w STRING, p STRING, PRIMARY KEY (a, b)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t SELECT id, concat('b:', id, ',x'), id, 'w', if(id < 4, 'x', NULL) FROM range(8)

-- Without buckets, the columns in another order and wider, one more and one less.
statement
CREATE TABLE bloom (p STRING, extra INT, v BIGINT, b STRING, a INT, PRIMARY KEY (a, b)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO bloom (a, b, v, p, extra) SELECT a, b, v, p, 7 FROM t

query
CALL diff(table => 'bloom', other => 't')

statement
MERGE INTO bloom t USING (SELECT 1 a, 'b:1,x' b, 3000000000 v, 'x' p UNION ALL SELECT 5, 'b:5,x', NULL, NULL UNION ALL SELECT 9, 'new', 9, 'z') s ON t.a = s.a AND t.b = s.b AND t.p <=> s.p WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (a, b, v, p) VALUES (a, b, v, p)

statement
DELETE FROM bloom WHERE a = 0

query
CALL diff(table => 'bloom', other => 't')

query
CALL diff(table => 'bloom', other => 't', rows => true)

query
CALL diff(table => 't', other => 'bloom', columns => 'V', rows => true)

query
CALL diff(table => 'bloom', other => 't', where => 'V > 4', rows => true)

query
CALL diff(table => 'bloom', version => '1', rows => true)

-- The condition names a column that only one table has.
query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 'bloom', other => 't', where => 'extra = 7')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 'bloom', other => 't', columns => 'extra')

-- A key is unique within its partition: a row of another partition is another row.
statement
INSERT INTO bloom (a, b, v, p) VALUES (2, 'b:2,x', 2, 'moved')

statement
DELETE FROM bloom WHERE a = 2 AND p = 'x'

query
CALL diff(table => 'bloom', other => 't', where => 'a = 2', rows => true)

-- A column of another type.
statement
CREATE TABLE texts (a INT, b STRING, v STRING, p STRING, PRIMARY KEY (a, b)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO texts SELECT a, b, v, p FROM t

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 'texts', other => 't')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 'texts', other => 't', columns => 'v')

query
CALL diff(table => 'texts', other => 't', columns => 'p')

-- Other keys.
statement
CREATE TABLE one_column (a INT, p STRING, PRIMARY KEY (a)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', other => 'one_column')

statement
CREATE TABLE wide_key (a BIGINT, b STRING, v INT, p STRING, PRIMARY KEY (a, b)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', other => 'wide_key')

statement
CREATE TABLE keyless (a INT, v INT) USING hudilite

statement
INSERT INTO keyless VALUES (1, 1), (2, 2)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', other => 'keyless')

-- Other partition columns: keys must be unique over all partitions.
statement
CREATE TABLE whole (a INT, b STRING, v INT, w STRING, p STRING, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO whole SELECT * FROM t WHERE a > 0

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 'whole', other => 't')

statement
CREATE TABLE global (a INT, b STRING, v INT, w STRING, p STRING, PRIMARY KEY (a, b)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES ('hudilite.index.global' = 'true')

statement
INSERT INTO global SELECT a, b, v, w, concat('p', p) FROM t

query
CALL diff(table => 'whole', other => 'global')

query
CALL diff(table => 'global', other => 'whole', columns => 'v, w', rows => true)

-- A merge-on-read table, and columns that were added and dropped.
statement
CREATE TABLE logs (k INT, v INT, w STRING, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')

-- 1
statement
INSERT INTO logs SELECT k, k, 'w' FROM range(100) AS r(k)

-- 2
statement
MERGE INTO logs t USING (SELECT 7 k, 70 v UNION ALL SELECT 200, 200) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (k, v) VALUES (k, v)

-- 3
statement
DELETE FROM logs WHERE k = 8

query
CALL diff(table => 'logs', version => '1', rows => true)

query
CALL diff(table => 'logs', version => '2', rows => true)

query
CALL diff(table => 'logs', version => '1', where => 'k = 7', rows => true)

-- Earlier rows have NULL in a new column.
statement
ALTER TABLE logs ADD COLUMN extra STRING

query
CALL diff(table => 'logs', version => '3')

statement
UPDATE logs SET extra = 'e' WHERE k = 9

query
CALL diff(table => 'logs', version => '3', rows => true)
