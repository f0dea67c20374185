-- Hand: Delta has no ALTER TABLE ... DROP PARTITION
statement
CREATE TABLE t (id INT, v STRING, p STRING, q INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p, q) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', 'x', 1), (2, 'b', 'x', 2), (3, 'c', 'y', 1), (4, 'd', 'z', 1)

query
ALTER TABLE t DROP PARTITION (p = 'x', q = 1), PARTITION (p = 'y', q = 1)

query
SELECT * FROM t

statement expect_error(PARTITIONS_NOT_FOUND)
ALTER TABLE t DROP PARTITION (p = 'x', q = 1)

statement
ALTER TABLE t DROP IF EXISTS PARTITION (p = 'x', q = 1)

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
ALTER TABLE t DROP PARTITION (p = 'x') PURGE

-- A part of the columns: every partition below.
statement
ALTER TABLE t DROP PARTITION (q = 1)

query
SELECT * FROM t

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ADD PARTITION (p = 'x', q = 1)

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t PARTITION (p = 'x', q = 2) RENAME TO PARTITION (p = 'x', q = 3)
