-- Hand: errors only
-- What is not built yet is refused by its name, and changes nothing.
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', 'x')

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
INSERT INTO t REPLACE WHERE id > rand() VALUES (1, 'b', 'x')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

query
SELECT *, _hoodie_commit_time FROM t
