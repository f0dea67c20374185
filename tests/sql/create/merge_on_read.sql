-- Hand: Delta counts what it updates and inserts
-- A merge-on-read table gets log files; queries merge them with the base files.
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO t VALUES (1, 'one', 'a'), (2, 'two', 'a'), (3, 'three', 'a'), (1, 'uno', 'b')

-- The table is not read, so it is not known which rows are updated.
query
MERGE INTO t USING (SELECT * FROM VALUES (2, 'TWO', 'a'), (4, 'four', 'a') AS s(id, v, p)) s ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t ORDER BY p, id

-- A feed of changes: a deleted row is not inserted.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x', 'a', 'D'), (9, 'x', 'a', 'D'), (5, 'five', 'b', 'U') AS s(id, v, p, op)) s
ON t.id = s.id AND t.p = s.p
WHEN MATCHED AND s.op = 'D' THEN DELETE
WHEN MATCHED THEN UPDATE SET v = s.v, id = s.id, p = s.p
WHEN NOT MATCHED AND s.op <> 'D' THEN INSERT (id, v, p) VALUES (s.id, s.v, s.p)

query
SELECT * FROM t ORDER BY p, id

-- One key twice.
statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT * FROM VALUES (2, 'a', 'a'), (2, 'b', 'a') AS s(id, v, p)) s ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- Statements that read the table.
query
MERGE INTO t USING (SELECT * FROM VALUES (2, 'zwei', 'a'), (3, 'drei', 'a'), (6, 'sechs', 'a') AS s(id, v, p)) s ON t.id = s.id AND t.p = s.p
WHEN MATCHED AND t.v = 'TWO' THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
UPDATE t SET v = 'vier' WHERE id = 4

query
DELETE FROM t WHERE id = 3

query
INSERT INTO t VALUES (7, 'seven', 'b')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (7, 'again', 'b')

query
SELECT * FROM t ORDER BY p, id

-- Log files of each partition: an insert, a MERGE and others above.
query
SELECT partition, count(*) - 1 FROM t.files GROUP BY partition ORDER BY partition

query
CALL compact(table => 't', min_log_files => 9)

statement
CALL compact(table => 't')

query
SELECT partition, count(*) - 1 FROM t.files GROUP BY partition ORDER BY partition

query
SELECT * FROM t ORDER BY p, id

-- With an ordering field, a row with a smaller value changes nothing.
statement
CREATE TABLE o (id INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', preCombineField = 'ts')

statement
INSERT INTO o VALUES (1, 'a', 5), (2, 'b', 5)

query
MERGE INTO o USING (SELECT * FROM VALUES (1, 'older', 4), (2, 'equal', 5), (3, 'new', 1), (4, 'low', 1), (4, 'high', 2) AS s(id, v, ts)) s ON o.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM o ORDER BY id

-- A key that a log file has deleted gets a smaller ordering value: the file group is read.
query
DELETE FROM o WHERE id = 1

query
MERGE INTO o USING (SELECT 1 id, 'again' v, 2 ts) s ON o.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM o ORDER BY id

-- NULL is smaller than each value, and may not be stored.
query
MERGE INTO o USING (SELECT 2 id, 'null' v, int(NULL) ts) s ON o.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement expect_error(HUDILITE_NULL_ORDERING)
MERGE INTO o USING (SELECT 9 id, 'null' v, int(NULL) ts) s ON o.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement expect_error(HUDILITE_NULL_ORDERING)
INSERT INTO o VALUES (9, 'null', NULL)

statement expect_error(HUDILITE_NULL_ORDERING)
UPDATE o SET ts = NULL WHERE id = 2

query
SELECT * FROM o ORDER BY id
