-- Counts, least and greatest values, which footers tell where they can.
statement
CREATE TABLE t (id BIGINT, p STRING, d DATE, v INT, s STRING, x DOUBLE, at TIMESTAMP, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p, d) WITH BUCKETS 2

query
SELECT count(*), count(v), min(v), max(d) FROM t

query
SELECT p, count(*) FROM t GROUP BY p

statement
INSERT INTO t SELECT id, concat('p', id % 3), date_add(DATE'2026-01-01', CAST(id % 2 AS INT)), IF(id % 5 = 0, NULL, CAST(id AS INT) - 20), IF(id % 4 = 0, NULL, repeat(concat('s', id), 30)), CASE WHEN id % 7 = 0 THEN DOUBLE('NaN') WHEN id % 7 = 1 THEN -0.0D ELSE id / 2.0D END, TIMESTAMP'1969-12-31 23:59:30' + make_dt_interval(0, 0, 0, id) FROM range(60)

query
SELECT count(*), count(1), count(v), min(v), max(v), min(id), max(at), max(d), min(p) FROM t

query
SELECT p, count(*), count(v), max(v) + 1 AS most FROM t GROUP BY p

query
SELECT d, p, min(at) FROM t GROUP BY p, d

query
SELECT p, count(*) FROM t WHERE d = DATE'2026-01-02' AND p <> 'p1' GROUP BY p HAVING count(*) > 3

query
SELECT count(*), max(v) FROM t WHERE d > DATE'2026-02-01'

query
SELECT DISTINCT d FROM t

query
SELECT min(s), max(s), count(s), count(x), max(x), min(CAST(id AS DECIMAL(10,2))) FROM t

query
SELECT count(*), min(v) FROM t WHERE v > 30

query
SELECT count(DISTINCT v), sum(v), count(v, s) FROM t

query
SELECT (SELECT max(v) FROM t) - v AS below, (SELECT count(*) FROM t WHERE p = 'p2') AS n FROM t WHERE id = 7

query
SELECT count(*) FROM t a JOIN (SELECT p, max(id) AS id FROM t GROUP BY p) b ON a.id = b.id AND a.p = b.p

statement
MERGE INTO t USING (SELECT id, concat('p', id % 3) AS p, date_add(DATE'2026-01-01', CAST(id % 2 AS INT)) AS d, CAST(id * 100 AS INT) AS v FROM range(50, 70)) s ON t.id = s.id AND t.p = s.p AND t.d = s.d WHEN MATCHED AND s.v < 5300 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, p, d, v) VALUES (s.id, s.p, s.d, s.v)

query
SELECT count(*), count(v), count(s), min(v), max(v), max(id) FROM t

query
SELECT p, count(*), max(v) FROM t GROUP BY p

statement
ALTER TABLE t ADD COLUMNS (added INT)

query
SELECT count(*), count(added), min(added) FROM t

statement
UPDATE t SET added = 5 WHERE id = 3

query
SELECT p, count(added), max(added) FROM t GROUP BY p

statement
DELETE FROM t WHERE id > 2

query
SELECT count(*), count(v), min(v), max(v) FROM t

query
SELECT p, count(*) FROM t GROUP BY p
