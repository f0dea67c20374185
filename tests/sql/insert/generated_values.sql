-- Generated columns: a statement that leaves one out computes it, and one that gives a value must give
-- that of the expression. The partition column is one, too.
statement
CREATE TABLE t (id INT, at TIMESTAMP, price DECIMAL(10,2) DEFAULT 1.50, n INT, day DATE GENERATED ALWAYS AS (CAST(at AS DATE)), total DECIMAL(25,2) GENERATED ALWAYS AS (price * n), PRIMARY KEY (id)) USING hudilite PARTITIONED BY (day) WITH BUCKETS 2

-- INSERT with a list, BY NAME, and with all columns.
statement
INSERT INTO t (id, at, price, n) VALUES (1, TIMESTAMP'2024-01-01 10:00:00', 2, 3), (2, NULL, 2, 3)

statement
INSERT INTO t (id, at, n) VALUES (3, TIMESTAMP'2024-01-02 10:00:00', 4)

statement
INSERT INTO t BY NAME SELECT 4L AS n, DATE'2024-01-03' AS at, 4 AS id, 2.5 AS price

statement
INSERT INTO t (id, at, price, n, day, total) VALUES (5, TIMESTAMP'2024-01-03 11:00:00', 1, 2, DATE'2024-01-03', 2)

query
SELECT * FROM t

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO t (id, at, price, n, day, total) VALUES (6, TIMESTAMP'2024-01-03 11:00:00', 1, 2, DATE'2024-01-04', 2)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO t (id, at, price, n, total) VALUES (6, TIMESTAMP'2024-01-03 11:00:00', 1, 2, 3), (7, NULL, 1, 2, 2)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO t (id, at, price, n, total) VALUES (6, TIMESTAMP'2024-01-03 11:00:00', 1, 2, NULL)

statement expect_error(INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS)
INSERT INTO t VALUES (6, TIMESTAMP'2024-01-03 11:00:00', 1, 2)

-- UPDATE of columns of the expression, of others, and of the column itself.
statement
UPDATE t SET n = n + 1 WHERE id = 1

statement
UPDATE t SET at = at + INTERVAL 1 DAY WHERE id >= 4

statement
UPDATE t SET total = 100, n = 10, price = 10 WHERE id = 2

query
SELECT * FROM t

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE t SET total = 0 WHERE id = 1

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE t SET at = NULL, day = DATE'2024-01-01' WHERE id = 1

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE t SET day = (SELECT max(day) FROM t) WHERE id = 1

statement
UPDATE t SET n = (SELECT max(n) FROM t) WHERE id = 3

-- MERGE gives the columns of the expression, all columns, or the column itself.
query
MERGE INTO t USING (SELECT 1 id, TIMESTAMP'2024-02-01 00:00:00' at, 7 n UNION ALL SELECT 8, TIMESTAMP'2024-02-02 00:00:00', 8) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET at = s.at, n = s.n
WHEN NOT MATCHED THEN INSERT (id, at, n) VALUES (s.id, s.at, s.n)

query
MERGE INTO t USING (SELECT 3 id, 9 n) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET n = s.n
WHEN NOT MATCHED BY SOURCE AND id = 5 THEN UPDATE SET at = TIMESTAMP'2024-03-01 00:00:00', day = DATE'2024-03-01'

query
MERGE INTO t USING (SELECT 9 id, TIMESTAMP'2024-02-02 00:00:00' at, 1.00 price, 9 n, DATE'2024-02-02' day, 9.00 total) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO t USING (SELECT 9 id, TIMESTAMP'2024-02-02 00:00:00' at, 1.00 price, 9 n, DATE'2024-02-02' day, 10.00 total) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO t USING (SELECT 10 id, TIMESTAMP'2024-02-02 00:00:00' at, 1.00 price, 9 n, DATE'2024-02-03' day, 9.00 total) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO t USING (SELECT 1 id) s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND t.n = 9 AND t.id = 3 THEN UPDATE SET total = total + 1

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO t USING (SELECT 7 n) s ON t.n = s.n WHEN MATCHED AND t.id = 1 THEN UPDATE SET day = DATE'2000-01-01'

-- MERGE of rows that its ON does not look up by the key.
query
MERGE INTO t USING (SELECT 8 n, 80 v) s ON t.n = s.n WHEN MATCHED THEN UPDATE SET n = s.v

query
SELECT * FROM t

-- The partition of a row follows from its columns.
query
SELECT count(*) FROM t WHERE day = DATE'2024-02-02'

-- INSERT OVERWRITE computes and compares, too.
statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT OVERWRITE t (id, at, price, n, day) VALUES (1, TIMESTAMP'2024-01-01 10:00:00', 2, 3, NULL)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO t REPLACE WHERE day = DATE'2024-02-02' SELECT 1, TIMESTAMP'2024-02-02 10:00:00', 2, 3, DATE'2024-02-02', 5

statement
INSERT OVERWRITE t (id, at, n) VALUES (1, TIMESTAMP'2024-01-01 10:00:00', 3)

query
SELECT * FROM t

-- A star leaves out the generated columns that the source lacks.
query
MERGE INTO t USING (SELECT 1 id, TIMESTAMP'2024-05-01 00:00:00' at, 3.00 price, 1 n UNION ALL SELECT 2, TIMESTAMP'2024-05-02 00:00:00', 4.00, 2) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t
