-- Faults: F86
statement
CREATE TABLE IF NOT EXISTS t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a')

-- A second CREATE changes nothing, whatever it says.
statement
CREATE TABLE IF NOT EXISTS t (other STRING, PRIMARY KEY (other)) USING hudilite WITH BUCKETS 7

query
SELECT * FROM t

statement expect_error(TABLE_OR_VIEW_ALREADY_EXISTS)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

query
SELECT * FROM t
