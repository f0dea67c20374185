-- UPDATE answers with the number of rows that it changed.
statement
CREATE TABLE t (id INT, v STRING, n INT DEFAULT 7, m INT NOT NULL, s STRUCT<a: INT, b: STRUCT<c: STRING>>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 3

statement
INSERT INTO t SELECT id, concat('v', id), id * 10, id, named_struct('a', int(id), 'b', named_struct('c', 'x')) FROM range(8)

query
UPDATE t SET v = 'by key' WHERE id = 3

query
UPDATE t AS x SET v = concat(x.v, '!'), n = x.n + 1 WHERE x.n >= 50

query
SELECT id, v, n FROM t

-- Values are those from before the statement.
query
UPDATE t SET n = m, m = n WHERE id IN (1, 2)

query
UPDATE t SET n = DEFAULT WHERE id = 4

-- Fields of structs; a field of null is put into a new struct.
query
UPDATE t SET s.a = 9, s.b.c = 'deep' WHERE id < 2

query
UPDATE t SET s = NULL WHERE id = 7

query
UPDATE t SET s.a = 1 WHERE id = 7

query
SELECT * FROM t

-- Every row.
query
UPDATE t SET v = 'all'

query
SELECT count(*), count(DISTINCT v), count(DISTINCT _hoodie_commit_time) FROM t

-- No row: no commit.
query
UPDATE t SET v = 'none' WHERE id > 100

-- A key may be set to itself.
query
UPDATE t SET id = id, v = 'kept' WHERE id = 1

-- Values must fit.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
UPDATE t SET n = 'text'

statement expect_error(CAST_OVERFLOW_IN_TABLE_INSERT)
UPDATE t SET n = 3000000000 WHERE id = 1

query
UPDATE t SET v = 12, n = 5L WHERE id = 2

statement expect_error(HUDILITE_NULL_VALUE)
UPDATE t SET m = CAST(NULL AS INT) WHERE id = 1

statement expect_error(DATATYPE_MISMATCH.INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS)
UPDATE t SET v = 'a', v = 'b'

query
SELECT id, v, n, m FROM t
