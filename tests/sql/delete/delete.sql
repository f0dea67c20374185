-- Hand: a row is deleted by a meta column, which Delta has not
-- DELETE answers with the number of rows that are gone.
statement
CREATE TABLE t (id INT, v STRING, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 3

statement
INSERT INTO t SELECT id, concat('v', id), id * 10 FROM range(12)

-- By key.
query
DELETE FROM t WHERE id = 3

query
DELETE FROM t WHERE id IN (4, 5, 100)

-- By another column, with an alias.
query
DELETE FROM t AS x WHERE x.n > 90 OR x.v = 'v1'

query
SELECT * FROM t

-- A condition that is null is not true.
query
DELETE FROM t WHERE n > CAST(NULL AS INT)

-- No row: no commit.
query
DELETE FROM t WHERE v = 'nobody'

query
SELECT count(*), count(DISTINCT _hoodie_commit_time) FROM t

-- A condition must be true or false.
statement expect_error(DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN)
DELETE FROM t WHERE n

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
DELETE FROM t WHERE nothing = 1

-- By a meta column.
query
DELETE FROM t WHERE _hoodie_record_key = '6'

query
SELECT * FROM t

-- Every row; the table takes rows again.
query
DELETE FROM t

query
SELECT count(*) FROM t

statement
INSERT INTO t VALUES (3, 'again', 1)

query
SELECT * FROM t
