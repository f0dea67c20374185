-- Hand: procedures are hudilite's own
-- A merge-on-read table with two numbers of buckets: blind writes, and log files that are merged when their buckets are divided.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO t SELECT CAST(id AS INT), IF(id % 3 = 0, 'a', 'b'), 'x' FROM range(20)

query
MERGE INTO t USING (SELECT CAST(id AS INT) AS id, IF(id % 3 = 0, 'a', 'b') AS p, 'l1' AS v FROM range(18, 24)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
CALL rescale(table => 't', buckets => 4, max_bytes => 1)

query
EXPLAIN MERGE INTO t USING (SELECT CAST(id AS INT) AS id, IF(id % 3 = 0, 'a', 'b') AS p, 'l2' AS v FROM range(10, 26, 1, 1)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO t USING (SELECT CAST(id AS INT) AS id, IF(id % 3 = 0, 'a', 'b') AS p, 'l2' AS v FROM range(10, 26)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t ORDER BY id

query
SELECT * FROM t WHERE id IN (0, 9, 12, 21, 24)

query
CALL verify(table => 't', level => 'rows')

query
CALL rescale('t', 4)

query
MERGE INTO t USING (SELECT CAST(id AS INT) AS id, IF(id % 3 = 0, 'a', 'b') AS p, 'l3' AS v FROM range(24, 28)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT v, count(*), count(DISTINCT id), min(id), max(id) FROM t GROUP BY v

query
CALL rescale('t', 1)

query
SELECT v, count(*), count(DISTINCT id), min(id), max(id) FROM t GROUP BY v

query
CALL verify(table => 't', level => 'rows')
