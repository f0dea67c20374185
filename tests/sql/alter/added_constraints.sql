-- Hand: Delta has its own conditions for a violated constraint
-- ADD CONSTRAINT and DROP CONSTRAINT, whatever other extensions read of them.
statement
CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, 1), (2, -1)

statement expect_error(NEW_CHECK_CONSTRAINT_VIOLATION)
ALTER TABLE t ADD CONSTRAINT positive CHECK (v > 0)

statement
DELETE FROM t WHERE id = 2

statement
ALTER TABLE t ADD CONSTRAINT positive CHECK (v > 0)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO t VALUES (3, 0)

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ADD CONSTRAINT other UNIQUE (v)

statement expect_error(CONSTRAINT_DOES_NOT_EXIST)
ALTER TABLE t DROP CONSTRAINT negative

statement
ALTER TABLE t DROP CONSTRAINT IF EXISTS negative

statement
ALTER TABLE t DROP CONSTRAINT positive

statement
INSERT INTO t VALUES (3, 0)

query
SELECT * FROM t
