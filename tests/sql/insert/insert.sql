statement
CREATE TABLE t (id INT, v STRING, n BIGINT DEFAULT 7, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 3

-- INSERT answers as Spark does: with no row.
query
INSERT INTO t VALUES (1, 'a', 10, 'x'), (2, 'b', 20, 'y'), (3, NULL, NULL, 'x')

query
SELECT * FROM t

-- By name, in another order; what is not named takes its default.
statement
INSERT INTO t (p, v, id) VALUES ('x', 'd', 4)

query
SELECT * FROM t WHERE id = 4

statement
INSERT INTO t BY NAME SELECT 'e' v, 5 id, 50L n, 'z' p

statement
INSERT INTO t SELECT id, v, n, p FROM VALUES (6, 'f', 60L, 'x'), (7, 'g', 70L, 'z') AS s(id, v, n, p)

-- No rows: nothing changes.
statement
INSERT INTO t SELECT * FROM t WHERE false

query
SELECT * FROM t

query
SELECT count(*), count(DISTINCT _hoodie_commit_time), count(DISTINCT _hoodie_file_name) FROM t

-- The same key in another partition is another row.
statement
INSERT INTO t VALUES (1, 'other partition', 11, 'y')

query
SELECT * FROM t WHERE id = 1

-- A source that reads the table itself.
statement
INSERT INTO t SELECT id + 100, v, n, p FROM t

query
SELECT count(*), sum(id) FROM t

-- Refused in analysis, as for any Spark table.
statement expect_error(INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST)
INSERT INTO t SELECT 'text', 'v', 1L, 'x'

statement expect_error(INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS)
INSERT INTO t SELECT 200

statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t SELECT 200, 'v', 1L, 'x', 'more'

statement expect_error(CAST_INVALID_INPUT)
INSERT INTO t SELECT 200 + id, 'v', CAST(v AS BIGINT), 'x' FROM t WHERE id = 1 AND p = 'x'

query
SELECT count(*), sum(id) FROM t
