-- Hand: procedures are hudilite's own
-- Only a bucket with several file groups is repaired; see e2e/test_repair_bucket.py.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL repair_bucket(table => 't', partition => 'p=a', bucket => 0)

statement
INSERT INTO t SELECT CAST(id AS INT), 'a', 'x' FROM range(10)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL repair_bucket(table => 't', partition => 'p=a', bucket => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL repair_bucket('t', 'p=a', 2)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL repair_bucket('t', 'p=a', -1)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL repair_bucket('t', 'a', 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL repair_bucket('t', '', 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL repair_bucket('t', CAST(NULL AS STRING), 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL repair_bucket('t', 'p=a', CAST(NULL AS INT))

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL repair_bucket(CAST(NULL AS STRING), 'p=a', 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL repair_bucket('t', repeat('''"', 524288), 0)

query
DESCRIBE PROCEDURE repair_bucket

query expect_error(REQUIRED_PARAMETER_NOT_FOUND)
CALL repair_bucket('t', 'p=a')

query expect_error(UNRECOGNIZED_PARAMETER_NAME)
CALL repair_bucket(table => 't', partition => 'p=a', buckets => 0)

query
SELECT count(*) FROM t
