-- Generated columns of a merge-on-read table: a MERGE that reads its source alone computes and compares
-- them, too.
statement
CREATE TABLE t (id INT, a INT, b INT GENERATED ALWAYS AS (a * 2), PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')

statement
MERGE INTO t USING (SELECT 1 id, 2 a, 4 b UNION ALL SELECT 2, 3, 6) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO t USING (SELECT 1 id, 6 a, 12 b UNION ALL SELECT 3, 5, 11) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 1 id, 7 a UNION ALL SELECT 3, 8) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = s.a WHEN NOT MATCHED THEN INSERT (id, a) VALUES (s.id, s.a)

statement
INSERT INTO t (id, a) VALUES (4, 4)

statement
UPDATE t SET a = a + 1 WHERE id = 2

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE t SET b = a WHERE id = 2

query
SELECT * FROM t

query
CALL compact(table => 't', min_log_files => 1)

query
SELECT * FROM t

-- Blind, too, if the source lacks the column.
query
EXPLAIN MERGE INTO t USING (SELECT 1 id, 2 a) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = s.id, a = s.a WHEN NOT MATCHED THEN INSERT (id, a) VALUES (s.id, s.a)
