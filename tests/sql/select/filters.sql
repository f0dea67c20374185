-- Filters that reach row groups and pages give the rows they should, nulls included.
statement
CREATE TABLE t (id INT, n INT, d DOUBLE, s STRING, at TIMESTAMP, e DECIMAL(10,2), PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t SELECT id, IF(id % 5 = 0, NULL, id * 3), IF(id % 7 = 0, DOUBLE('NaN'), id / 2.0D), IF(id % 4 = 0, NULL, concat('s', id)), TIMESTAMP'1969-12-31 23:59:00' + make_dt_interval(0, 0, 0, id), CAST(id AS DECIMAL(10,2)) / 4 FROM range(100)

query
SELECT count(*), sum(n) FROM t WHERE n > 150

query
SELECT count(*) FROM t WHERE n IS NULL

query
SELECT count(*) FROM t WHERE n IS NOT NULL AND n <> 3

query
SELECT count(*) FROM t WHERE d > 45

query
SELECT count(*) FROM t WHERE d = DOUBLE('NaN')

query
SELECT count(*) FROM t WHERE s LIKE 's9%'

query
SELECT count(*) FROM t WHERE s IN ('s1', 's2', 's4', 'x')

query
SELECT count(*) FROM t WHERE at < TIMESTAMP'1970-01-01 00:00:00'

query
SELECT count(*) FROM t WHERE e >= 20.25

query
SELECT count(*) FROM t WHERE NOT (n > 10) OR n IS NULL

query
SELECT count(*) FROM t WHERE id > 90 AND (n IS NULL OR d > 47)

query
SELECT id FROM t WHERE n = 3 AND s = 's1' AND id = 1
