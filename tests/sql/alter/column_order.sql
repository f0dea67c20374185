-- Hand: Delta moves columns only of tables without a primary key
-- A column stands where the statement puts it; files keep their order, and rows their values.
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 PARTITIONED BY (p)

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y')

statement
ALTER TABLE t ADD COLUMN n INT FIRST

statement
ALTER TABLE t ADD COLUMNS (w STRING COMMENT 'later' AFTER v, u STRING AFTER w, last INT)

query
SELECT * FROM t

query
DESCRIBE t

-- Values without names go by the new order.
statement
INSERT INTO t VALUES (40, 4, 'd', 'w4', 'u4', 'y', 400)

query
MERGE INTO t USING (SELECT 1 id, 'x' p, 'A' v, 10 n, 'W' w, 'U' u, 100 last UNION ALL SELECT 5, 'x', 'e', 50, 'w5', 'u5', 500) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
UPDATE t SET u = 'set' WHERE id = 2

query
SELECT * FROM t

-- A column moves; no file is written for it.
statement
ALTER TABLE t ALTER COLUMN v FIRST

statement
ALTER TABLE t ALTER COLUMN p AFTER v

statement
ALTER TABLE t ALTER COLUMN n AFTER last

query
SELECT * FROM t

query
SELECT v, n FROM t WHERE n > 10 AND v < 'e'

query
SELECT count(*), min(n), max(last), count(u) FROM t

statement
INSERT INTO t SELECT 'f', 'z', 6, 'w6', 'u6', 600, 60

statement
DELETE FROM t WHERE v = 'c'

query
SELECT * FROM t

query
SELECT operation, count(*) AS commits FROM t.history GROUP BY operation

-- A state has the order of its time.
query
SELECT * FROM t VERSION AS OF '{instant 1 of t}'

query
SELECT * FROM t VERSION AS OF '{instant 3 of t}'

query
SELECT id, v, n, _change_type FROM hudilite_changes('t', '{instant 3 of t}')

-- The rows of a rewrite keep their values, too.
statement
ALTER TABLE t DROP COLUMN w

statement
ALTER TABLE t RENAME COLUMN u TO w

query
SELECT * FROM t

statement
RESTORE TABLE t TO VERSION AS OF 3

query
SELECT * FROM t

-- A merge-on-read table of version 9, with values in log files.
statement
CREATE TABLE m (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', 'hoodie.table.version' = '9')

statement
INSERT INTO m VALUES (1, 'a'), (2, 'b')

statement
UPDATE m SET v = 'B' WHERE id = 2

statement
ALTER TABLE m ADD COLUMN n INT FIRST

statement
MERGE INTO m USING (SELECT 10 n, 1 id, 'A' v UNION ALL SELECT 30, 3, 'c') s ON m.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
ALTER TABLE m ALTER COLUMN id FIRST

query
SELECT * FROM m

statement
CALL compact(table => 'm')

query
SELECT * FROM m

-- A table without buckets.
statement
CREATE TABLE b (id INT, v STRING, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO b VALUES (1, 'a'), (2, 'b')

statement
ALTER TABLE b ADD COLUMN n INT AFTER id

statement
MERGE INTO b USING (SELECT 1 id, 10 n, 'A' v UNION ALL SELECT 3, 30, 'c') s ON b.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM b

-- What is not there is refused.
statement expect_error(FIELD_NOT_FOUND)
ALTER TABLE t ADD COLUMN z INT AFTER nothing

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
ALTER TABLE t ALTER COLUMN v AFTER nothing

statement expect_error(FIELD_ALREADY_EXISTS)
ALTER TABLE t ADD COLUMN v INT FIRST

-- REPLACE COLUMNS is a list of the table's columns, with new ones among them.
statement
ALTER TABLE b REPLACE COLUMNS (head INT, id INT COMMENT 'the key', v STRING, n INT, tail STRING)

query
SELECT * FROM b

query
DESCRIBE b

statement
ALTER TABLE b REPLACE COLUMNS (ID INT, v STRING, n BIGINT, head INT, tail STRING)

query
SELECT * FROM b

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE b REPLACE COLUMNS (id INT, v STRING, head INT, tail STRING)

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE b REPLACE COLUMNS (id INT, v INT, n BIGINT, head INT, tail STRING)

query
SELECT * FROM b

-- The defaults of columns stay.
statement
CREATE TABLE kept (id INT, state STRING DEFAULT 'open', v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
ALTER TABLE kept ADD COLUMN w INT AFTER id

statement
ALTER TABLE kept RENAME COLUMN state TO condition

statement
ALTER TABLE kept ALTER COLUMN condition FIRST

statement
INSERT INTO kept (id, v) VALUES (1, 2)

query
SELECT * FROM kept
