-- CHECK constraints of a merge-on-read table: a MERGE that reads its source alone compares the rows too.
statement
CREATE TABLE t (id INT, v INT, ts INT, PRIMARY KEY (id), CONSTRAINT positive CHECK (v > 0), CONSTRAINT even CHECK (v % 2 = 0)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')

statement
MERGE INTO t USING (VALUES (1, 2, 1), (2, 4, 1) AS s(id, v, ts)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO t USING (VALUES (1, 6, 2), (3, 5, 2) AS s(id, v, ts)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE t SET v = v - 1 WHERE id = 1

statement
MERGE INTO t USING (VALUES (1, 6, 2), (3, 8, 2) AS s(id, v, ts)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
EXPLAIN MERGE INTO t USING (VALUES (1, 6, 2) AS s(id, v, ts)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
-- Hand: blind

query
CALL compact(table => 't', min_log_files => 1)

query
SELECT * FROM t
-- Hand: 6, 4, 8
