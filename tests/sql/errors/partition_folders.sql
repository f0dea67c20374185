-- Faults: F84
-- A partition value becomes a folder: the folder of null is refused as a value.
statement
CREATE TABLE t (id INT, p STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, 'plain'), (2, 'a b:c=d'), (3, '..'), (4, 'a/b')

query expect_error(HUDILITE_PARTITION_VALUE_INVALID)
INSERT INTO t VALUES (5, 'fine'), (6, '__HIVE_DEFAULT_PARTITION__')

query expect_error(HUDILITE_PARTITION_VALUE_INVALID)
MERGE INTO t USING (SELECT 5 AS id, '__HIVE_DEFAULT_PARTITION__' AS p) s ON t.id = s.id AND t.p = s.p
WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t
