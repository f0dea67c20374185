-- The twelfth commit after the first one makes a new base file of bucket 0, because it has more than eight
-- log files: its instant in show_files is that of the last commit. Rows that stay are copied in
-- batches of three, between the rows of log files and of the source.
-- Config: spark.sql.parquet.columnarReaderBatchSize=3

statement
CREATE TABLE t (id INT, v STRING, n BIGINT, d DECIMAL(20, 3), PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO t SELECT id + 100, concat('v', id % 4), IF(id % 5 = 0, NULL, id * 1000), id / 8 FROM range(0, 40, 2)

statement
CREATE TABLE n (id INT, a ARRAY<STRING>, s STRUCT<x: INT, y: STRING>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO n SELECT id + 100, array(string(id), NULL), named_struct('x', id, 'y', string(id % 3)) FROM range(20)

statement
MERGE INTO t USING (SELECT 102 AS id, 'u1' AS v, 1 AS n, 1.5 AS d UNION ALL SELECT 105, 'i1', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 101 AS id, array('u1') AS a, named_struct('x', 1, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 106 AS id, 'u2' AS v, 2 AS n, 2.5 AS d UNION ALL SELECT 109, 'i2', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 103 AS id, array('u2') AS a, named_struct('x', 2, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 110 AS id, 'u3' AS v, 3 AS n, 3.5 AS d UNION ALL SELECT 113, 'i3', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 105 AS id, array('u3') AS a, named_struct('x', 3, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 114 AS id, 'u4' AS v, 4 AS n, 4.5 AS d UNION ALL SELECT 117, 'i4', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 107 AS id, array('u4') AS a, named_struct('x', 4, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 118 AS id, 'u5' AS v, 5 AS n, 5.5 AS d UNION ALL SELECT 121, 'i5', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 109 AS id, array('u5') AS a, named_struct('x', 5, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 122 AS id, 'u6' AS v, 6 AS n, 6.5 AS d UNION ALL SELECT 125, 'i6', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 111 AS id, array('u6') AS a, named_struct('x', 6, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 126 AS id, 'u7' AS v, 7 AS n, 7.5 AS d UNION ALL SELECT 129, 'i7', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 113 AS id, array('u7') AS a, named_struct('x', 7, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 130 AS id, 'u8' AS v, 8 AS n, 8.5 AS d UNION ALL SELECT 133, 'i8', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 115 AS id, array('u8') AS a, named_struct('x', 8, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 134 AS id, 'u9' AS v, 9 AS n, 9.5 AS d UNION ALL SELECT 137, 'i9', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 117 AS id, array('u9') AS a, named_struct('x', 9, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 100 AS id, 'u10' AS v, 10 AS n, 10.5 AS d UNION ALL SELECT 141, 'i10', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 119 AS id, array('u10') AS a, named_struct('x', 10, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT 104 AS id, 'u11' AS v, 11 AS n, 11.5 AS d UNION ALL SELECT 145, 'i11', NULL, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO n USING (SELECT 101 AS id, array('u11') AS a, named_struct('x', 11, 'y', NULL) AS s) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
MERGE INTO t USING (SELECT explode(array(100, 102, 110, 111, 118, 119, 130, 139)) AS id) s ON t.id = s.id WHEN MATCHED AND s.id % 4 = 2 THEN UPDATE SET v = concat(v, '+'), n = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'new')

statement
UPDATE n SET a = array('last'), s = NULL WHERE id IN (102, 105, 111)

query
CALL show_files('t')

query
CALL show_files('n')

query
SELECT * FROM t ORDER BY id

query
SELECT * FROM n ORDER BY id
