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
