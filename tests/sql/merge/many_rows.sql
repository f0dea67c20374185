-- More rows than the small-file cases: several pages and row groups in each file.
statement
CREATE TABLE t (k STRING, n INT, v STRING, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 3

statement
INSERT INTO t SELECT concat('key-', lpad(id, 5, '0')), id, 'one' FROM range(300)

query
MERGE INTO t USING (SELECT concat('key-', lpad(id, 5, '0')) k, CAST(id AS INT) n, 'two' v FROM range(290, 320)) s ON t.k = s.k
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO t USING (SELECT concat('key-', lpad(id * 7, 5, '0')) k FROM range(100)) s ON t.k = s.k
WHEN MATCHED AND t.n % 2 = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET v = 'three'
WHEN NOT MATCHED AND s.k < 'key-00400' THEN INSERT (k, v) VALUES (s.k, 'four')

query
SELECT v, count(*), min(k), max(k), sum(n) FROM t GROUP BY v

query
MERGE INTO t USING (SELECT k FROM t WHERE n BETWEEN 100 AND 199) s ON t.k = s.k
WHEN NOT MATCHED BY SOURCE AND t.n IS NULL THEN UPDATE SET n = -1
WHEN NOT MATCHED BY SOURCE AND t.n < 50 THEN DELETE

query
SELECT v, count(*), min(k), max(k), sum(n) FROM t GROUP BY v

query
SELECT * FROM t WHERE k IN ('key-00007', 'key-00105', 'key-00299', 'key-00319', 'key-00336', 'absent')

query
SELECT count(DISTINCT _hoodie_commit_time), count(DISTINCT _hoodie_file_name), count(DISTINCT _hoodie_record_key) FROM t
