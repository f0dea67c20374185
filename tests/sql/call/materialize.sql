-- Hand: procedures are hudilite's own
-- What is written, and from what: e2e/test_materialize.py.
statement
CREATE TABLE t (id INT, p INT, q STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p, q)

query
CALL materialize(table => 't')

statement
INSERT INTO t SELECT CAST(id AS INT), 1, 'a', 'x' FROM range(10)

query
CALL materialize(table => 't')

query
CALL materialize('t', 'p > 3 AND q = ''a''', 1000)

query
CALL materialize('t', CAST(NULL AS STRING), CAST(NULL AS BIGINT))

-- Whatever Spark takes after WHERE, over the partition columns.
query
CALL materialize('t', 'p BETWEEN 0 AND 3 AND nullif(q, ''b'') IN (''a'', ''c'') AND q ILIKE ''A'' AND current_date() > DATE''2000-01-01''')

query
CALL materialize('t', 'p + 1 BETWEEN 0 AND 3 OR p IS NULL OR contains(q, ''a'') OR P = ''1'' OR true')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('t', 'id = 1')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('t', 'p')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('t', 'p =')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('t', '')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('t', 'p = (SELECT 1)')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('t', 'max(p) = 1')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('t', 'rand() < 0.5')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('t', 'nowhere(p)')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('t', 'p > explode(array(1))')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('t', 'row_number() OVER (ORDER BY p) = 1')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize(table => 't', max_bytes => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize(CAST(NULL AS STRING))

-- A filter's own errors are those of a query.
query expect_error(CAST_INVALID_INPUT)
CALL materialize('t', 'CAST(q AS INT) = 1')

-- A table with buckets or without partitions has no adopted file groups.
statement
CREATE TABLE b (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

query
CALL materialize('b')

query
CALL materialize('b', 'true')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL materialize('b', 'id = 1')

query
DESCRIBE PROCEDURE materialize

-- Nothing above wrote anything.
query
SELECT count(DISTINCT _hoodie_commit_time) FROM t
