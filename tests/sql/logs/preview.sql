-- Hand: procedures are hudilite's own
-- Previews of writes to merge-on-read tables, and to tables without buckets.
statement
CREATE TABLE t (id INT, n INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('type' = 'mor')

statement
INSERT INTO t SELECT id, id * 10, 'old' FROM range(1, 11)

-- A blind MERGE does not know its counts; its preview does.
query
CALL merge_preview("MERGE INTO t USING (VALUES (1, 0, 'a'), (2, 0, 'b'), (30, 0, 'c') AS s (id, n, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", 'statement')

query
CALL merge_preview("MERGE INTO t USING (VALUES (1, 0, 'a'), (2, 0, 'b'), (30, 0, 'c') AS s (id, n, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", 'files')

query
CALL merge_preview("MERGE INTO t USING (VALUES (1, 0, 'a'), (2, 0, 'b'), (30, 0, 'c') AS s (id, n, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", 'rows')

-- A log file is written for keys that are not there, too.
query
CALL merge_preview("MERGE INTO t USING (VALUES (77, 0, 'x', 'D'), (78, 0, 'x', 'D'), (79, 0, 'x', 'D'), (80, 0, 'x', 'D'), (1, 0, 'x', 'U') AS s (id, n, v, op)) s ON t.id = s.id WHEN MATCHED AND s.op = 'D' THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED AND s.op = 'U' THEN INSERT *", 'files')

query
CALL merge_preview("MERGE INTO t USING (VALUES (77, 0, 'x', 'D'), (78, 0, 'x', 'D'), (79, 0, 'x', 'D'), (80, 0, 'x', 'D'), (1, 0, 'x', 'U') AS s (id, n, v, op)) s ON t.id = s.id WHEN MATCHED AND s.op = 'D' THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED AND s.op = 'U' THEN INSERT *", 'statement')

query
MERGE INTO t USING (VALUES (1, 0, 'a'), (2, 0, 'b'), (30, 0, 'c') AS s (id, n, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
SET spark.hudilite.write.counts = exact

query
CALL merge_preview("MERGE INTO t USING (VALUES (1, 5, 'aa'), (40, 5, 'd') AS s (id, n, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", 'statement')

query
MERGE INTO t USING (VALUES (1, 5, 'aa'), (40, 5, 'd') AS s (id, n, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- Rows of log files are read.
query
CALL merge_preview("UPDATE t SET n = n + 1 WHERE v IN ('aa', 'b')", 'rows')

query
CALL merge_preview("DELETE FROM t WHERE id > 8", 'statement')

query
CALL merge_preview("DELETE FROM t", 'statement')

query
SELECT operation, rows_written FROM t.history

-- Without buckets, a new row goes into a file that has room.
statement
CREATE TABLE b (id INT, v STRING, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('type' = 'mor')

statement
INSERT INTO b SELECT id, 'old' FROM range(1, 6)

query
CALL merge_preview("MERGE INTO b USING (VALUES (1, 'a'), (10, 'b') AS s (id, v)) s ON b.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", 'statement')

query
CALL merge_preview("UPDATE b SET id = id + 100 WHERE id = 2", 'rows')

query
UPDATE b SET id = id + 100 WHERE id = 2
