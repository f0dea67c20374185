-- Hand: Delta takes CHECK by ALTER TABLE alone
-- A CHECK constraint compares CHAR values as SELECT does, whether they are stored with blanks or not.
statement
CREATE TABLE t (id INT, state CHAR(6) DEFAULT 'open', n INT, PRIMARY KEY (id),
CONSTRAINT known CHECK (state IN ('open', 'closed') OR n > 0)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t (id) VALUES (1)

statement
INSERT INTO t (id, state, n) VALUES (2, 'open', 0), (3, 'closed', 0), (4, 'other', 1)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO t VALUES (5, 'other', 0)

statement
MERGE INTO t USING (SELECT 6 AS id, 'closed' AS state) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, state) VALUES (s.id, s.state)

statement
UPDATE t SET n = 0 WHERE id <> 4

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE t SET n = 0

query
SELECT id, n FROM t
